/* A tiny copy waits for the kernel before it, and so the host cannot prepare the next one
 * meanwhile.
 * Expected: transfer/blocking-copy.
 * Threads: one. */
#include "gpu.h"
#include "step.h"

#define COPY_BYTES 4096

int main(void)
{
    if (gpu_init())
        return 1;
    void *device = gpu_alloc(COPY_BYTES), *host = gpu_host_alloc(COPY_BYTES);
    while (step_more()) {
        step_run(1, 4 * STEP_MS);
        step_burn(STEP_MS * 3 / 2);
        gpu_upload(device, host, COPY_BYTES);
        step_burn(STEP_MS * 3 / 2);
    }
    return 0;
}
