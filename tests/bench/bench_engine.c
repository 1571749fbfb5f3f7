/* The engine alone: events per second and memory over a long run of a plain training loop.
 *   bench_engine [LAUNCHES [bare]]     prints lines "name value unit"; bare: no stretches of the
 * run are kept for predictions, as where there was no memory for them Threads: one. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "analyze/engine.h"
#include "analyze/engine_state.h"
#include "analyze/result.h"

static double clock_s(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* What keeps the device idle once a step, so that a report has three fixes to predict, alone and
 * together: 2 ms of the thread's own work, then an allocation of 2 ms. Returns the time after it.
 */
static int64_t idle_part(struct wi_engine *engine, uint32_t alloc, int64_t at)
{
    struct wi_host_call call = {.enter_ns = at + 2000000,
                                .exit_ns = at + 4000000,
                                .run_ns = 2000000,
                                .runnable_ns = 0,
                                .thread = 1,
                                .api = alloc,
                                .api_class = WI_API_ALLOC};
    wi_engine_call(engine, &call);
    return at + 4000000;
}

/* 1000 calls a step, 20 us apart: a copy of 1 MiB that blocks for 2 ms, then launches of kernels of
 * 15 us. */
static void feed(struct wi_engine *engine, struct wi_names *names, long launches)
{
    uint32_t launch = wi_names_str(names, "cudaLaunchKernel");
    uint32_t alloc = wi_names_str(names, "cudaMalloc");
    uint32_t kernel[8];
    for (int i = 0; i < 8; i++)
        kernel[i] = wi_names_intern(names, "kernel 0123456", (size_t)(7 + i));
    int64_t at = 0;
    for (long i = 0; i < launches; i++, at += 20000) {
        at = i % 1000 == 0 ? idle_part(engine, alloc, at) : at;
        struct wi_host_call call = {.enter_ns = at,
                                    .exit_ns = at + 4000,
                                    .run_ns = WI_UNKNOWN,
                                    .runnable_ns = WI_UNKNOWN,
                                    .corr = (uint64_t)i + 1,
                                    .thread = 1,
                                    .api = launch,
                                    .api_class = WI_API_LAUNCH,
                                    .flags = WI_CALL_OWES};
        struct wi_device_op op = {.start_ns = at + 4000,
                                  .end_ns = at + 19000,
                                  .corr = call.corr,
                                  .grid = {256, 1, 1},
                                  .block = {256, 1, 1},
                                  .name = kernel[i % 8],
                                  .kind = WI_OP_KERNEL};
        if (i % 1000 == 0) {
            call.api_class = WI_API_COPY;
            op.kind = WI_OP_COPY;
            op.direction = WI_COPY_H2D;
            op.bytes = call.bytes = 1 << 20;
            op.src_mem = WI_MEM_PAGEABLE;
            call.flags |= WI_CALL_BLOCKING;
            op.end_ns = at + 2000000;
            call.exit_ns = at += 2001000;
        }
        wi_engine_call(engine, &call);
        wi_engine_op(engine, &op);
        if (i % 500 == 499) /* the collector's rhythm: every 10 ms */
            wi_engine_advance(engine, at);
    }
}

int main(int argc, char **argv)
{
    long launches = argc > 1 ? atol(argv[1]) : 2000000;
    struct wi_names *names = wi_names_create((size_t)1 << 20);
    struct wi_engine_config config = {.names = names};
    struct wi_engine *engine = wi_engine_create(&config);
    struct wi_arena arena;
    struct wi_result result;
    wi_arena_init(&arena, (size_t)16 << 20);
    if (!engine || launches <= 0)
        return 2;
    if (argc > 2)
        engine->calls.reservoir.records = NULL;
    double start = clock_s(CLOCK_MONOTONIC), start_cpu = clock_s(CLOCK_PROCESS_CPUTIME_ID);
    feed(engine, names, launches);
    wi_engine_finish(engine);
    double fed = clock_s(CLOCK_MONOTONIC), fed_cpu = clock_s(CLOCK_PROCESS_CPUTIME_ID);
    if (wi_engine_result(engine, &arena, &result) != 0)
        return 1;
    double made = clock_s(CLOCK_MONOTONIC);
    printf("engine_events_per_second %.3f million\n", (double)launches * 2 / (fed - start) / 1e6);
    printf("engine_cpu %.3f ms\n", (fed_cpu - start_cpu) * 1e3);
    printf("engine_result %.3f ms\n", (made - fed) * 1e3);
    printf("engine_predictions %d count\n", result.prediction_count);
    printf("engine_together %d count\n", result.together_count);
    printf("engine_replayed %llu calls\n", (unsigned long long)result.replay.calls);
    printf("engine_memory %.1f MiB\n", (double)result.engine_bytes / 1048576);
    printf("engine_launches %ld count\n", launches);
    wi_arena_free(&arena);
    wi_engine_free(engine);
    wi_names_free(names);
    return 0;
}
