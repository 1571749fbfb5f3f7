/* A stretch of host time between two calls while the device idles: the causal rule, the dispatch
 * rule, and what is left for the rules (docs/architecture.md).
 * Threads: the engine's. May not: allocate. */
#ifndef WI_ANALYZE_HOST_SEGMENT_H
#define WI_ANALYZE_HOST_SEGMENT_H

#include "analyze/charge.h"

/* Where a walk along the host's clock stands. */
struct wi_host_walk {
    struct wi_charge *charge;
    uint32_t thread;                   /* index of the thread whose clock it is */
    const struct wi_call_slot *before; /* the latest call, NULL = none known */
};

/* Charges [start_ns, end_ns), which lies between walk->before and `after` (NULL: no call known). */
void wi_host_segment(struct wi_host_walk *walk, int64_t start_ns, int64_t end_ns,
                     const struct wi_call_slot *after);

#endif
