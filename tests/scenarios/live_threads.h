/* Other threads of the live player's process: a producer that wakes the launching thread, the
 * holder of a lock, and threads that compute while the launching thread does.
 * Threads: the launching thread calls. */
#ifndef WI_LIVE_THREADS_H
#define WI_LIVE_THREADS_H

#include "timeline.h"

/* Remembers what `side` lines tell of threads; they start when they are first needed, the busy
 * producer at once. Returns 0 or -1. */
int live_threads_start(const struct tl_block *block);
/* Asleep on a condition until the producer, which may work meanwhile, signals it. */
void live_thread_wait(int64_t due_ns);
/* Asleep on a mutex that another thread holds while it gives memory back. */
void live_thread_lock(int64_t due_ns);
/* Computes until then, and with it the threads that `side` tells of. */
void live_thread_compute(int64_t due_ns);

#endif
