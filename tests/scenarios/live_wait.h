/* Real waits for the live player: the launching thread truly blocks, in the system call that the
 * timeline names, until somebody else wakes it.
 * Threads: the launching thread only; whoever wakes it is a process or a thread of its own. */
#ifndef WI_LIVE_WAIT_H
#define WI_LIVE_WAIT_H

#include "timeline.h"

/* Starts the processes and threads that the block tells of; before CUDA is touched. 0 or -1. */
int live_wait_start(const struct tl_block *block);
/* NULL if every wait of the block can be played for real, else the reason why not. */
const char *live_wait_problem(const struct tl_block *block);
/* A wait or CPU work. */
void live_wait(const struct tl_line *line);
/* Ends the processes. */
void live_wait_stop(void);

#endif
