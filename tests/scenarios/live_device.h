/* Device work of the live player: buffers, copies, kernels.
 * Threads: the launching thread only. */
#ifndef WI_LIVE_DEVICE_H
#define WI_LIVE_DEVICE_H

#include "timeline.h"

/* NULL if the line can be played for real, else the reason why not. */
const char *live_device_problem(const struct tl_line *line);
/* Creates the context and every buffer and stream the program needs; on a real GPU also measures
 * how fast copies are. Returns 0, or -1 with the reason on stderr. */
int live_device_start(const struct tl_block *block);
/* A copy, kernels, a sync, allocations. */
void live_device_play(const struct tl_line *line);

#endif
