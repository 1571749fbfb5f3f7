/* A loop that sends its activations to ordinary memory and fetches them back, and reads a loss
 * from the GPU in every step: the copies are asynchronous by name only.
 * Expected: transfer/pageable-copy first; the read-back is the smaller part.
 * Threads: one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"

#define STEPS      100
#define COPY_BYTES (24u << 20)
#define KERNELS    20
#define KERNEL_NS  500000
#define BLOCK      256

int main(void)
{
    float loss = 0;

    if (gpu_init())
        return 1;
    void *device = gpu_alloc(COPY_BYTES);
    char *host = malloc(COPY_BYTES);
    memset(host, 1, COPY_BYTES);
    for (int step = 0; step < STEPS; step++) {
        gpu_upload_async(device, host, COPY_BYTES, NULL);
        for (int i = 0; i < KERNELS; i++)
            gpu_spin(GPU_SPIN, KERNEL_NS, gpu_full_grid(), BLOCK, NULL);
        gpu_download_async(host, device, COPY_BYTES, NULL);
        gpu_download(&loss, device, sizeof(loss));
    }
    printf("demo_pageable: %d steps\n", STEPS);
    return 0;
}
