/* What the device did over time: at most 512 buckets whose width doubles, and the collectives by
 * ordinal, so that ranks can be compared later.
 * Threads: the engine's. Plain data, fixed size. May not: allocate. */
#ifndef WI_ANALYZE_SERIES_H
#define WI_ANALYZE_SERIES_H

#include <stdint.h>

#include "analyze/result.h"

/* Adds [start_ns, end_ns) to one kind of the series; the first call sets the origin. */
void wi_series_add(struct wi_series *series, enum wi_series_kind kind, int64_t start_ns,
                   int64_t end_ns);

#define WI_COLLECTIVE_SLOTS 32u

struct wi_collectives {
    uint32_t count;
    uint64_t dropped; /* collectives of streams beyond the table */
    struct wi_collective_row rows[WI_COLLECTIVE_SLOTS];
};

/* Counts a collective; keeps its duration if its ordinal is a multiple of the row's step. When a
 * row is full every second one goes and the step doubles: all ranks keep the same ordinals. */
void wi_collectives_add(struct wi_collectives *collectives, const struct wi_device_op *op);

#endif
