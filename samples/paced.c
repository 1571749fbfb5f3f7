/* A loop that keeps a rate: 30 steps a second, each of 10 ms, and sleep until the next is due.
 * Expected: no-work/paced.
 * Threads: one. */
#include "gpu.h"
#include "pace.h"
#include "step.h"

#define PERIOD_NS (1000 * STEP_MS / 30)

int main(void)
{
    if (gpu_init())
        return 1;
    for (int64_t due = pace_now(); step_more(); due += PERIOD_NS) {
        pace_sleep_until(due);
        step_run(10, STEP_MS);
        gpu_sync();
    }
    return 0;
}
