/* Which of the job's own ranges are its steps, and which range a finding names; by hand.
 * Threads: one. */
#include <stdlib.h>

#include "engine_fixture.h"

#include "analyze/ledger.h"
#include "analyze/marks.h"

static void test_names_of_steps(void **state)
{
    (void)state;
    static const char *const YES[] = {"step",           "train_step",     "Iteration 12",
                                      "ProfilerStep#3", "training batch", "TrainStep",
                                      "ITER",           "step #/#"};
    static const char *const NO[] = {
        "",       "17",      "batch_norm", "epoch #",     "forward",
        "steps_", "stepper", "footstep",   "stepForward", "averyveryverylongstep"};
    for (size_t i = 0; i < WI_ARRAY_LEN(YES); i++)
        if (!wi_mark_names_step(YES[i]))
            fail_msg("%s is a step", YES[i]);
    for (size_t i = 0; i < WI_ARRAY_LEN(NO); i++)
        if (wi_mark_names_step(NO[i]))
            fail_msg("%s is no step", NO[i]);
}

static struct wi_marks *marks;

static int set_up(void **state)
{
    (void)state;
    marks = calloc(1, sizeof(*marks));
    return !marks;
}

static int tear_down(void **state)
{
    (void)state;
    free(marks);
    return 0;
}

/* Name ids are letters: a range named `text` on `thread`, [start, end) in ms. */
static void range(uint32_t name, uint32_t thread, const char *text, int64_t start_ms,
                  int64_t end_ms)
{
    struct wi_host_span span = {.start_ns = start_ms * MS,
                                .end_ns = end_ms * MS,
                                .thread = thread,
                                .name = name,
                                .kind = WI_SPAN_MARK};
    wi_marks_add(marks, &span, text);
}

static int issues(const void *user, uint32_t thread)
{
    return thread == *(const uint32_t *)user;
}

/* Occurrences of the step among the marks; 0 if none. */
static uint64_t found(int named, int64_t window_ms)
{
    uint32_t main_thread = 100;
    const struct wi_recurrence *seen =
        wi_marks_step(marks, named, window_ms * MS, issues, &main_thread);
    return seen ? seen->count : 0;
}

/* 100 steps of 10 ms, after every 50 a validation of 5 steps; a loader marks steps of its own, and
 * the first 4 turns are a warm-up. */
static void test_the_longest_of_several(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++)
        range('w', 100, "warmup step", i * 10, i * 10 + 9);
    for (int i = 0; i < 5; i++)
        range('v', 100, "validation_step", 40 + i, 41 + i);
    for (int i = 0; i < 100; i++) {
        range('s', 100, "train_step", 50 + i * 10, 60 + i * 10);
        range('l', 101, "loader step", 50 + i * 10, 60 + i * 10);
        range('m', 100, "micro batch", 50 + i * 10, 53 + i * 10);
        range('m', 100, "micro batch", 54 + i * 10, 58 + i * 10);
    }
    for (int i = 0; i < 5; i++)
        range('v', 100, "validation_step", 1050 + i, 1051 + i);
    assert_int_equal(found(1, 1060), 100);
    assert_int_equal(found(0, 1060), 0);
    assert_int_equal(found(1, 3000), 0); /* a third of the window is a phase */
}

/* Without a name that says so: even turns count, parts of a turn do not, nor a few epochs. */
static void test_other_names(void **state)
{
    (void)state;
    for (int i = 0; i < 30; i++) {
        range('f', 100, "forward", i * 10, i * 10 + 4);
        for (int k = 0; k < 6; k++) /* six layers in the first 3 ms */
            range('l', 100, "layer", i * 10 + k / 2, i * 10 + k / 2);
    }
    for (int i = 0; i < 5; i++)
        range('e', 100, "epoch", i * 60, i * 60 + 60);
    assert_int_equal(found(1, 300), 0);
    assert_int_equal(found(0, 300), 30);
}

static void test_marks_without_length(void **state)
{
    (void)state;
    for (int i = 0; i < 7; i++)
        range('i', 100, "iteration", i * 10, i * 10);
    assert_int_equal(found(1, 70), 7);
}

/* Steps of the engine: 12 launches at irregular times in 3 marked steps; the pattern shows none. */
static void test_engine_takes_marks(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 0, 0);
    uint32_t name = wi_names_str(b.names, "step #"), fetch = wi_names_str(b.names, "fetch");
    for (int i = 0; i < 4; i++) {
        int64_t at = i * 10000;
        struct wi_host_call call = make_call(&b, WI_API_LAUNCH, at + 4000, at + 4010);
        call.corr = ++b.corr;
        call.flags = WI_CALL_OWES;
        call.quiet_range = fetch; /* until just before the launch */
        call.quiet_from_ns = at * US;
        call.quiet_to_ns = (at + 3990) * US;
        wi_engine_call(b.engine, &call);
        struct wi_device_op op = make_op(&b, WI_OP_KERNEL, at + 4020, at + 9000);
        wi_engine_op(b.engine, &op);
        struct wi_event mark = {.kind = WI_EVENT_SPAN};
        mark.u.span = (struct wi_host_span){.start_ns = at * US,
                                            .end_ns = (at + 9500) * US,
                                            .thread = b.thread,
                                            .name = name,
                                            .kind = WI_SPAN_MARK};
        wi_engine_push(b.engine, &mark);
    }
    finish(&b);
    const struct wi_device_result *device = device_of(&b, 0);
    assert_exact(device);
    assert_int_equal(device->steps.count, 4);
    assert_int_equal(device->steps.marked, 1);
    assert_in_range(device->steps.median_ns, 9.5 * MS, 10.5 * MS);
    assert_true(b.result.finding_count > 0);
    assert_string_equal(wi_names_text(b.names, b.result.findings[0].range), "fetch");
    bench_close(&b);
}

/* Ten turns of 20 ms: a kernel of 2 ms, then 8 ms of silence, then a copy call of 10 ms that ends
 * in 0.1 ms of copying. The silence is told as of the range that was open then, the call as of its
 * own; where the silence lay in none, or mostly behind its range, no range is told of it. */
static void stall_of(uint32_t quiet, int64_t from_us, int64_t to_us, const char *of_silence,
                     const char *of_call)
{
    struct bench b;
    bench_open(&b, 1, 0);
    uint32_t name = wi_names_str(b.names, "fetch"), own = wi_names_str(b.names, "upload");
    for (int64_t i = 0, at = 0; i < 10; i++, at += 20000) {
        launch(&b, at, at + 10, at + 10, at + 2000);
        struct wi_host_call call = make_call(&b, WI_API_COPY, at + 10000, at + 20000);
        call.corr = ++b.corr;
        call.flags = WI_CALL_OWES | WI_CALL_BLOCKING;
        call.bytes = 1 << 20;
        call.direction = WI_COPY_H2D;
        call.range = own;
        call.quiet_range = quiet ? name : WI_NO_NAME;
        call.quiet_from_ns = (at + from_us) * US;
        call.quiet_to_ns = (at + to_us) * US;
        call.run_ns = call.runnable_ns = 0;
        wi_engine_call(b.engine, &call);
        struct wi_device_op op = make_op(&b, WI_OP_COPY, at + 19900, at + 20000);
        op.bytes = 1 << 20;
        op.direction = WI_COPY_H2D;
        op.src_mem = WI_MEM_PAGEABLE;
        wi_engine_op(b.engine, &op);
    }
    finish(&b);
    const struct wi_finding *waits = finding_of(&b, WI_SUB_INPUT_UNDETERMINED);
    const struct wi_finding *copies = finding_of(&b, WI_SUB_PAGEABLE_COPY);
    assert_non_null(waits);
    assert_non_null(copies);
    assert_string_equal(wi_names_text(b.names, waits->range), of_silence);
    assert_string_equal(wi_names_text(b.names, copies->range), of_call);
    bench_close(&b);
}

static void test_range_of_a_silence(void **state)
{
    (void)state;
    stall_of(1, 10, 10000, "fetch", "upload"); /* all of it */
    stall_of(1, 10, 9000, "fetch", "upload");  /* popped 1 ms before the call */
    stall_of(1, 10, 4000, "", "upload");       /* most of the waiting came behind the pop */
    stall_of(0, 10, 10000, "", "upload");      /* the range of the next call is none of it */
    stall_of(1, INT64_MIN / US, INT64_MIN / US, "", "upload"); /* older traces do not know */
}

/* A range is named from three quarters of the time on. */
static void test_main_range(void **state)
{
    (void)state;
    static const struct {
        int64_t mine, others;
        uint32_t wanted;
    } CASES[] = {{80, 20, 5}, {75, 25, 5}, {74, 26, 0}, {20, 80, 0}, {100, 0, 5}};
    for (size_t i = 0; i < WI_ARRAY_LEN(CASES); i++) {
        struct wi_signature *sig = calloc(1, sizeof(*sig));
        assert_non_null(sig);
        int64_t left[2] = {CASES[i].mine, CASES[i].others};
        for (uint32_t n = 0; left[0] + left[1] > 0; n++) { /* one ns at a time, mixed */
            int which = n % 3 && left[0] ? 0 : left[1] ? 1 : 0;
            left[which]--;
            wi_ledger_add(sig, n + 1, WI_PORTION_UNSEEN, n, 1);
            wi_ledger_range(sig, which ? 6 + n % 4 : 5, 1);
        }
        assert_int_equal(wi_ledger_main_range(sig), CASES[i].wanted);
        free(sig);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_of_steps),
        cmocka_unit_test_setup_teardown(test_the_longest_of_several, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_other_names, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_marks_without_length, set_up, tear_down),
        cmocka_unit_test(test_engine_takes_marks),
        cmocka_unit_test(test_range_of_a_silence),
        cmocka_unit_test(test_main_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
