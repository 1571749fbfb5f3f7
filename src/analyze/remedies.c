/* The table of remedies, see remedies.h.
 * Threads: any. Pure. */
#include "analyze/remedies.h"

#include <stddef.h>

const struct wi_remedy *wi_remedy_of(enum wi_subcause subcause)
{
    static const struct wi_remedy TABLE[WI_SUB_COUNT] = {
#define REMEDY(sub, universe, clock) [WI_SUB_##sub] = {WI_UNIVERSE_##universe, WI_CLOCK_##clock, 1},
#include "analyze/remedies.def"
#undef REMEDY
    };
    return (unsigned)subcause < WI_SUB_COUNT && TABLE[subcause].known ? &TABLE[subcause] : NULL;
}
