/* What one kernel launch costs the calling thread: run it bare and under the preload.
 * Prints "median_ns N best_ns N launches N"; the rounds are short enough that no queue fills.
 * Threads: one. */
#include <stdio.h>
#include <stdlib.h>

#include "gpu.h"
#include "pace.h"

#define ROUNDS    60
#define LAUNCHES  400
#define KERNEL_NS 1000
#define BLOCK     64

static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return x < y ? -1 : x > y;
}

int main(void)
{
    int64_t per_launch[ROUNDS];

    if (gpu_init())
        return 1;
    for (int round = -1; round < ROUNDS; round++) {
        int64_t start = pace_now();

        for (int i = 0; i < LAUNCHES; i++)
            gpu_spin(GPU_SPIN, KERNEL_NS, 1, BLOCK, NULL);
        /* The first round pays for what only happens once. */
        if (round >= 0)
            per_launch[round] = (pace_now() - start) / LAUNCHES;
        gpu_sync();
    }
    qsort(per_launch, ROUNDS, sizeof(per_launch[0]), by_value);
    printf("median_ns %lld best_ns %lld launches %d\n", (long long)per_launch[ROUNDS / 2],
           (long long)per_launch[0], ROUNDS * LAUNCHES);
    return 0;
}
