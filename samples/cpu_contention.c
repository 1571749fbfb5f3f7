/* Another job takes the cores, and this one is the less important: its launching thread is ready
 * to run and does not get to.
 * Expected: host/cpu-contention.
 * Threads: one; a process for every core. */
#include <sys/resource.h>
#include <unistd.h>

#include "crew.h"
#include "gpu.h"
#include "step.h"

#define LESS_IMPORTANT 10

static void work(void)
{
    for (;;)
        step_burn(STEP_MS);
}

int main(void)
{
    int cores = (int)sysconf(_SC_NPROCESSORS_ONLN);

    if (crew_start(cores < 64 ? cores : 64, work) || gpu_init())
        return 1;
    setpriority(PRIO_PROCESS, 0, LESS_IMPORTANT);
    while (step_more()) {
        step_run(5, STEP_MS);
        gpu_sync();
        step_burn(3 * STEP_MS);
    }
    crew_end();
    return 0;
}
