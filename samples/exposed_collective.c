/* Gradients are summed over the ranks after the backward pass, not beside it: the device does
 * nothing else meanwhile.
 * Expected: communication/exposed-collective.
 * Threads: one. */
#include "gpu.h"
#include "step.h"

#define BLOCK 256

int main(void)
{
    if (gpu_init())
        return 1;
    while (step_more()) {
        step_run(6, STEP_MS);
        gpu_spin(GPU_SPIN_COLLECTIVE, 4 * STEP_MS, (unsigned)gpu_sms() / 4, BLOCK, NULL);
        gpu_sync();
    }
    return 0;
}
