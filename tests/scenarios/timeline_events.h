/* A block as the events that whyidle would have collected from such a job.
 * Threads: one. May not: write anything that only the truth knows (tags, uf, trial). */
#ifndef WI_TIMELINE_EVENTS_H
#define WI_TIMELINE_EVENTS_H

#include "model/event.h"
#include "model/names.h"
#include "timeline.h"

/* Gets every event in the order of wi_event_time(); rank is the index in the block. */
typedef void (*tl_event_sink)(void *ctx, int rank, const struct wi_event *event);

/* names gets the names the events refer to. Returns 0, or -1 with the reason on stderr. */
int tl_events(const struct tl_block *block, int64_t max_loops, struct wi_names *names,
              tl_event_sink sink, void *ctx);

#endif
