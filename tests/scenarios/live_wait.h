/* Real waits for the live player: the launching thread truly blocks, in the system call that the
 * timeline names, until somebody else wakes it.
 * Threads: the launching thread only; the waker is a child process or a thread of its own. */
#ifndef WI_LIVE_WAIT_H
#define WI_LIVE_WAIT_H

#include "timeline.h"

/* Starts the child processes that `side workers` tells of, or one that only wakes; call it before
 * CUDA is touched. Returns 0 or -1. */
int live_wait_start(const struct tl_side *side);
/* NULL if this kind of wait can be played for real, else the reason why not. */
const char *live_wait_problem(enum tl_how how);
/* Blocks for ns. */
void live_wait(enum tl_how how, int64_t ns);
/* Ends the children. */
void live_wait_stop(void);

#endif
