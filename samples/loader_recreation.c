/* The loader is built anew for every short epoch: its processes start, import and read their index
 * before the first batch comes.
 * Expected: data-loading/loader-recreation.
 * Threads: one; two worker processes an epoch. */
#include "crew.h"
#include "gpu.h"
#include "step.h"

#define BATCH_BYTES (1 << 20)
#define BATCHES     10 /* an epoch */
#define START_NS    (250 * STEP_MS)

static void work(void)
{
    step_burn(START_NS);
    for (int i = 0; i < BATCHES; i++)
        crew_send();
    step_burn(60 * 1000 * STEP_MS); /* until it is ended */
}

int main(void)
{
    if (gpu_init())
        return 1;
    void *device = gpu_alloc(BATCH_BYTES), *batch = gpu_host_alloc(BATCH_BYTES);
    while (step_more()) {
        if (crew_start(2, work))
            return 1;
        for (int i = 0; i < BATCHES; i++) {
            crew_wait();
            gpu_upload_async(device, batch, BATCH_BYTES, NULL);
            step_run(20, STEP_MS);
            gpu_sync();
        }
        crew_end();
    }
    return 0;
}
