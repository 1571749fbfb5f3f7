/* Every step needs large input, which comes from page-locked memory as fast as the link takes it,
 * and only then the kernels can start.
 * Expected: transfer/link-limited.
 * Threads: one. */
#include "gpu.h"
#include "step.h"

#define COPY_BYTES (256 << 20)

int main(void)
{
    if (gpu_init())
        return 1;
    void *device = gpu_alloc(COPY_BYTES), *host = gpu_host_alloc(COPY_BYTES);
    while (step_more()) {
        gpu_upload_async(device, host, COPY_BYTES, NULL);
        step_run(5, STEP_MS);
        gpu_sync();
    }
    return 0;
}
