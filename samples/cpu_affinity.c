/* The job is bound to one core, which its loader processes use as well, while others are free.
 * Expected: data-loading/cpu-affinity, on a machine with eight cores or more.
 * Threads: one; two worker processes. */
#include <sched.h>

#include "crew.h"
#include "gpu.h"
#include "step.h"

static void work(void)
{
    for (;;)
        step_burn(STEP_MS);
}

int main(void)
{
    cpu_set_t one;

    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    if (sched_setaffinity(0, sizeof(one), &one) || crew_start(2, work) || gpu_init())
        return 1;
    while (step_more()) {
        step_burn(3 * STEP_MS);
        step_run(2, STEP_MS);
        gpu_sync();
    }
    crew_end();
    return 0;
}
