/* When in the run the time of a signature lies: in eight parts whose width doubles as the run goes
 * on, so that what recurs over the run is told from what happens once.
 * Threads: the engine's. Plain data, fixed size. May not: allocate. */
#ifndef WI_ANALYZE_SPREAD_H
#define WI_ANALYZE_SPREAD_H

#include <stdint.h>

#define WI_SPREAD_PARTS 8

struct wi_spread {
    int64_t from_ns;  /* start of the first part: of the device's window */
    int64_t width_ns; /* of each part; 0 before the first time */
    int64_t ns[WI_SPREAD_PARTS];
};

/* ns were charged at a time not before from_ns, which is the same for all of one signature. */
void wi_spread_add(struct wi_spread *spread, int64_t from_ns, int64_t at_ns, int64_t ns);
/* The share of the time that recurs in a run that ends at end_ns, -1 if there is no time: no part
 * of the run counts for more than a few times (limits.def: SPREAD_FACTOR) the middle one. */
double wi_spread_recurs(const struct wi_spread *spread, int64_t end_ns);

#endif
