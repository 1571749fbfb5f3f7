/* The launching thread prepares every batch itself before it copies it: no loader works ahead.
 * Expected: data-loading/decode-in-main-thread.
 * Threads: one. */
#include "gpu.h"
#include "pace.h"
#include "step.h"

#define BATCH_BYTES (1 << 20)
#define DECODE_NS   (20 * STEP_MS)

static void decode(unsigned char *batch)
{
    unsigned seed = 1;

    for (int64_t end = pace_now() + DECODE_NS; pace_now() < end;)
        for (int i = 0; i < BATCH_BYTES; i++)
            batch[i] = (unsigned char)((seed = seed * 1664525 + 1013904223) >> 24);
}

int main(void)
{
    if (gpu_init())
        return 1;
    void *device = gpu_alloc(BATCH_BYTES);
    unsigned char *batch = gpu_host_alloc(BATCH_BYTES);
    while (step_more()) {
        decode(batch);
        gpu_upload_async(device, batch, BATCH_BYTES, NULL);
        step_run(10, STEP_MS);
        gpu_sync();
    }
    return 0;
}
