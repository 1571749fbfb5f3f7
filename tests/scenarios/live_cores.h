/* Cores taken away from the live player: by other processes, or by a quota of its group.
 * Threads: the launching thread only. */
#ifndef WI_LIVE_CORES_H
#define WI_LIVE_CORES_H

#include "timeline.h"

/* Starts as many spinning processes as leave the launching thread the share of a core that `side`
 * gives it. Returns 0 or -1. */
int live_cores_start(const struct tl_side *side);
/* 1 if the launching thread gets only a share of its core. */
int live_cores_shared(void);
/* CPU time of the launching thread: with it host work is paced while cores are shared. */
int64_t live_cpu_now(void);
/* Moves the process into a group of its own, without a quota as yet. Returns 0 or -1. */
int live_cores_enter(void);
/* Runs into a quota of the group until then. */
void live_cores_throttled(int64_t due_ns);
/* NULL if a quota can be set here, else the reason why not. */
const char *live_cores_problem(void);
/* Ends what was started and takes the quota away. */
void live_cores_stop(void);

#endif
