/* The buffer of each copy is page-locked just for it.
 * Expected: transfer/pin-per-copy.
 * Threads: one. */
#include "gpu.h"
#include "step.h"

#define COPY_BYTES (16 << 20)

int main(void)
{
    if (gpu_init())
        return 1;
    void *device = gpu_alloc(COPY_BYTES);
    while (step_more()) {
        void *host = gpu_host_alloc(COPY_BYTES);
        gpu_upload_async(device, host, COPY_BYTES, NULL);
        step_run(4, STEP_MS);
        gpu_sync();
        gpu_host_free(host);
    }
    return 0;
}
