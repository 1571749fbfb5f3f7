/* Which universe stands for the fix of a sub-cause (remedies.def).
 * Threads: any. Pure. */
#ifndef WI_ANALYZE_REMEDIES_H
#define WI_ANALYZE_REMEDIES_H

#include "analyze/change.h"

enum wi_clock_kind { WI_CLOCK_FIXED, WI_CLOCK_QUEUE, WI_CLOCK_REQUESTS, WI_CLOCK_HERE };

struct wi_remedy {
    int universe; /* enum wi_universe */
    enum wi_clock_kind clock;
    int known; /* 0: the table has no row */
};

/* NULL if the table has no row for it. */
const struct wi_remedy *wi_remedy_of(enum wi_subcause subcause);

#endif
