/* A long start-up for a short run: the context, and then the job's own preparations before the
 * device gets its first work.
 * Expected: warm-up/first-touch.
 * Threads: one. */
#include "gpu.h"
#include "step.h"

int main(void)
{
    if (gpu_init())
        return 1;
    step_burn(500 * STEP_MS);
    while (step_more()) {
        step_run(20, STEP_MS);
        gpu_sync();
    }
    return 0;
}
