/* A job of launches with a fixed amount of its own work between them: what a tool costs in wall
 * time shows in full, since nothing waits for a clock. On the virtual or a real GPU.
 *   bench_launches --calibrate          prints "rounds_per_ms N count": its work in a millisecond
 *   bench_launches LAUNCHES ROUNDS      prints "loop N ns": all launches, work and the last wait
 * Threads: one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "pace.h"

#define KERNEL_NS        1000
#define BLOCK            64
#define CALIBRATE_ROUNDS 20000000L
#define CALIBRATIONS     5

/* Arithmetic that waits for its own result: the same time wherever it stands. */
static uint64_t work(uint64_t value, long rounds)
{
    for (long i = 0; i < rounds; i++)
        value = value * 6364136223846793005u + 1442695040888963407u;
    return value;
}

/* Of several the fastest, which nothing disturbed. */
static int calibrate(void)
{
    int64_t best = INT64_MAX;
    uint64_t value = 1;

    for (int i = 0; i < CALIBRATIONS; i++) {
        int64_t start = pace_now();

        value = work(value, CALIBRATE_ROUNDS);
        int64_t took = pace_now() - start;
        best = took < best ? took : best;
    }
    if (!value)
        return 1;
    printf("rounds_per_ms %.0f count\n", (double)CALIBRATE_ROUNDS * 1e6 / (double)best);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 2 && !strcmp(argv[1], "--calibrate"))
        return calibrate();
    if (argc != 3)
        return 2;
    long launches = atol(argv[1]), rounds = atol(argv[2]);
    uint64_t value = 1;

    if (gpu_init())
        return 1;
    gpu_spin(GPU_SPIN, KERNEL_NS, 1, BLOCK, NULL); /* what only the first launch costs */
    gpu_sync();
    int64_t start = pace_now();
    for (long i = 0; i < launches; i++) {
        value = work(value, rounds);
        gpu_spin(GPU_SPIN, KERNEL_NS, 1, BLOCK, NULL);
    }
    gpu_sync();
    printf("loop %lld ns\n", (long long)(pace_now() - start));
    return value == 0;
}
