/* Names of CUDA and HIP calls, see api_names.h.
 * Threads: any. May not: allocate. */
#include "import/api_names.h"

#include <string.h>

#include "base/attr.h"

enum match { IS, HAS };
enum blocking { NO, YES, UNLESS_ASYNC };

struct row {
    const char *stem;
    unsigned char len, match, api_class, blocking;
};

static const struct row ROWS[] = {
#define API(stem, match, api_class, blocking)                                                      \
    {stem, sizeof(stem) - 1, match, WI_API_##api_class, blocking},
#include "import/api_calls.def"
#undef API
};

static const char *without_prefix(const char *name)
{
    static const char *const PREFIXES[] = {"cuda", "cu", "hip"};
    for (size_t i = 0; i < WI_ARRAY_LEN(PREFIXES); i++) {
        size_t len = strlen(PREFIXES[i]);
        if (!strncmp(name, PREFIXES[i], len) && name[len] >= 'A' && name[len] <= 'Z')
            return name + len;
    }
    return NULL;
}

struct wi_api_kind wi_api_kind(const char *name)
{
    struct wi_api_kind kind = {.api_class = WI_API_OTHER};
    const char *stem = without_prefix(name);
    if (!stem)
        return kind;
    size_t len = strcspn(stem, "_");
    for (size_t i = 0; i < WI_ARRAY_LEN(ROWS); i++) {
        const struct row *row = &ROWS[i];
        if (row->stem[0] != stem[0] || len < row->len || (row->match == IS && len != row->len) ||
            memcmp(row->stem, stem, row->len) != 0)
            continue;
        kind.api_class = row->api_class;
        kind.blocking =
            row->blocking == YES || (row->blocking == UNLESS_ASYNC && !strstr(stem, "Async"));
        return kind;
    }
    return kind;
}
