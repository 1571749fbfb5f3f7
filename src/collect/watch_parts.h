/* The parts of the look at the machine, see watch.h. Each fills its figures of a sample and leaves
 * WI_UNKNOWN what it cannot see.
 * Threads: the helper. May not: allocate. */
#ifndef WI_COLLECT_WATCH_PARTS_H
#define WI_COLLECT_WATCH_PARTS_H

#include "model/event.h"

/* watch_children.c: the processes that threads of this one have started. */
void wi_watch_children(struct wi_host_sample *sample, int64_t interval_ns);
/* Between two samples: the state of some of them. */
void wi_watch_children_tick(void);
/* The i-th child of the last sample, WI_UNKNOWN beyond the last one. */
int64_t wi_watch_child(int i);

/* CPU time of those of the last sample since the one before. */
int64_t wi_watch_children_cpu_ns(void);

/* Changes whenever a sample finds other children than the one before. */
unsigned wi_watch_children_version(void);

/* watch_cores.c: the cores of the machine and of the job, quota, run queue. */
void wi_watch_cores(struct wi_host_sample *sample, int64_t interval_ns);
/* Between two samples: the length of the run queue. */
void wi_watch_cores_tick(void);

/* watch_serving.c: whether requests are taken without anybody sleeping for them. */
void wi_watch_serving(struct wi_host_sample *sample, int64_t interval_ns);
/* Between two samples: whether a thread sleeps for a request. */
void wi_watch_serving_tick(void);

/* watch_threads.c: this process's other threads, its faults and what it reads. */
void wi_watch_threads(struct wi_host_sample *sample, int64_t interval_ns);

#endif
