/* Every step needs large input, the next part of what lies in page-locked memory, which comes as
 * fast as the link takes it, and only then the kernels can start.
 * Expected: transfer/link-limited.
 * Threads: one. */
#include "gpu.h"
#include "step.h"

#define COPY_BYTES (256 << 20)
#define PARTS      1024
#define PART_BYTES 4096

int main(void)
{
    if (gpu_init())
        return 1;
    void *device = gpu_alloc(COPY_BYTES);
    char *host = gpu_host_alloc(COPY_BYTES + PARTS * PART_BYTES);
    for (int step = 0; step_more(); step++) {
        gpu_upload_async(device, host + step % PARTS * PART_BYTES, COPY_BYTES, NULL);
        step_run(5, STEP_MS);
        gpu_sync();
    }
    return 0;
}
