/* A loop that keeps the GPU busy: large kernels, input in page-locked memory, copied ahead on a
 * stream of its own, one wait a step with the next step already queued.
 * Expected: compute above 95 %, no stall worth a verdict.
 * Threads: one. */
#include <stdio.h>
#include <string.h>

#include "gpu.h"

#define STEPS       60
#define BATCH_BYTES (8u << 20)
#define KERNELS     50
#define KERNEL_NS   1000000
#define BLOCK       256

int main(void)
{
    if (gpu_init())
        return 1;
    void *device = gpu_alloc(BATCH_BYTES), *copies = gpu_stream();
    char *host = gpu_host_alloc(BATCH_BYTES);
    memset(host, 1, BATCH_BYTES);
    for (int step = 0; step < STEPS; step++) {
        gpu_upload_async(device, host, BATCH_BYTES, copies);
        for (int i = 0; i < KERNELS; i++)
            gpu_spin(GPU_SPIN, KERNEL_NS, gpu_full_grid(), BLOCK, NULL);
    }
    gpu_sync();
    printf("demo_healthy: %d steps\n", STEPS);
    return 0;
}
