/* The kernels of communication libraries, see collective.h.
 * Threads: any. May not: allocate. */
#include "model/collective.h"

#include <string.h>

#include "base/attr.h"

static const char *const PREFIXES[] = {
#define COLLECTIVE(prefix) prefix,
#include "model/collective.def"
#undef COLLECTIVE
};

/* Sends and receives of a group call run in one kernel of this name. */
#define POINT_TO_POINT "SendRecv"

int wi_name_is_point_to_point(const char *name)
{
    return wi_name_is_collective(name) && strstr(name, POINT_TO_POINT) != NULL;
}

int wi_name_is_collective(const char *name)
{
    if (!strncmp(name, "void ", 5))
        name += 5;
    for (size_t i = 0; i < WI_ARRAY_LEN(PREFIXES); i++) {
        if (name[0] == PREFIXES[i][0] && !strncmp(name, PREFIXES[i], strlen(PREFIXES[i])))
            return 1;
    }
    return 0;
}
