/* What must not be said: that a cost of the start is one of the loop, that a sleep waits for input,
 * that what is not known is sure, that other programs' load is the launches' own cost. Time lines
 * in us, small enough to add up on paper. Nor that a clock gone wrong is a long wait. Threads: one.
 */
#include <string.h>

#include "engine_fixture.h"

/* Forty turns of 200 ms; one of them, or the first few, allocate and page-lock: a cost of the run
 * and not of its loop. A call in each turn stays what it is, but for what one of its turns took. */
static void loop_of(struct bench *b, int api_class, int64_t usual_us, int at, int64_t there_us)
{
    bench_open(b, 1, 0);
    for (int i = 0; i < 40; i++) {
        int64_t start = i * 200000;
        int64_t takes = i == at ? there_us : usual_us;
        launch(b, start, start + 10, start + 10, start + 1000);
        if (takes)
            say(b, api_class, start + 1000, start + 1000 + takes);
    }
    launch(b, 8000000, 8000010, 8000010, 8001000);
    finish(b);
    assert_exact(device_of(b, 0));
}

static void test_once_is_no_loop(void **state)
{
    static const struct {
        int api_class;
        enum wi_subcause cause;
    } KINDS[] = {{WI_API_ALLOC, WI_SUB_ALLOCATOR},
                 {WI_API_FREE, WI_SUB_ALLOCATOR},
                 {WI_API_PIN, WI_SUB_PIN_PER_COPY}};
    (void)state;
    for (size_t i = 0; i < WI_ARRAY_LEN(KINDS); i++) {
        struct bench b;
        loop_of(&b, KINDS[i].api_class, 0, 20, 90000);
        assert_int_equal(us_of(&b, KINDS[i].cause), 0);
        assert_int_equal(us_of(&b, WI_SUB_FIRST_TOUCH), 90000);
        bench_close(&b);
        loop_of(&b, KINDS[i].api_class, 50000, 20, 50000);
        assert_int_equal(us_of(&b, KINDS[i].cause), 40 * 50000);
        assert_int_equal(us_of(&b, WI_SUB_FIRST_TOUCH), 0);
        bench_close(&b);
        /* parts of 1.049 s hold 5 or 6 turns; the one with the long turn counts for four of them */
        loop_of(&b, KINDS[i].api_class, 1000, 20, 150000);
        assert_int_equal(us_of(&b, KINDS[i].cause) + us_of(&b, WI_SUB_FIRST_TOUCH),
                         39 * 1000 + 150000);
        assert_in_range(us_of(&b, KINDS[i].cause), 34000 + 4 * 5000, 35000 + 4 * 5000);
        bench_close(&b);
    }
}

/* Thirty waits of 10 ms and more, none as long as the other, each before a copy of 1 MiB. slept:
 * looks say that the thread sleeps by its own wish. */
static void waits_before_copies(struct bench *b, int slept)
{
    bench_open(b, 1, 0);
    launch(b, 0, 10, 10, 110);
    for (int64_t i = 0, at = 110; i < 30; i++) {
        int64_t end = at + 10000 + i * i % 7 * 3000;
        struct copy c = {end, end + 100, end, end + 100, 1 << 20, WI_COPY_H2D, WI_MEM_PINNED, 0, 0};
        struct wi_event event = {.kind = WI_EVENT_SPAN};
        event.u.span =
            (struct wi_host_span){(at + 5000) * US, end * US, 100, 0, WI_SPAN_WAIT_SLEEP, 0};
        copy(b, &c);
        if (slept)
            wi_engine_push(b->engine, &event);
        launch(b, end + 100, end + 110, end + 110, end + 210);
        at = end + 210;
    }
    finish(b);
    assert_exact(device_of(b, 0));
}

/* What is not known is never sure, however often it was seen; and a sleep is no wait for input. */
static void test_confidence_of_the_unknown(void **state)
{
    (void)state;
    struct bench b;
    waits_before_copies(&b, 0);
    const struct wi_finding *f = finding_of(&b, WI_SUB_INPUT_UNDETERMINED);
    assert_non_null(f);
    assert_int_equal(f->count, 30);
    assert_int_equal(f->confidence, WI_CONF_MEDIUM);
    assert_int_equal(b.result.verdict.confidence, WI_CONF_MEDIUM);
    assert_non_null(strstr(b.result.verdict.reason, "could not be seen"));
    bench_close(&b);
    waits_before_copies(&b, 1);
    assert_int_equal(device_of(&b, 0)->class_ns[WI_CLASS_DATA_LOADING], 0);
    f = finding_of(&b, WI_SUB_UNDETERMINED);
    assert_non_null(f);
    assert_int_equal(f->confidence, WI_CONF_MEDIUM);
    assert_string_equal(f->rule, "OWN_SLEEP");
    assert_non_null(strstr(f->seen, "by its own wish"));
    assert_string_equal(b.result.verdict.id, "inconclusive");
    bench_close(&b);
}

/* 200 launches of 900 us, each with a kernel of 100 us behind it, on a thread that looks at the
 * machine show to be on a core for 30 % of the time and ready without one for 60 %: of the 900 us a
 * third is what launching costs, two thirds are for want of a core. */
static void launches_on_a_busy_machine(struct bench *b, int64_t others)
{
    bench_open(b, 1, 0);
    for (int i = 0; i < 200; i++) {
        struct wi_event event = {.kind = WI_EVENT_SAMPLE};
        wi_host_sample_clear(&event.u.sample);
        event.u.sample.at_ns = i * 1000 * US;
        event.u.sample.interval_ns = 1000 * US;
        event.u.sample.children = 0;
        event.u.sample.cores_allowed = event.u.sample.cores_machine = 2;
        event.u.sample.issuer_run_permille = 300;
        event.u.sample.issuer_runnable_permille = 600;
        event.u.sample.others_permille = others;
        if (i % 10 == 0)
            wi_engine_push(b->engine, &event);
        launch(b, i * 1000, i * 1000 + 900, i * 1000 + 900, i * 1000 + 1000);
    }
    finish(b);
    assert_exact(device_of(b, 0));
}

static void test_own_cost_is_no_contention(void **state)
{
    (void)state;
    struct bench b;
    launches_on_a_busy_machine(&b, 1600);
    assert_in_range(us_of(&b, WI_SUB_CPU_CONTENTION), 200 * 600 - 1, 200 * 600 + 1);
    assert_in_range(us_of(&b, WI_SUB_LAUNCH_BOUND), 200 * 300 - 1, 200 * 300 + 1);
    const struct wi_finding *f = finding_of(&b, WI_SUB_CPU_CONTENTION);
    assert_non_null(f);
    assert_int_equal(f->cores_others_permille, 1600);
    /* a launch then takes 300 us: 1000 -> 400 us, and no more */
    assert_true(f->predicted.speedup > 2.4 && f->predicted.speedup < 2.6);
    assert_true(f->predicted.high < 2.8);
    bench_close(&b);
}

/* A call and an operation a year and more away from the first call are faults of a clock: counted,
 * and the window is that of the others. */
static void test_times_of_another_age(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 1, 0);
    launch(&b, 0, 5, 5, 1000);
    launch(&b, (int64_t)1 << 45, ((int64_t)1 << 45) + 5, ((int64_t)1 << 45) + 5,
           ((int64_t)1 << 45) + 10);
    launch(&b, 1000, 1005, 1005, 2000);
    finish(&b);
    assert_int_equal(b.result.coverage.lost[WI_LOSS_BAD_CLOCK], 2);
    assert_true(b.result.devices[0].window_end_ns - b.result.devices[0].window_start_ns <=
                2000 * US);
    bench_close(&b);
}

/* What one call costs is counted once: 50 read-backs, 50 syncs, 50 launches are 50 each. */
static void test_counts(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 1, 0);
    for (int64_t i = 0, at = 0; i < 50; i++, at += 10000) {
        launch(&b, at, at + 10, at + 10, at + 5010);
        struct copy c = {at + 20,     at + 5030,     at + 5020, at + 5025, 64,
                         WI_COPY_D2H, WI_MEM_PINNED, 1,         -1};
        copy(&b, &c);
        launch(&b, at + 5130, at + 5140, at + 5150, at + 8000);
        say(&b, WI_API_SYNC, at + 5141, at + 8010);
    }
    finish(&b);
    assert_int_equal(finding_of(&b, WI_SUB_READ_BACK_SYNC)->count, 50);
    assert_int_equal(
        finding_of(&b, WI_SUB_EXPLICIT_SYNC) ? finding_of(&b, WI_SUB_EXPLICIT_SYNC)->count : 50,
        50);
    bench_close(&b);
}

/* Spacing of queued kernels is time, but no gap that anybody would count. */
static void test_spacing_is_not_counted(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 1, 0);
    for (int i = 0; i < 100; i++)
        launch(&b, i, i + 1, 1000 + i * 12, 1000 + i * 12 + 10); /* 2 us apart, long queued */
    launch(&b, 4000, 4010, 4010, 4020);
    finish(&b);
    const struct wi_finding *finding = finding_of(&b, WI_SUB_LAUNCH_BOUND);
    assert_true(us_of(&b, WI_SUB_LAUNCH_BOUND) >= 99 * 2);
    assert_true(!finding || finding->count <= 3);
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_counts),
                                       cmocka_unit_test(test_spacing_is_not_counted),
                                       cmocka_unit_test(test_times_of_another_age),
                                       cmocka_unit_test(test_once_is_no_loop),
                                       cmocka_unit_test(test_confidence_of_the_unknown),
                                       cmocka_unit_test(test_own_cost_is_no_contention)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
