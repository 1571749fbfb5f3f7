/* No memory for a moment, wherever a report asks for some: there is a report or an error, and the
 * next report is whole. Threads: the test's. */
#include "engine_fixture.h"

#define REPORT_BYTES ((size_t)4 << 20)

void *__real_wi_arena_alloc(struct wi_arena *arena, size_t size);
void *__wrap_wi_arena_alloc(struct wi_arena *arena, size_t size);

static int countdown = -1; /* requests until one fails; below 0: none */

/* Where the system refuses a piece of memory once, this is what follows from it. */
void *__wrap_wi_arena_alloc(struct wi_arena *arena, size_t size)
{
    return countdown >= 0 && countdown-- == 0 ? NULL : __real_wi_arena_alloc(arena, size);
}

static void step(struct bench *b, int64_t at)
{
    struct copy in = {at + 300,    at + 800,        at + 310, at + 790, 4 << 20,
                      WI_COPY_H2D, WI_MEM_PAGEABLE, 1,        -1};
    struct copy out = {at + 1100,   at + 1500,       at + 1450, at + 1490, 8,
                       WI_COPY_D2H, WI_MEM_PAGEABLE, 1,         -1};
    say(b, WI_API_ALLOC, at, at + 200);
    copy(b, &in);
    for (int i = 0; i < 10; i++)
        launch(b, at + 900 + 20 * i, at + 915 + 20 * i, at + 910 + 50 * i, at + 955 + 50 * i);
    copy(b, &out);
    wi_engine_advance(b->engine, (at + 1500) * US);
}

static int report(struct bench *b)
{
    struct wi_arena arena;
    wi_arena_init(&arena, REPORT_BYTES);
    int err = wi_engine_result(b->engine, &arena, &b->result);
    for (int i = 0; !err && i < b->result.device_count; i++) {
        const struct wi_device_result *device = &b->result.devices[i];
        int64_t sum = 0;
        for (int of = 0; of < WI_CLASS_COUNT; of++)
            sum += device->class_ns[of];
        assert_int_equal(sum, device->window_end_ns - device->window_start_ns);
    }
    wi_arena_free(&arena);
    return err;
}

static void test_any_request_may_fail_once(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 1, 0);
    for (int i = 0; i < 60; i++)
        step(&b, 4000 * (int64_t)i);
    wi_engine_finish(b.engine);
    int refused = 0;
    for (int nth = 0;; nth++) {
        countdown = nth;
        int err = report(&b);
        if (countdown >= 0)
            break; /* there are fewer requests */
        refused += err != 0;
        countdown = -1;
        assert_int_equal(report(&b), 0);
        assert_null(b.result.replay.withheld);
    }
    countdown = -1;
    assert_true(refused > 3);
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_any_request_may_fail_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
