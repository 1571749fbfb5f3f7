/* Device code is loaded again and again, as by a compiler whose cache does not hold.
 * Expected: warm-up/module-load.
 * Threads: one. */
#include "gpu.h"
#include "step.h"

int main(void)
{
    if (gpu_init())
        return 1;
    while (step_more()) {
        gpu_load_code();
        step_run(20, STEP_MS);
        gpu_sync();
    }
    return 0;
}
