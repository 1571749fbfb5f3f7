/* A small language for engine tests: calls and operations in microseconds, one name table, and the
 * shares of the result in microseconds.
 * Threads: the test's. */
#ifndef WI_TESTS_ENGINE_FIXTURE_H
#define WI_TESTS_ENGINE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyze/engine.h"
#include "analyze/result.h"
#include "base/attr.h"
#include "base/arena.h"

#define US 1000
#define MS 1000000

struct bench {
    struct wi_names *names;
    struct wi_engine *engine;
    struct wi_arena arena;
    struct wi_result result;
    uint64_t corr;
    uint32_t thread;
    int32_t device;
};

static inline void bench_open(struct bench *b, int ordered, int imported)
{
    *b = (struct bench){.thread = 100, .device = 0};
    b->names = wi_names_create((size_t)4 << 20);
    assert_non_null(b->names);
    struct wi_engine_config config = {.names = b->names, .ordered = ordered, .imported = imported};
    b->engine = wi_engine_create(&config);
    assert_non_null(b->engine);
    wi_arena_init(&b->arena, (size_t)64 << 20);
}

static inline void bench_close(struct bench *b)
{
    wi_arena_free(&b->arena);
    wi_engine_free(b->engine);
    wi_names_free(b->names);
}

static inline struct wi_host_call make_call(struct bench *b, int api_class, int64_t enter_us,
                                            int64_t exit_us)
{
    return (struct wi_host_call){.enter_ns = enter_us * US,
                                 .exit_ns = exit_us * US,
                                 .run_ns = WI_UNKNOWN,
                                 .runnable_ns = WI_UNKNOWN,
                                 .held_ns = WI_UNKNOWN,
                                 .thread = b->thread,
                                 .api = wi_names_str(b->names, wi_api_class_word(api_class)),
                                 .device = b->device,
                                 .api_class = (uint8_t)api_class};
}

/* A call without device work. */
static inline void say(struct bench *b, int api_class, int64_t enter_us, int64_t exit_us)
{
    struct wi_host_call call = make_call(b, api_class, enter_us, exit_us);
    if (api_class == WI_API_SYNC)
        call.flags = WI_CALL_BLOCKING;
    wi_engine_call(b->engine, &call);
}

static inline struct wi_device_op make_op(struct bench *b, int kind, int64_t start_us,
                                          int64_t end_us)
{
    return (struct wi_device_op){.start_ns = start_us * US,
                                 .end_ns = end_us * US,
                                 .corr = b->corr,
                                 .device = b->device,
                                 .name = wi_names_str(b->names, "kernel"),
                                 .kind = (uint8_t)kind};
}

/* A launch [enter, exit) whose kernel runs [start, end). */
static inline void launch(struct bench *b, int64_t enter_us, int64_t exit_us, int64_t start_us,
                          int64_t end_us)
{
    struct wi_host_call call = make_call(b, WI_API_LAUNCH, enter_us, exit_us);
    call.corr = ++b->corr;
    call.flags = WI_CALL_OWES;
    wi_engine_call(b->engine, &call);
    struct wi_device_op op = make_op(b, WI_OP_KERNEL, start_us, end_us);
    wi_engine_op(b->engine, &op);
}

struct copy {
    int64_t enter_us, exit_us, start_us, end_us;
    int64_t bytes;
    int direction, host_mem, blocking;
    int64_t run_us; /* on-CPU time of the silence before, -1 = unknown */
};

static inline void copy(struct bench *b, const struct copy *c)
{
    struct wi_host_call call = make_call(b, WI_API_COPY, c->enter_us, c->exit_us);
    call.corr = ++b->corr;
    call.flags = WI_CALL_OWES | (c->blocking ? WI_CALL_BLOCKING : 0);
    call.bytes = (uint64_t)c->bytes;
    call.direction = (uint8_t)c->direction;
    if (c->run_us >= 0) {
        call.run_ns = c->run_us * US;
        call.runnable_ns = 0;
    }
    wi_engine_call(b->engine, &call);
    struct wi_device_op op = make_op(b, WI_OP_COPY, c->start_us, c->end_us);
    op.bytes = (uint64_t)c->bytes;
    op.direction = (uint8_t)c->direction;
    op.src_mem = c->direction == WI_COPY_D2H ? WI_MEM_DEVICE : (uint8_t)c->host_mem;
    op.dst_mem = c->direction == WI_COPY_D2H ? (uint8_t)c->host_mem : WI_MEM_DEVICE;
    wi_engine_op(b->engine, &op);
}

static inline void finish(struct bench *b)
{
    wi_engine_finish(b->engine);
    assert_int_equal(wi_engine_result(b->engine, &b->arena, &b->result), 0);
}

static inline const struct wi_device_result *device_of(struct bench *b, int32_t id)
{
    for (int i = 0; i < b->result.device_count; i++)
        if (b->result.devices[i].info.device == id)
            return &b->result.devices[i];
    fail_msg("device %d is not in the result", id);
    return NULL;
}

static inline int64_t us_of(struct bench *b, enum wi_subcause subcause)
{
    return device_of(b, 0)->subcause_ns[subcause] / US;
}

/* Class and sub-cause sums must equal the window to the ns, and none may be negative. */
static inline void assert_exact(const struct wi_device_result *device)
{
    int64_t window = device->window_end_ns - device->window_start_ns, classes = 0, causes = 0;
    for (int i = 0; i < WI_CLASS_COUNT; i++) {
        assert_true(device->class_ns[i] >= 0);
        classes += device->class_ns[i];
    }
    for (int i = 0; i < WI_SUB_COUNT; i++) {
        assert_true(device->subcause_ns[i] >= 0);
        causes += device->subcause_ns[i];
    }
    assert_int_equal(classes, window);
    assert_int_equal(causes, window);
    const struct wi_timeline *line = &device->timeline;
    assert_int_equal(line->span_ns, line->kernel_ns + line->exposed_ns + line->idle_ns);
}

static inline const struct wi_finding *finding_of(struct bench *b, enum wi_subcause subcause)
{
    for (int i = 0; i < b->result.finding_count; i++)
        if (b->result.findings[i].subcause == subcause)
            return &b->result.findings[i];
    return NULL;
}

#endif
