/* What fixes bring together, in one replay and never multiplied, and what goes with a fix that
 * saves more than its own cause took. Worked out by hand. Threads: one. */
#include "analyze/fixes.h"
#include "analyze/predict_session.h"
#include "replay_fixture.h"

#define FULL  160 /* blocks that fill the device */
#define STEPS 40

/* A call after a silence that the thread spent on a core, or asleep. */
static void after(struct bench *b, const struct work *work, int64_t silence_us, int asleep)
{
    struct wi_host_call call = make_call(b, WI_API_LAUNCH, work->enter_us, work->exit_us);
    call.corr = ++b->corr;
    call.flags = WI_CALL_OWES;
    call.run_ns = asleep ? 0 : silence_us * US;
    call.runnable_ns = 0;
    wi_engine_call(b->engine, &call);
    struct wi_device_op op = op_of(b, work, WI_OP_KERNEL);
    wi_engine_op(b->engine, &op);
}

/* Each 15 ms: asleep for 6 000 us until the next input, a copy of 8 MB in 990, a kernel until 8 990
 * that is waited for, 5 990 us of work on a core, and a short kernel that is waited for as well. */
static void two_causes(struct bench *b)
{
    struct moved batch = {8000000, WI_COPY_H2D, WI_MEM_PINNED, .asleep = 1};
    bench_open(b, 1, 0);
    gpu_of_ten_sms(b);
    busy_loaders(b, STEPS * 15000);
    for (int64_t at = 6000; at < STEPS * 15000; at += 15000) {
        transfer(b, &(struct work){at, at + 5, at + 5, at + 995, .stream = 0}, &batch);
        kernel(b, &(struct work){at + 10, at + 15, at + 995, at + 2995, 0, FULL, 0, 0});
        say(b, WI_API_SYNC, at + 20, at + 3000);
        after(b, &(struct work){at + 8990, at + 8995, at + 8995, at + 8998, 0, FULL, 0, 0}, 5990,
              0);
        say(b, WI_API_SYNC, at + 8996, at + 9000);
    }
    finish(b);
}

/* A hundredth off at most: spacings come from a histogram. */
static void assert_times(double got, double by_hand)
{
    if (got < by_hand * 0.99 || got > by_hand * 1.01)
        fail_msg("%.4f, by hand %.4f", got, by_hand);
}

/* Without the wait 9 000 us are left. Without the work the loader still needs 15 000: only the last
 * of 40 steps ends sooner. Without both 3 010, while 15/9 times next to nothing would be 9 000
 * again. */
static void test_fixes_are_replayed_together(void **state)
{
    (void)state;
    struct bench b;
    two_causes(&b);
    const struct wi_finding *wait = finding_of(&b, WI_SUB_TOO_FEW_WORKERS);
    const struct wi_finding *work = finding_of(&b, WI_SUB_CPU_COMPUTE);
    assert_times(wait->predicted.speedup, 15.0 / 9);
    assert_times(work->predicted.speedup, 40.0 * 15 / (40 * 15 - 6));
    int fixes[WI_FIXES];
    assert_int_equal(wi_fixes_of(&b.result, fixes), 3);
    assert_ptr_equal(&b.result.findings[fixes[0]], wait);
    /* copies that nothing covers have a fix that no replay shows: they are passed over */
    assert_int_equal(b.result.findings[fixes[1]].subcause, WI_SUB_TRANSFER_UNDETERMINED);
    assert_non_null(b.result.findings[fixes[1]].predicted.withheld);
    assert_int_equal(b.result.together_count, 1);
    const struct wi_together *both = &b.result.together[0];
    assert_int_equal(both->count, 2);
    assert_ptr_equal(&b.result.findings[both->findings[0]], wait);
    assert_ptr_equal(&b.result.findings[both->findings[1]], work);
    assert_times(both->predicted.speedup, 15000.0 / 3010);
    assert_true(both->predicted.low < both->predicted.speedup);
    assert_true(both->predicted.high >= both->predicted.speedup);
    struct wi_prediction asked =
        ask(&b, "input-ready:cause=too-few-workers+host-other-free:cause=cpu-compute");
    assert_times(both->predicted.speedup, asked.speedup);
    assert_int_equal(both->predicted.before_ns, wait->predicted.before_ns);
    assert_int_equal(wait->predicted.also_count, 0); /* it saves 40 %, which is what it took */
    bench_close(&b);
}

/* Each 1 720 us: ten launches, one each 50 us, with kernels of 10, and one of 1 000 us whose result
 * is read back; then 200 us until the next launch. */
static void read_back(struct bench *b)
{
    struct moved value = {4, WI_COPY_D2H, WI_MEM_PINNED, .blocking = 1};
    bench_open(b, 1, 0);
    gpu_of_ten_sms(b);
    for (int64_t at = 0; at < STEPS * 1720; at += 1720) {
        for (int64_t i = 0; i < 10; i++)
            kernel(b, &(struct work){at + 50 * i, at + 50 * i + 5, at + 50 * i + 5,
                                     at + 50 * i + 15, 0, FULL, 0, 0});
        kernel(b, &(struct work){at + 500, at + 505, at + 505, at + 1505, 0, FULL, 0, 0});
        transfer(b, &(struct work){at + 506, at + 1520, at + 1506, at + 1508, .stream = 0}, &value);
    }
    finish(b);
}

/* Without the read-back the host runs ahead, and the device is left with 1 100 us of kernels:
 * beside the wait of 12 %, the ten gaps of 40 us between launches are gone, 23 % that have another
 * cause. */
static void test_what_goes_with_a_fix(void **state)
{
    (void)state;
    struct bench b;
    read_back(&b);
    const struct wi_prediction *gone = &finding_of(&b, WI_SUB_READ_BACK_SYNC)->predicted;
    assert_true(gone->speedup > 1.5 && gone->speedup < 1720.0 / 1100);
    assert_int_equal(gone->also_count, 1);
    assert_int_equal(gone->also[0].subcause, WI_SUB_LAUNCH_BOUND);
    assert_near("also", "launches", gone->also[0].ns, (double)gone->before_ns / US * 400 / 1720,
                (double)gone->before_ns / US * 10 / 1720);
    /* launches that cost nothing take away what they took */
    assert_int_equal(finding_of(&b, WI_SUB_LAUNCH_BOUND)->predicted.also_count, 0);
    /* launches that cost a tenth, 1 720 - 10 x 36, and no read-back */
    assert_int_equal(b.result.together_count, 1);
    assert_times(b.result.together[0].predicted.speedup, 1720.0 / 1104);
    bench_close(&b);
}

/* 394 ms of start-up, then 40 steps of 15 ms with 6 of waiting: 24 % of the window, and 40 % of
 * what recurs and is replayed. */
static void test_start_up_is_not_replayed(void **state)
{
    (void)state;
    struct bench b;
    struct moved batch = {8000000, WI_COPY_H2D, WI_MEM_PINNED, .asleep = 1};
    bench_open(&b, 1, 0);
    gpu_of_ten_sms(&b);
    busy_loaders(&b, 1000000);
    say(&b, WI_API_ALLOC, 0, 394000);
    for (int64_t at = 400000; at < 400000 + STEPS * 15000; at += 15000) {
        transfer(&b, &(struct work){at, at + 5, at + 5, at + 995, .stream = 0}, &batch);
        kernel(&b, &(struct work){at + 10, at + 15, at + 995, at + 8990, 0, FULL, 0, 0});
        say(&b, WI_API_SYNC, at + 20, at + 9000);
    }
    finish(&b);
    const struct wi_finding *wait = finding_of(&b, WI_SUB_TOO_FEW_WORKERS);
    assert_in_range(wait->share * 1000, 239, 243); /* 40 x 6 of 994 ms */
    assert_times(wait->predicted.speedup, 15.0 / 9);
    assert_times((double)wait->predicted.own_ns / (double)wait->predicted.before_ns, 0.4);
    assert_int_equal(wait->predicted.also_count, 0);
    bench_close(&b);
}

/* Each 1 000 us: a kernel of 500 us, waited for, and in the 500 us until the next one two
 * allocations of 100 each, with work of the thread's own around them. */
static void test_idle_time_of_a_pass_by_cause(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 1, 0);
    gpu_of_ten_sms(&b);
    for (int64_t at = 0; at < STEPS * 1000; at += 1000) {
        kernel(&b, &(struct work){at, at + 5, at + 5, at + 505, 0, FULL, 0, 0});
        say(&b, WI_API_SYNC, at + 10, at + 508);
        say(&b, WI_API_ALLOC, at + 550, at + 650);
        say(&b, WI_API_ALLOC, at + 700, at + 800);
    }
    finish(&b);
    struct wi_session *s = wi_arena_alloc(&b.arena, sizeof(*s));
    struct wi_idle idle = {.device = 0};
    assert_int_equal(wi_session_begin(s, b.engine, &b.arena, 1), 0);
    assert_int_equal(wi_session_add_nothing(s), 0);
    s->plans[0].idle = &idle;
    assert_int_equal(wi_session_replay(s, 0, 1), 0);
    int64_t sum = idle.busy_ns, steps = STEPS - 1; /* the first kernel is the left edge */
    for (int i = 0; i < WI_SUB_COUNT; i++)
        sum += idle.ns[i];
    assert_int_equal(idle.busy_ns, steps * 500 * US);
    assert_int_equal(idle.ns[WI_SUB_ALLOCATOR], steps * 200 * US);
    assert_int_equal(idle.ns[WI_SUB_ALLOCATOR], (us_of(&b, WI_SUB_ALLOCATOR) - 200) * US);
    assert_int_equal(sum, steps * 1000 * US);
    bench_close(&b);
}

/* Two devices, one cause: it is one fix. */
static void test_one_cause_is_one_fix(void **state)
{
    (void)state;
    struct wi_finding findings[3] = {
        {.subcause = WI_SUB_LAUNCH_BOUND, .device = 0, .share = 0.5, .fix = "graphs"},
        {.subcause = WI_SUB_CPU_COMPUTE, .device = 0, .share = 0.04, .fix = "less of it"},
        {.subcause = WI_SUB_LAUNCH_BOUND, .device = 1, .share = 0.3, .fix = "graphs"}};
    struct wi_result result = {.findings = findings, .finding_count = 3, .verdict = {.finding = 2}};
    int fixes[WI_FIXES];
    assert_int_equal(wi_fixes_of(&result, fixes), 2); /* 4 % are not worth a fix */
    assert_int_equal(fixes[0], 2);                    /* the verdict first */
    assert_int_equal(fixes[1], 0);
    struct bench b;
    bench_open(&b, 1, 0);
    gpu_of_ten_sms(&b);
    for (b.device = 0; b.device < 2; b.device++)
        gpu_of_ten_sms(&b);
    for (int64_t at = 0; at < 400 * 100; at += 100)
        for (b.device = 0; b.device < 2; b.device++) {
            int64_t enter = at + 50 * b.device;
            kernel(&b, &(struct work){enter, enter + 40, enter + 40, enter + 45, 0, FULL, 0, 0});
        }
    b.device = 0;
    finish(&b);
    assert_int_equal(b.result.findings[0].subcause, WI_SUB_LAUNCH_BOUND);
    assert_int_equal(b.result.findings[1].subcause, WI_SUB_LAUNCH_BOUND);
    assert_int_equal(wi_fixes_of(&b.result, fixes), 2);
    assert_int_equal(b.result.together_count, 0);
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_fixes_are_replayed_together),
                                       cmocka_unit_test(test_what_goes_with_a_fix),
                                       cmocka_unit_test(test_start_up_is_not_replayed),
                                       cmocka_unit_test(test_idle_time_of_a_pass_by_cause),
                                       cmocka_unit_test(test_one_cause_is_one_fix)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
