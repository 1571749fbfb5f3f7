/* Shorter versions of a block for runs in real time.
 * Threads: one. May not: change a time that decides something: only waits and CPU work beyond a
 * length are cut, and loops repeat less often; the truth of a run is taken from what was played. */
#ifndef WI_TIMELINE_CUT_H
#define WI_TIMELINE_CUT_H

#include "timeline.h"

struct tl_cut {
    int64_t loops;      /* of outermost loops at most, 0 = as written */
    int64_t inner;      /* of inner loops at most, 0 = as written */
    int64_t longest_ns; /* of one wait or stretch of CPU work, 0 = as written */
};

/* Inner loops and long waits; outermost loops are cut by whoever plays (tl_play). */
void tl_cut(struct tl_block *block, const struct tl_cut *cut);
/* The mildest cut with which the block takes a few seconds. */
struct tl_cut tl_choose_cut(const struct tl_block *block);
/* "5:10:1000", loops, inner loops, milliseconds; what is left out is 0. Returns 0 or -1. */
int tl_read_cut(struct tl_cut *cut, const char *text);

#endif
