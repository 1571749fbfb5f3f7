/* A debugging switch was left on: every launch returns only after its kernel. The virtual GPU does
 * not know the switch.
 * Expected, on hardware: host/debug-switch.
 * Threads: one. */
#include <stdlib.h>

#include "gpu.h"
#include "step.h"

int main(void)
{
    if (setenv("CUDA_LAUNCH_BLOCKING", "1", 1) || gpu_init())
        return 1;
    while (step_more()) {
        for (int i = 0; i < 20; i++) {
            step_burn(STEP_MS / 20);
            step_run(1, STEP_MS / 10);
        }
        gpu_sync();
    }
    return 0;
}
