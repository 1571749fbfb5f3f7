/* Steps as the job's own ranges and marks give them (NVTX): which of their names is the loop's.
 *
 * A name may be the step if it recurs over most of the window on a thread that issues device work.
 * A name that calls itself a step (step_words.def) is believed; of several the one that covers most
 * of the time, so that the validation of an epoch does not stand for the training. Other names must
 * recur evenly and often, and count only where the launches alone show no steps.
 * Threads: the engine's. Plain data, fixed size. May not: allocate. */
#ifndef WI_ANALYZE_MARKS_H
#define WI_ANALYZE_MARKS_H

#include <stdint.h>

#include "analyze/steps.h"
#include "model/event.h"

#define WI_MARK_SLOTS 64u /* names that are followed, the first ones seen */

struct wi_mark {
    uint32_t name, thread;
    uint8_t named;     /* 1: its name says that it is a step */
    int64_t inside_ns; /* all of its ranges together */
    struct wi_recurrence seen;
};

struct wi_marks {
    uint32_t count;
    struct wi_mark slots[WI_MARK_SLOTS];
};

/* One range (or mark, of no length) of the job; text: its name. Ranges of one name and thread come
 * in order of their start. */
void wi_marks_add(struct wi_marks *marks, const struct wi_host_span *span, const char *text);
/* The recurrence that is the step, NULL if none: named != 0, among the names that say so; else
 * among the others. issues(user, thread): does this thread issue device work? */
const struct wi_recurrence *wi_marks_step(const struct wi_marks *marks, int named,
                                          int64_t window_ns,
                                          int (*issues)(const void *user, uint32_t thread),
                                          const void *user);
/* 1 if a range of this name says that it is one step of a loop. */
int wi_mark_names_step(const char *text);

#endif
