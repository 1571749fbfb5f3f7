/* Taking in what the job's threads and CUPTI have left: the entries of the rings, the buffers of
 * activity records, what was lost.
 * Threads: the helper, or the thread that ends the process. May not: call CUPTI, allocate. */
#ifndef WI_COLLECT_DRAIN_H
#define WI_COLLECT_DRAIN_H

#include <stddef.h>
#include <stdint.h>

#define WI_CROWDED_NS INT64_C(1000000) /* until the next drain when there was more than one took   \
                                        */
#define WI_EASY_NS INT64_C(25000000)   /* ...at most while calls come */

/* Takes in what rings and buffers hold, at most so many buffers. Returns 1 if it should be called
 * again soon. */
int wi_drain(int most_buffers);
/* 1 if the last drain found calls. */
int wi_drain_found(void);
/* How long the rings allow to rest after the last drain. */
int64_t wi_drain_rest(void);
/* CUPTI has dropped so many records. */
void wi_drain_dropped(size_t records);

#endif
