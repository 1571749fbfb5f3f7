/* Asks the dynamic linker for its counts, see libraries.h.
 * Threads: any. May not: allocate. */
#include "collect/libraries.h"

#include <link.h>
#include <stddef.h>

static int read_counts(struct dl_phdr_info *info, size_t size, void *user)
{
    struct wi_libraries *counts = user;
    if (size > offsetof(struct dl_phdr_info, dlpi_subs))
        *counts = (struct wi_libraries){info->dlpi_adds, info->dlpi_subs};
    return 1; /* the same for each library: one is enough */
}

struct wi_libraries wi_libraries(void)
{
    struct wi_libraries counts = {0, 0};
    dl_iterate_phdr(read_counts, &counts);
    return counts;
}

int wi_libraries_changed(struct wi_libraries *known)
{
    struct wi_libraries now = wi_libraries(), before = *known;
    *known = now;
    return !now.loaded || now.loaded != before.loaded || now.unloaded != before.unloaded;
}
