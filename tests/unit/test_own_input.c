/* Input that the launching thread makes itself, also on a machine that others use as well.
 * Threads: one. */
#include <string.h>

#include "analyze/advice.h"
#include "engine_fixture.h"

/* 20 steps: 10 ms in which the thread makes its input, seen as such, of which it is on a core for
 * 4 ms, ready without one for runnable_us of 10100 and seen to read a file in the last read_us;
 * then a launch and a kernel of 100 us. */
static void steps(struct bench *b, int64_t runnable_us, int64_t read_us)
{
    bench_open(b, 1, 0);
    uint32_t fetch = wi_names_str(b->names, "fetch");
    for (int64_t i = 0, at = 0; i < 20; i++, at += 10110) {
        struct wi_event event = {.kind = WI_EVENT_SAMPLE};
        wi_host_sample_clear(&event.u.sample);
        event.u.sample.at_ns = at * US;
        event.u.sample.interval_ns = 10110 * US;
        event.u.sample.children = 0;
        event.u.sample.cores_allowed = event.u.sample.cores_machine = 2;
        event.u.sample.cores_idle_permille = 0;
        event.u.sample.others_permille = 1600;
        wi_engine_push(b->engine, &event);
        event.kind = WI_EVENT_SPAN;
        event.u.span =
            (struct wi_host_span){(at - 10000) * US, at * US, 100, fetch, WI_SPAN_INPUT_INLINE, 0};
        if (i)
            wi_engine_push(b->engine, &event);
        event.u.span.start_ns = (at - read_us) * US;
        event.u.span.kind = WI_SPAN_WAIT_FILE;
        event.u.span.name = 0;
        if (i && read_us)
            wi_engine_push(b->engine, &event);
        struct wi_host_call call = make_call(b, WI_API_LAUNCH, at, at + 10);
        call.corr = ++b->corr;
        call.run_ns = 4040 * US; /* of a silence of 10100 us */
        call.runnable_ns = runnable_us * US;
        wi_engine_call(b->engine, &call);
        struct wi_device_op op = make_op(b, WI_OP_KERNEL, at + 10, at + 110);
        wi_engine_op(b->engine, &op);
    }
    finish(b);
    assert_exact(device_of(b, 0));
}

/* The time without a core is others' doing, not the input's. */
static void test_time_without_a_core_is_not_input(void **state)
{
    (void)state;
    struct bench b;
    steps(&b, 6060, 0);
    assert_in_range(us_of(&b, WI_SUB_DECODE_IN_MAIN_THREAD), 19 * 4000 - 1, 19 * 4000 + 1);
    assert_in_range(us_of(&b, WI_SUB_CPU_CONTENTION), 19 * 6000 - 1, 19 * 6000 + 1);
    assert_string_equal(b.result.verdict.id, "host/cpu-contention");
    bench_close(&b);
}

/* Sleep in reads of the input is the storage's doing, and workers are no answer to that; other
 * sleep is part of making it. */
static void test_sleep_in_reads_is_storage(void **state)
{
    (void)state;
    struct bench b;
    steps(&b, 0, 4000); /* seen for two thirds of the sleep: looks begin some ms into it */
    assert_in_range(us_of(&b, WI_SUB_DECODE_IN_MAIN_THREAD), 19 * 4000 - 1, 19 * 4000 + 1);
    assert_in_range(us_of(&b, WI_SUB_SLOW_STORAGE), 19 * 6000 - 1, 19 * 6000 + 1);
    const char *fix = wi_advice_fix(finding_of(&b, WI_SUB_SLOW_STORAGE), WI_DIALECT_PYTORCH);
    assert_non_null(strstr(fix, "read ahead"));
    bench_close(&b);
    steps(&b, 0, 2000);
    assert_in_range(us_of(&b, WI_SUB_DECODE_IN_MAIN_THREAD), 19 * 10000 - 1, 19 * 10000 + 1);
    assert_int_equal(us_of(&b, WI_SUB_SLOW_STORAGE), 0);
    bench_close(&b);
}

/* What samples say of the machine holds for the smaller part of a silence, too: no core is idle, so
 * that workers are promised nothing. */
static void test_smaller_part_knows_the_machine(void **state)
{
    (void)state;
    struct bench b;
    steps(&b, 6060, 0);
    const struct wi_finding *f = finding_of(&b, WI_SUB_DECODE_IN_MAIN_THREAD);
    assert_non_null(f);
    assert_int_equal(f->cores_idle_permille, 0);
    assert_int_equal(f->cores_others_permille, 1600);
    assert_int_equal(f->cores_allowed, 2);
    assert_string_equal(wi_names_text(b.names, f->seen_in), "fetch");
    bench_close(&b);
}

/* Annotations of a recorded trace: preparing the input on the thread itself, and waiting for it. */
static void test_annotated_input(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 1, 0);
    struct wi_event event = {.kind = WI_EVENT_SPAN};
    launch(&b, 0, 10, 10, 110);
    event.u.span = (struct wi_host_span){110 * US, 10110 * US, 100, 0, WI_SPAN_INPUT_INLINE, 0};
    wi_engine_push(b.engine, &event);
    event.u.span = (struct wi_host_span){10110 * US, 12110 * US, 100, 0, WI_SPAN_INPUT_WAIT, 0};
    wi_engine_push(b.engine, &event);
    launch(&b, 12110, 12120, 12120, 12220);
    finish(&b);
    assert_int_equal(us_of(&b, WI_SUB_DECODE_IN_MAIN_THREAD), 10000);
    assert_int_equal(us_of(&b, WI_SUB_INPUT_UNDETERMINED), 2000);
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_annotated_input),
        cmocka_unit_test(test_time_without_a_core_is_not_input),
        cmocka_unit_test(test_sleep_in_reads_is_storage),
        cmocka_unit_test(test_smaller_part_knows_the_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
