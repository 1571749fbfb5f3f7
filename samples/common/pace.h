/* Time and CPU for the samples and the live player: now, sleeping, and burning CPU.
 * Threads: any. */
#ifndef WI_SAMPLES_PACE_H
#define WI_SAMPLES_PACE_H

#include <stdint.h>
#include <sys/types.h>

/* CLOCK_MONOTONIC in ns. */
int64_t pace_now(void);
/* Uses the CPU until then. */
void pace_burn_until(int64_t until_ns);
void pace_sleep_until(int64_t until_ns);
/* Ends a child and waits for it. */
void pace_end_child(pid_t child);

#endif
