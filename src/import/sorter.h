/* Sorts any number of events in bounded memory: sorted runs go to a temporary file and are merged.
 * Threads: one at a time. May use: malloc, a temporary file.
 * Order: timeless events, then by wi_event_time(); at equal times spans, calls, operations; at
 * equal kinds the longer first, so that what encloses comes before what is nested; then as given.
 */
#ifndef WI_IMPORT_SORTER_H
#define WI_IMPORT_SORTER_H

#include "import/import.h"
#include "model/event.h"

struct wi_sorter;

/* run_events are held in memory at once, 0 = as many as fit in 21 MiB with all that sorting and
 * merging need. NULL if there is no memory. */
struct wi_sorter *wi_sorter_create(uint32_t run_events);
void wi_sorter_free(struct wi_sorter *sorter);
/* 0, WI_ERR_NOMEM or WI_ERR_IO (errno tells more). */
int wi_sorter_add(struct wi_sorter *sorter, const struct wi_event *event);
/* Gives everything that was added to sink, once; its first non-zero answer ends it. Gives nothing
 * and returns WI_ERR_RANGE if the times lie years apart: sums over devices could overflow. */
int wi_sorter_drain(struct wi_sorter *sorter, wi_event_sink sink, void *user);

#endif
