/* The loader processes have batches enough, but look at their queue only every few ms: each batch
 * comes a little late.
 * Expected: data-loading/worker-hand-off.
 * Threads: one; one worker process, which sleeps. */
#include "crew.h"
#include "gpu.h"
#include "pace.h"
#include "step.h"

#define BATCH_BYTES (1 << 20)
#define LOOK_NS     (6 * STEP_MS)

static void work(void)
{
    for (;;) {
        pace_sleep_until(pace_now() + LOOK_NS);
        crew_send();
    }
}

int main(void)
{
    if (crew_start(1, work) || gpu_init())
        return 1;
    void *device = gpu_alloc(BATCH_BYTES), *batch = gpu_host_alloc(BATCH_BYTES);
    while (step_more()) {
        crew_wait();
        gpu_upload_async(device, batch, BATCH_BYTES, NULL);
        step_run(2, STEP_MS);
        gpu_sync();
    }
    crew_end();
    return 0;
}
