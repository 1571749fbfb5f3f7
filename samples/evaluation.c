/* Every few steps the CPU works out a metric, and the device waits; the stack shows it.
 * Expected: host/evaluation.
 * Threads: one. */
#include "gpu.h"
#include "step.h"

#define STEPS 5

/* Not inlined, so that the stack shows it. */
__attribute__((noinline)) void evaluate_metric(void)
{
    step_burn(60 * STEP_MS);
}

int main(void)
{
    if (gpu_init())
        return 1;
    while (step_more()) {
        for (int i = 0; i < STEPS; i++) {
            step_run(10, STEP_MS);
            gpu_sync();
        }
        evaluate_metric();
    }
    return 0;
}
