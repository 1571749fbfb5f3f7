/* Work is queued in time, but the stream waits in the middle for a function on the host.
 * Expected: unknown/device-dependency.
 * Threads: the launching thread; the driver's thread runs the function. */
#include <stddef.h>

#include "gpu.h"
#include "pace.h"
#include "step.h"

static void hold(void *unused)
{
    (void)unused;
    pace_sleep_until(pace_now() + 4 * STEP_MS);
}

int main(void)
{
    if (gpu_init())
        return 1;
    while (step_more()) {
        for (int i = 0; i < 5; i++) {
            step_run(5, STEP_MS);
            gpu_host_function(NULL, hold, NULL);
        }
        gpu_sync();
    }
    return 0;
}
