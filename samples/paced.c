/* A loop that keeps a rate: ten steps a second, each of 20 ms, and sleep until the next is due.
 * Expected: no-work/paced.
 * Threads: one. */
#include "gpu.h"
#include "pace.h"
#include "step.h"

#define PERIOD_NS (100 * STEP_MS)

int main(void)
{
    if (gpu_init())
        return 1;
    for (int64_t due = pace_now(); step_more(); due += PERIOD_NS) {
        pace_sleep_until(due);
        step_run(20, STEP_MS);
        gpu_sync();
    }
    return 0;
}
