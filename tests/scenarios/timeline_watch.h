/* What a host watch would see of a timeline: spans of the launching thread and samples of the
 * machine, from the waits, the words of `cpu` lines and the `side` lines.
 * Threads: one. May not: use tags, or know what nobody could look up in a real job. */
#ifndef WI_TIMELINE_WATCH_H
#define WI_TIMELINE_WATCH_H

#include "model/event.h"
#include "model/names.h"
#include "timeline.h"

/* Of one rank: what has happened since the last sample. */
struct tl_watch {
    const struct tl_side *side;
    struct wi_names *names;
    int64_t silent_ns, runnable_ns, throttled_ns; /* of the launching thread */
    int64_t respawning_ns; /* of the pause in which the workers are started again */
    int64_t starts, exits;
    int64_t started; /* workers of this pause that have been started */
    int64_t last_look_ns;
};

void tl_watch_start(struct tl_watch *watch, const struct tl_side *side, struct wi_names *names);
/* The span of a wait or of CPU work in [a, b), without its thread. Returns 0 if none is seen. */
int tl_watch_span(struct tl_watch *watch, const struct tl_line *line, int64_t a, int64_t b,
                  struct wi_host_span *span);
/* The thread is in `line`, which lasts from a to b, during [from, to). */
void tl_watch_silence(struct tl_watch *watch, const struct tl_line *line, int64_t a, int64_t b,
                      int64_t from, int64_t to);
/* On-CPU and runnable time of a silence, as schedstat would tell. */
void tl_watch_schedule(const struct tl_watch *watch, const struct tl_line *line, int64_t ns,
                       int64_t *run_ns, int64_t *runnable_ns);
/* The sample of the interval since the last one. */
void tl_watch_sample(struct tl_watch *watch, int64_t at_ns, int64_t interval_ns,
                     struct wi_host_sample *sample);

#endif
