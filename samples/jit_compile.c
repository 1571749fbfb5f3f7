/* Each step comes with code of its own, as where shapes change and each is compiled for.
 * Expected: warm-up/jit-compile.
 * Threads: one. */
#include "gpu.h"
#include "step.h"

int main(void)
{
    if (gpu_init())
        return 1;
    while (step_more()) {
        gpu_compile_code();
        step_run(20, STEP_MS);
        gpu_sync();
    }
    return 0;
}
