/* Frame names to kinds, see frames.h.
 * Threads: any. Pure. */
#include "analyze/frames.h"

#include <stddef.h>
#include <string.h>

#include "base/attr.h"

struct pattern {
    const char *text;
    enum wi_frame_kind kind;
};

static const struct pattern PATTERNS[] = {
#define FRAME_NAME(pattern, id) {pattern, WI_FRAME_##id},
#include "analyze/frames.def"
#undef FRAME_NAME
};

int wi_frame_kind_of(const char *name)
{
    for (size_t i = 0; i < WI_ARRAY_LEN(PATTERNS); i++)
        if (strstr(name, PATTERNS[i].text))
            return (int)PATTERNS[i].kind;
    return -1;
}
