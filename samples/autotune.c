/* At first 32 ways to run the kernel are tried out, each 25 times, as frameworks do that search for
 * the fastest; only then the job begins. Expected: warm-up/autotune. Threads: one. */
#include "gpu.h"
#include "step.h"

#define CANDIDATES 32
#define TRIALS     25

static void try_out(unsigned block, void *before, void *after)
{
    for (int i = 0; i < TRIALS; i++) {
        gpu_record(before, NULL);
        gpu_spin(GPU_SPIN, STEP_MS, 16 * gpu_full_grid(), block, NULL);
        gpu_record(after, NULL);
        gpu_await(after);
    }
}

int main(void)
{
    if (gpu_init())
        return 1;
    void *before = gpu_event(), *after = gpu_event();
    for (unsigned candidate = 1; step_more(); candidate++) {
        if (candidate <= CANDIDATES)
            try_out(32 * candidate, before, after);
        else
            step_run(20, STEP_MS);
        gpu_sync();
    }
    return 0;
}
