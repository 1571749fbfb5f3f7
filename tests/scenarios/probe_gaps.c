/* Gaps of known length: after every kernel the thread waits for the device and then sleeps.
 * Prints "gaps N slept_ns N": what the device's idle time must come to, but for the latencies of
 * waking up and of launching.
 * Threads: one. */
#include <stdio.h>

#include "gpu.h"
#include "pace.h"

#define REPEATS   10
#define KERNEL_NS 2000000
#define BLOCK     256

int main(void)
{
    static const int64_t sleep_ns[] = {200000, 1000000, 5000000, 20000000, 50000000};
    int64_t slept_ns = 0;
    int gaps = 0;

    if (gpu_init())
        return 1;
    gpu_spin(GPU_SPIN, KERNEL_NS, gpu_full_grid(), BLOCK, NULL);
    for (int i = 0; i < REPEATS; i++) {
        for (size_t s = 0; s < sizeof(sleep_ns) / sizeof(sleep_ns[0]); s++) {
            gpu_sync();
            int64_t start = pace_now();

            pace_sleep_until(start + sleep_ns[s]);
            slept_ns += pace_now() - start;
            gpu_spin(GPU_SPIN, KERNEL_NS, gpu_full_grid(), BLOCK, NULL);
            gaps++;
        }
    }
    gpu_sync();
    printf("gaps %d slept_ns %lld\n", gaps, (long long)slept_ns);
    return 0;
}
