/* A run of fixed length, and a step, see step.h.
 * Threads: the launching thread. */
#include "gpu.h"
#include "pace.h"
#include "step.h"

#define RUN_NS 2000000000LL
#define BLOCK  256

int step_more(void)
{
    static int64_t end;

    if (!end)
        end = pace_now() + RUN_NS;
    return pace_now() < end;
}

void step_run(int count, int64_t ns)
{
    for (int i = 0; i < count; i++)
        gpu_spin(GPU_SPIN, ns, gpu_full_grid(), BLOCK, NULL);
}

void step_burn(int64_t ns)
{
    pace_burn_until(pace_now() + ns);
}
