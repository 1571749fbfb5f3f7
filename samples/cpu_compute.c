/* Between two steps on the device the launching thread computes.
 * Expected: host/cpu-compute.
 * Threads: one. */
#include "gpu.h"
#include "step.h"

int main(void)
{
    if (gpu_init())
        return 1;
    while (step_more()) {
        step_run(10, STEP_MS);
        gpu_sync();
        step_burn(8 * STEP_MS);
    }
    return 0;
}
