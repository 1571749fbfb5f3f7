/* Predictions beside a report: they fit however many of them the run asks for.
 * Threads: the test's. */
#include "engine_fixture.h"

#include "model/classes.h"

/* The preload gives a report this much. */
#define REPORT_BYTES ((size_t)4 << 20)

/* A step with something of nearly every universe: an allocation, a copy of pageable memory, tiny
 * copies, launches, a read-back, and host work behind it. */
static void step(struct bench *b, int64_t at)
{
    struct copy in = {at + 300,    at + 800,        at + 310, at + 790, 4 << 20,
                      WI_COPY_H2D, WI_MEM_PAGEABLE, 1,        -1};
    struct copy out = {at + 1100,   at + 1500,       at + 1450, at + 1490, 8,
                       WI_COPY_D2H, WI_MEM_PAGEABLE, 1,         -1};
    say(b, WI_API_ALLOC, at, at + 200);
    copy(b, &in);
    for (int i = 0; i < 4; i++) {
        struct copy tiny = {at + 800 + 20 * i,
                            at + 815 + 20 * i,
                            at + 801 + 20 * i,
                            at + 803 + 20 * i,
                            64,
                            WI_COPY_H2D,
                            WI_MEM_PINNED,
                            0,
                            -1};
        copy(b, &tiny);
    }
    for (int i = 0; i < 10; i++)
        launch(b, at + 900 + 20 * i, at + 915 + 20 * i, at + 910 + 50 * i, at + 955 + 50 * i);
    copy(b, &out);
    wi_engine_advance(b->engine, (at + 1500) * US);
}

static void test_predictions_fit_beside_a_report(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 1, 0);
    for (int i = 0; i < 60; i++)
        step(&b, 4000 * (int64_t)i);
    wi_engine_finish(b.engine);
    struct wi_arena arena;
    wi_arena_init(&arena, REPORT_BYTES);
    assert_int_equal(wi_engine_result(b.engine, &arena, &b.result), 0);
    assert_null(b.result.replay.withheld);
    assert_true(b.result.prediction_count > 5);
    int moved = 0; /* universes that do something to this run */
    for (int i = 0; i < b.result.prediction_count; i++)
        moved += b.result.predictions[i].speedup > 1.02;
    assert_true(moved >= 4);
    wi_arena_free(&arena);
    bench_close(&b);
}

static const char *withheld_after(struct bench *b, int64_t from, int64_t steps)
{
    for (int64_t i = from; i < from + steps; i++)
        step(b, 4000 * i);
    struct wi_arena arena;
    wi_arena_init(&arena, REPORT_BYTES);
    assert_int_equal(wi_engine_result(b->engine, &arena, &b->result), 0);
    wi_arena_free(&arena);
    return b->result.replay.withheld;
}

/* Reports in between say nothing of a young run (4 ms a step: 30 s are 7 500 steps), and repeat
 * what they said until the run has four times the calls. */
static void test_reports_in_between_predict_seldom(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 1, 0);
    assert_non_null(withheld_after(&b, 0, 5000));
    assert_null(withheld_after(&b, 5000, 3000));
    uint64_t calls = b.result.replay.calls;
    assert_null(withheld_after(&b, 8000, 200));
    assert_int_equal(b.result.replay.calls, calls);
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_predictions_fit_beside_a_report),
                                       cmocka_unit_test(test_reports_in_between_predict_seldom)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
