/* What most samples share: a run of fixed length, and a step of kernels that fill the device.
 * Threads: the launching thread. */
#ifndef WI_SAMPLES_STEP_H
#define WI_SAMPLES_STEP_H

#include <stdint.h>

#define STEP_MS 1000000LL /* ns */

/* 1 until two seconds after its first call. */
int step_more(void);
/* Queues `count` kernels of ns each that fill the device, on the default stream. */
void step_run(int count, int64_t ns);
/* Uses the CPU for ns. */
void step_burn(int64_t ns);

#endif
