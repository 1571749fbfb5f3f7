/* A model made of tiny kernels: the host needs about 80 us of CPU before each launch, the GPU a
 * few microseconds for the kernel.
 * Expected: small-batch/launch-bound.
 * Threads: one. */
#include <stdio.h>

#include "gpu.h"
#include "pace.h"

#define STEPS     30
#define LAUNCHES  1000
#define HOST_NS   80000
#define KERNEL_NS 12000
#define BLOCK     256

int main(void)
{
    if (gpu_init())
        return 1;
    for (int step = 0; step < STEPS; step++) {
        for (int i = 0; i < LAUNCHES; i++) {
            pace_burn_until(pace_now() + HOST_NS);
            gpu_spin(GPU_SPIN, KERNEL_NS, gpu_full_grid(), BLOCK, NULL);
        }
        gpu_sync();
    }
    printf("demo_launch: %d launches\n", STEPS * LAUNCHES);
    return 0;
}
