/* Kernels that are only tried out, by hand. A trial takes 200 us:
 *   record [T, T + 1], launch [T + 2, T + 6], kernel [T + 6, T + 106], record [T + 107, T + 108],
 *   a wait until T + 110
 * so that its kernel is busy for 100 us and the device idles for 100 us between two of them.
 * Threads: one. */
#include "engine_fixture.h"

#include <stdio.h>

struct kernel {
    const char *name;
    uint32_t grid, block;
};

static void run(struct bench *b, const struct kernel *k, int64_t enter_us, int64_t start_us,
                int64_t end_us)
{
    struct wi_host_call call = make_call(b, WI_API_LAUNCH, enter_us, enter_us + 4);
    call.corr = ++b->corr;
    call.flags = WI_CALL_OWES;
    wi_engine_call(b->engine, &call);
    struct wi_device_op op = make_op(b, WI_OP_KERNEL, start_us, end_us);
    op.name = wi_names_str(b->names, k->name);
    op.grid[0] = k->grid;
    op.block[0] = k->block;
    op.grid[1] = op.grid[2] = op.block[1] = op.block[2] = 1;
    wi_engine_op(b->engine, &op);
}

/* `count` kernels share the 100 us. */
static void trial(struct bench *b, int64_t at, const struct kernel *k, int count, int waits)
{
    say(b, WI_API_EVENT_RECORD, at, at + 1);
    int64_t each = 100 / count;
    for (int i = 0; i < count; i++)
        run(b, k, at + 2 + i * each, at + 6 + i * each, at + 6 + (i + 1) * each);
    say(b, WI_API_EVENT_RECORD, at + 107, at + 108);
    if (waits)
        say(b, WI_API_SYNC, at + 108, at + 110);
}

static const char *name_of(const char *stem, int i)
{
    static char name[32];
    snprintf(name, sizeof(name), "%s_%d", stem, i);
    return name;
}

/* Ten candidates, two trials each, then the job. The third candidate's second trial, the 6th in
 * all, tells the search: from the 7th on gaps count too, 13 of them, and the six before are made
 * good. */
static void a_search_and_then_the_job(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 1, 1);
    for (int i = 0; i < 20; i++) {
        const struct kernel k = {name_of("candidate", i / 2), 100, 256};
        trial(&b, 200 * i, &k, 1, 1);
    }
    for (int i = 0; i < 40; i++) {
        const struct kernel k = {name_of("work", i % 12), 100, 256};
        run(&b, &k, 4000 + 100 * i, 4006 + 100 * i, 4106 + 100 * i);
    }
    finish(&b);
    assert_int_equal(us_of(&b, WI_SUB_AUTOTUNE), 20 * 100 + 13 * 100);
    assert_int_equal(us_of(&b, WI_SUB_COMPUTE), 40 * 100);
    assert_exact(device_of(&b, 0));
    assert_non_null(finding_of(&b, WI_SUB_AUTOTUNE));
    bench_close(&b);
}

/* The same again for the next shape, with other kernels of the job in between: four candidates once
 * each for every layer are enough of a search after two layers. */
static void a_search_for_every_layer(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 1, 1);
    for (int layer = 0; layer < 10; layer++) {
        for (int i = 0; i < 4; i++) {
            const struct kernel k = {name_of("algorithm", 4 * layer + i), 100, 256};
            trial(&b, 1200 * layer + 200 * i, &k, 1, 1);
        }
        for (int i = 0; i < 3; i++) {
            const struct kernel k = {name_of("layer", i), 100, 256};
            run(&b, &k, 1200 * layer + 800 + 100 * i, 1200 * layer + 806 + 100 * i,
                1200 * layer + 906 + 100 * i);
        }
    }
    finish(&b);
    /* all 40 trials; the job's own three kernels of a layer count while a search goes on around
     * them */
    assert_true(us_of(&b, WI_SUB_AUTOTUNE) >= 40 * 100);
    assert_true(us_of(&b, WI_SUB_COMPUTE) >= 3 * 100);
    assert_exact(device_of(&b, 0));
    bench_close(&b);
}

enum loop {
    STEADY,     /* the job times its own steps of one to three kernels */
    TWO_HALVES, /* and its two halves apart */
    SHAPES,     /* whose grids differ */
    LONG_STEPS, /* of more kernels than a trial has, ever new ones */
    NO_WAIT,    /* records without a wait, ever new kernels */
    BENCHMARK,  /* each kernel for more than a second */
    LOOPS
};

static struct kernel kernel_in(enum loop loop, int i)
{
    switch (loop) {
    case TWO_HALVES:
        return (struct kernel){name_of("half", i % 2), 100, 256};
    case SHAPES:
        return (struct kernel){"step", 100 + (uint32_t)i, 256};
    case LONG_STEPS:
    case NO_WAIT:
        return (struct kernel){name_of("new", i), 100, 256};
    case BENCHMARK:
        return (struct kernel){name_of("measured", i / 12), 100, 256};
    default:
        return (struct kernel){"step", 100, 256};
    }
}

/* None of these is a search, however long it goes on. */
static void timing_is_not_searching(void **state)
{
    (void)state;
    for (int loop = 0; loop < LOOPS; loop++) {
        struct bench b;
        bench_open(&b, 1, 1);
        int64_t apart_us = loop == BENCHMARK ? 100000 : 200;
        for (int i = 0; i < 120; i++) {
            struct kernel k = kernel_in((enum loop)loop, i);
            trial(&b, apart_us * i, &k, loop == LONG_STEPS ? 10 : 1 + i % 2 * (loop == STEADY),
                  loop != NO_WAIT);
        }
        finish(&b);
        if (us_of(&b, WI_SUB_AUTOTUNE))
            fail_msg("loop %d: %lld us of trials", loop, (long long)us_of(&b, WI_SUB_AUTOTUNE));
        assert_int_equal(us_of(&b, WI_SUB_COMPUTE), 120 * 100);
        bench_close(&b);
    }
}

/* Events that order streams, and graphs, are no trials either. */
static void neither_are_streams_and_graphs(void **state)
{
    (void)state;
    for (int graphs = 0; graphs < 2; graphs++) {
        struct bench b;
        bench_open(&b, 1, 1);
        for (int i = 0; i < 40; i++) {
            const struct kernel k = {name_of("new", i), 100, 256};
            int64_t at = 200 * i;
            say(&b, WI_API_EVENT_RECORD, at, at + 1);
            if (graphs)
                say(&b, WI_API_GRAPH_LAUNCH, at + 1, at + 2);
            run(&b, &k, at + 2, at + 6, at + 106);
            say(&b, WI_API_EVENT_RECORD, at + 107, at + 108);
            if (!graphs)
                say(&b, WI_API_STREAM_WAIT, at + 108, at + 109);
            say(&b, WI_API_SYNC, at + 109, at + 110);
        }
        finish(&b);
        assert_int_equal(us_of(&b, WI_SUB_AUTOTUNE), 0);
        bench_close(&b);
    }
}

/* A search with configurations of one kernel that differ in their blocks: of each one launch and a
 * wait, 20 to warm up, then 30 trials with a kernel before each that flushes the cache. From the
 * third configuration on all is trying but its first launch. */
static void configurations_of_one_kernel(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 1, 1);
    const struct kernel flush = {"flush", 100, 256};
    int64_t at = 0;
    for (uint32_t config = 0; config < 8; config++) {
        const struct kernel k = {"matmul", 100, 32 + 32 * config};
        run(&b, &k, at, at + 6, at + 106);
        say(&b, WI_API_SYNC, at + 106, at + 108);
        at += 200;
        for (int i = 0; i < 20; i++, at += 100)
            run(&b, &k, at, at + 6, at + 106);
        for (int i = 0; i < 30; i++, at += 200) {
            run(&b, &flush, at, at + 6, at + 106);
            say(&b, WI_API_EVENT_RECORD, at + 50, at + 51);
            run(&b, &k, at + 100, at + 106, at + 206);
            say(&b, WI_API_EVENT_RECORD, at + 150, at + 151);
        }
        say(&b, WI_API_SYNC, at, at + 10);
        at += 100;
    }
    finish(&b);
    /* configurations 3 to 7 whole: 1 + 20 + 60 kernels each, but the very first launches */
    assert_in_range(us_of(&b, WI_SUB_AUTOTUNE), 5 * 80 * 100, 8 * 81 * 100 + 8 * 300);
    assert_exact(device_of(&b, 0));
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_search_and_then_the_job),
        cmocka_unit_test(a_search_for_every_layer),
        cmocka_unit_test(timing_is_not_searching),
        cmocka_unit_test(neither_are_streams_and_graphs),
        cmocka_unit_test(configurations_of_one_kernel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
