/* A thin look at the machine: children of the job, cores, quota, the device's own utilisation.
 * Threads: the helper, once a second. May not: use privileges; write 0 for what it cannot see. */
#ifndef WI_COLLECT_WATCH_H
#define WI_COLLECT_WATCH_H

/* Takes one sample and feeds it to the engine; the first call only sets the base. */
void wi_watch_sample(void);

#endif
