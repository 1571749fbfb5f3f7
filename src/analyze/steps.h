/* Steps, found without markers: the pairs of operations that recur once a step.
 *
 * Every operation has a signature (kernel name and grid, or kind and direction). A pair of
 * neighbours that comes once in each step (the last operation of one phase and the first of the
 * next) has as many occurrences as there are steps; many such pairs agree on that number, and no
 * other number has as many. The pair with the largest idle time before it marks the step's start.
 * Marks of the job itself (NVTX ranges, profiler steps) are used instead where there are any.
 * Threads: the engine's. Plain data, fixed size. May not: allocate. */
#ifndef WI_ANALYZE_STEPS_H
#define WI_ANALYZE_STEPS_H

#include <stdint.h>

#include "analyze/hist.h"
#include "analyze/result.h"

#define WI_PAIR_SLOTS 256u

struct wi_recurrence {
    uint64_t count;
    int64_t first_ns, last_ns;
    double ops_mean, ops_m2;     /* operations from one to the next */
    int64_t median_ns;           /* running estimate of the time from one to the next */
    int64_t idle_ns;             /* idle time right before it, summed */
    uint64_t outliers;           /* periods of more than STEP_OUTLIER_FACTOR medians */
    uint64_t last_outlier;       /* its ordinal */
    int64_t outlier_extra_ns;    /* their length beyond the median, summed */
    double every_mean, every_m2; /* ordinals from one outlier to the next */
    struct wi_hist periods;
};

struct wi_pair {
    uint64_t key; /* 0 = free */
    uint64_t last_op;
    struct wi_recurrence seen;
};

struct wi_step_finder {
    uint64_t ops;
    uint64_t latest; /* signature of the latest operation */
    uint32_t pairs;
    struct wi_pair table[WI_PAIR_SLOTS]; /* open addressing; full: new pairs are not followed */
    struct wi_recurrence marks;
};

/* An operation starts at start_ns after idle_ns of idle time. */
void wi_steps_op(struct wi_step_finder *finder, const struct wi_device_op *op, int64_t idle_ns);
/* A step as the job marked it starts. */
void wi_steps_mark(struct wi_step_finder *finder, int64_t start_ns);
/* The steps found; count 0 if none. named, other: what the job's own ranges say (marks.h), NULL if
 * nothing: the first goes before the pattern of the operations, the second behind it. window_ns: of
 * the device. */
struct wi_steps wi_steps_found(const struct wi_step_finder *finder,
                               const struct wi_recurrence *named, const struct wi_recurrence *other,
                               int64_t window_ns);
/* One more occurrence at start_ns, `ops` operations after the one before, idle_ns behind idle. */
void wi_recurrence_note(struct wi_recurrence *seen, int64_t start_ns, uint64_t ops,
                        int64_t idle_ns);
/* 1 if it recurs, and over enough of the window to be the loop's. */
int wi_recurrence_covers(const struct wi_recurrence *seen, int64_t window_ns);

#endif
