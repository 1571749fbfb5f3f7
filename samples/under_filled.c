/* Half of the time a kernel of four blocks runs, on a device with room for hundreds.
 * Expected: small-batch/under-filled.
 * Threads: one. */
#include "gpu.h"
#include "step.h"

int main(void)
{
    if (gpu_init())
        return 1;
    while (step_more()) {
        for (int i = 0; i < 5; i++)
            gpu_spin(GPU_SPIN_THIN, STEP_MS, 4, 128, NULL);
        step_run(5, STEP_MS);
        gpu_sync();
    }
    return 0;
}
