/* The host waits for every kernel before it prepares the next one.
 * Expected: host/explicit-sync.
 * Threads: one. */
#include "gpu.h"
#include "step.h"

int main(void)
{
    if (gpu_init())
        return 1;
    while (step_more()) {
        step_run(1, STEP_MS);
        gpu_sync();
        step_burn(STEP_MS / 2);
    }
    return 0;
}
