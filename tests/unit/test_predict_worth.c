/* A cause leads by what its end would save, even where the evidence shows no way to end it.
 * Threads: one. */
#include "analyze/fixes.h"
#include "replay_fixture.h"

#define STEPS 30

/* Two loader processes at 98 % of a core each, and so many idle thousandths of cores. */
static void look(struct bench *b, int64_t cores_idle_permille)
{
    struct wi_event event = {.kind = WI_EVENT_SAMPLE};
    wi_host_sample_clear(&event.u.sample);
    event.u.sample.interval_ns = 1000 * (int64_t)MS;
    event.u.sample.at_ns = 0;
    event.u.sample.children = 2;
    event.u.sample.child_cpu_permille = 980;
    event.u.sample.child_disk_permille = 0;
    event.u.sample.cores_allowed = 2;
    event.u.sample.cores_idle_permille = cores_idle_permille;
    wi_engine_push(b->engine, &event);
}

/* Each 16 ms: 9985 us asleep until the next input, a copy of 1000 us, a kernel of 5000, a value
 * read back: 6015 us without the wait. */
static void run(struct bench *b, int64_t cores_idle_permille)
{
    struct moved value = {4, WI_COPY_D2H, WI_MEM_PINNED, .blocking = 1};
    bench_open(b, 1, 0);
    look(b, cores_idle_permille);
    for (int64_t at = 0; at < STEPS * 16000; at += 16000) {
        struct copy batch = {at,          at + 10,       at + 10, at + 1010, 8000000,
                             WI_COPY_H2D, WI_MEM_PINNED, 0,       0};
        copy(b, &batch);
        launch(b, at + 15, at + 20, at + 1010, at + 6010);
        transfer(b, &(struct work){at + 25, at + 6015, at + 6010, at + 6012, .stream = 0}, &value);
    }
    finish(b);
    assert_int_equal(wi_engine_result(b->engine, &b->arena, &b->result), 0);
    assert_int_equal(b->result.findings[0].subcause, WI_SUB_TOO_FEW_WORKERS);
    assert_string_equal(b->result.verdict.id, "data-loading/too-few-workers");
}

static int near(double value, double want)
{
    return value > want * 0.99 && value < want * 1.02; /* ranges are a hundredth wider */
}

/* No core for a third worker: nothing to be had that way, 16000 / 6015 with the cause gone. */
static void test_no_core_is_idle(void **state)
{
    (void)state;
    struct bench b;
    run(&b, 0);
    assert_true(near(b.result.findings[0].predicted.speedup, 1));
    assert_true(near(b.result.findings[0].predicted.high, 16000.0 / 6015));
    bench_close(&b);
    run(&b, 900); /* nor is nine tenths of one a core that a third worker would have */
    assert_true(near(b.result.findings[0].predicted.speedup, 1));
    bench_close(&b);
}

/* One idle core makes three workers of two: an input each 16000 x 2 / 3 us. */
static void test_one_core_is_idle(void **state)
{
    (void)state;
    struct bench b;
    run(&b, 1000);
    assert_true(near(b.result.findings[0].predicted.speedup, 1.5));
    assert_true(near(b.result.findings[0].predicted.high, 16000.0 / 6015));
    bench_close(&b);
}

/* The thread makes the input itself, 19985 us of computing in each 26000: with one idle core two
 * workers, an input each 9993 us; with none nothing is promised; not known how many: the end of it,
 * which is what it brings at most in each case. */
static double workers_bring(int64_t cores_idle_permille, double at_most)
{
    struct moved value = {4, WI_COPY_D2H, WI_MEM_PINNED, .blocking = 1};
    struct bench b;
    bench_open(&b, 1, 0);
    if (cores_idle_permille != WI_UNKNOWN) {
        struct wi_event event = {.kind = WI_EVENT_SAMPLE};
        wi_host_sample_clear(&event.u.sample);
        event.u.sample.interval_ns = 1000 * (int64_t)MS;
        event.u.sample.at_ns = 0;
        event.u.sample.cores_allowed = 2;
        event.u.sample.cores_idle_permille = cores_idle_permille;
        wi_engine_push(b.engine, &event);
    }
    for (int64_t at = 0; at < STEPS * 26000; at += 26000) {
        struct copy batch = {at,          at + 10,       at + 10, at + 1010, 8000000,
                             WI_COPY_H2D, WI_MEM_PINNED, 0,       19985};
        copy(&b, &batch);
        launch(&b, at + 15, at + 20, at + 1010, at + 6010);
        transfer(&b, &(struct work){at + 25, at + 6015, at + 6010, at + 6012, .stream = 0}, &value);
    }
    finish(&b);
    assert_int_equal(wi_engine_result(b.engine, &b.arena, &b.result), 0);
    double speedup = 0, high = 0;
    for (int i = 0; i < b.result.finding_count; i++)
        if (b.result.findings[i].subcause == WI_SUB_DECODE_IN_MAIN_THREAD) {
            speedup = b.result.findings[i].predicted.speedup;
            high = b.result.findings[i].predicted.high;
            assert_int_equal(wi_fix_helps(&b.result, i), 1);
        }
    assert_true(near(high, at_most));
    bench_close(&b);
    return speedup;
}

static void test_workers_for_what_the_thread_makes(void **state)
{
    (void)state;
    double gone = 26000.0 / 6015;
    assert_true(near(workers_bring(1000, gone), 26000.0 / 9993));
    assert_true(near(workers_bring(0, gone), 1));
    assert_true(near(workers_bring(WI_UNKNOWN, gone), gone));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_no_core_is_idle),
                                       cmocka_unit_test(test_one_core_is_idle),
                                       cmocka_unit_test(test_workers_for_what_the_thread_makes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
