/* What threads that call CUDA wait for between their calls: spans from looks at them.
 * Threads: the helper, or the thread that ends the process when it is parked. May not: allocate.
 *
 * A thread is looked at from 4 ms of silence on, a hundred times a second at first, ten times when
 * the silence lasts, and less often where the governor says so (sampling.h). */
#ifndef WI_COLLECT_WATCH_WAITS_H
#define WI_COLLECT_WATCH_WAITS_H

#include <stdint.h>

/* Takes the looks that are due and feeds their spans; how long until the next one, INT64_MAX for
 * none. */
int64_t wi_watch_waits(int64_t now_ns);
/* A recorded call, before it is fed: ends the silence before it. */
void wi_watch_call(uint32_t thread, int64_t enter_ns, int64_t exit_ns);
/* The thread with most calls since the last time this was asked; WI_UNKNOWN without any. */
int64_t wi_watch_issuer(void);

#endif
