/* Worker processes of the live player: real children that compute or read from storage, the first
 * of which also hands the batch over through a pipe.
 * Threads: the launching thread only. */
#ifndef WI_LIVE_WORKERS_H
#define WI_LIVE_WORKERS_H

#include "timeline.h"

/* Starts what `side workers` tells of, or one that only hands over; before CUDA is touched.
 * Returns 0 or -1. */
int live_workers_start(const struct tl_side *side);
/* The first worker writes a byte at that time... */
void live_workers_ask(int64_t due_ns);
/* ...into this descriptor; it does not block reads if that was asked for. */
int live_workers_fd(void);
/* Ends all workers and starts new ones, one after the other, the last of which is ready then. */
void live_workers_renew(int64_t due_ns);
void live_workers_stop(void);
/* NULL if the workers can be had here, else the reason why not. */
const char *live_workers_problem(const struct tl_side *side);
/* An unlinked file with bytes in it for direct reads and writes, -1 if that is not possible. */
int live_scratch_file(void);
#define LIVE_SCRATCH_BYTES (64 << 20)
/* Reads at random places of it for that long. */
void live_read_until(int fd, int64_t until_ns);
/* Cores this process may use. */
int live_cores(void);

#endif
