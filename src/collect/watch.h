/* A look at the machine: children of the job, cores, quota, threads, storage, the device's own
 * figures. What each part sees is in watch_parts.h, nvml.h and watch_waits.h.
 * Threads: the helper. May not: use privileges; write 0 for what it cannot see. */
#ifndef WI_COLLECT_WATCH_H
#define WI_COLLECT_WATCH_H

#include <stdint.h>

/* Takes one sample and feeds it to the engine; the first call only sets the base. */
void wi_watch_sample(void);
/* Takes the looks between two samples that are due, at most ten a second. */
void wi_watch_tick(int64_t now_ns);

#endif
