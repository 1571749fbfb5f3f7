/* What is not said, and how much at most: every reason to withhold a prediction at its bound, what
 * of a stretch counts, and what a faster device can bring. Worked out by hand. Threads: one. */
#include "analyze/predict_session.h"
#include "replay_fixture.h"

#define FULL   160 /* blocks that fill the device */
#define RUN_US 1000000

/* A launch of 10 us each 500 us with a kernel of 20. */
static int64_t launches(struct bench *b, int64_t from_us, int64_t until_us)
{
    int64_t at = from_us;
    for (; at < until_us; at += 500)
        kernel(b, &(struct work){at, at + 10, at + 10, at + 30, 0, FULL, 0, 0});
    return at;
}

/* One second in which the host works for 8 ms of its own eleven times, so often apart; the whole
 * cycles from the first to the last of them are ten of these. */
static void waits_each(struct bench *b, int64_t cycle_us)
{
    bench_open(b, 1, 0);
    gpu_of_ten_sms(b);
    int64_t at = launches(b, 0, 20000);
    for (int i = 0; i < 11; i++)
        at = launches(b, at + 8000, at + cycle_us);
    launches(b, at, RUN_US);
    finish(b);
}

/* Where a kind of silence takes much of the time, the cycles between them stand for the run, unless
 * they are less than a quarter of it. Then the whole second counts: 999 500 us, from the end of the
 * first kernel to that of the last. */
static void test_cycles_are_a_quarter_of_the_stretch(void **state)
{
    (void)state;
    struct bench b;
    waits_each(&b, 24000);
    assert_null(b.result.replay.withheld);
    assert_int_equal(b.result.replay.covered_ns, 999500 * US);
    bench_close(&b);
    waits_each(&b, 26000);
    assert_int_equal(b.result.replay.covered_ns, 260000 * US);
    bench_close(&b);
}

static void test_withheld_below_half_of_the_run(void **state)
{
    (void)state;
    struct bench b;
    waits_each(&b, 49000);
    assert_int_equal(b.result.replay.covered_ns, 490000 * US);
    assert_string_equal(b.result.replay.withheld, "less than half of the run could be replayed");
    assert_string_equal(ask(&b, "gpu-2x").withheld, "less than half of the run could be replayed");
    bench_close(&b);
    waits_each(&b, 51000);
    assert_int_equal(b.result.replay.covered_ns, 510000 * US);
    assert_null(b.result.replay.withheld);
    assert_null(ask(&b, "gpu-2x").withheld);
    bench_close(&b);
}

/* 20 cycles of 3 ms (2 of host work, 1 in a kernel that is waited for), and a last kernel of 500
 * ms: the cycles are over for the host at 60 ms, and the stretch at 560. It counts from the end of
 * its first kernel. */
static void test_a_stretch_ends_with_the_device(void **state)
{
    (void)state;
    struct bench b;
    int64_t at = 0;
    bench_open(&b, 1, 0);
    gpu_of_ten_sms(&b);
    for (int i = 0; i < 20; i++, at += 3000) {
        kernel(&b, &(struct work){at, at + 10, at + 10, at + 990, 0, FULL, 0, 0});
        say(&b, WI_API_SYNC, at + 20, at + 1000);
    }
    kernel(&b, &(struct work){at, at + 10, at + 10, at + 500010, 0, FULL, 0, 0});
    finish(&b);
    assert_null(b.result.replay.withheld);
    assert_int_equal(b.result.replay.covered_ns, 559020 * US);
    bench_close(&b);
}

/* Calls alone: their records have not come. */
static void test_withheld_without_device_times(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 1, 0);
    for (int64_t at = 0; at < 100 * 50; at += 50)
        say(&b, WI_API_LAUNCH, at, at + 10);
    finish(&b);
    assert_string_equal(b.result.replay.withheld, "no device times have arrived");
    assert_string_equal(ask(&b, "gpu-2x").withheld, "no device times have arrived");
    bench_close(&b);
}

/* The window of a recording begins with its first operation: 40 ms of calls before it count in a
 * job that was seen whole, not in one that was recorded from somewhere on. */
static void test_a_recording_begins_with_the_device(void **state)
{
    (void)state;
    for (int imported = 0; imported < 2; imported++) {
        struct bench b;
        bench_open(&b, 1, imported);
        gpu_of_ten_sms(&b);
        for (int64_t at = 0; at < 40000; at += 400)
            say(&b, WI_API_ALLOC, at, at + 300);
        launches(&b, 40000, 100000);
        finish(&b);
        /* the last kernel ends at 99 530, the first begins at 40 010 */
        assert_int_equal(b.result.replay.covered_ns, (imported ? 59520 : 99530) * US);
        bench_close(&b);
    }
}

/* Parts of the run that the replay misses by so much: the middle one decides. */
static const char *withheld_at(struct wi_session *session, int64_t off_millionths)
{
    session->errors = (struct wi_hist){0};
    session->replay = (struct wi_replay){0};
    for (int i = 0; i < 21; i++)
        wi_hist_add(&session->errors, i < 10 ? 1000 : off_millionths);
    wi_session_judge(session);
    return session->replay.withheld;
}

/* Buckets of a histogram are 9 % wide: 4.5 % is below the bound of 5 %, 5.6 % above. */
static void test_withheld_when_the_run_itself_is_missed(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 1, 0);
    gpu_of_ten_sms(&b);
    launches(&b, 0, 100000);
    finish(&b);
    struct wi_session *session = wi_arena_alloc(&b.arena, sizeof(*session));
    assert_int_equal(wi_session_begin(session, b.engine, &b.arena, 1), 0);
    assert_int_equal(wi_session_add_nothing(session), 0);
    assert_int_equal(wi_session_replay(session, 0, 1), 0);
    assert_null(withheld_at(session, 45000));
    assert_string_equal(withheld_at(session, 56000),
                        "replaying the run misses its own steps by more than 5 %");
    uint32_t plans[3] = {0, 0, 0};
    struct wi_prediction said = wi_session_prediction(session, WI_UNIVERSE_GPU_2X, plans);
    assert_string_equal(said.withheld, session->replay.withheld);
    assert_true(said.speedup == 0);
    bench_close(&b);
}

/* Kernels of 1 ms back to back, each launched while the one before it runs. */
static void nothing_but_kernels(struct bench *b)
{
    bench_open(b, 1, 0);
    gpu_of_ten_sms(b);
    for (int64_t i = 0; i < 200; i++)
        kernel(b,
               &(struct work){20 * i, 20 * i + 10, 10 + 1000 * i, 1010 + 1000 * i, 0, FULL, 0, 0});
    finish(b);
}

/* A range is a hundredth wider than what was replayed at least, but no device that is twice as fast
 * makes a run more than twice as fast. */
static void test_a_faster_device_brings_its_own_factor_at_most(void **state)
{
    (void)state;
    struct bench b;
    nothing_but_kernels(&b);
    struct wi_prediction twice = ask(&b, "gpu-2x"), fourfold = ask(&b, "gpu-2x:x=4");
    assert_true(twice.speedup > 1.99 && twice.speedup <= 2 && twice.high == 2);
    assert_true(fourfold.speedup > 3.9 && fourfold.speedup <= 4 && fourfold.high == 4);
    for (int i = 0; i < b.result.prediction_count; i++)
        if (b.result.predictions[i].universe == WI_UNIVERSE_GPU_2X)
            assert_true(b.result.predictions[i].high == 2);
    bench_close(&b);
}

/* What else changes has no such bound: 2 488 us of host work behind each kernel of 1 ms, which is
 * waited for; without that work, and with kernels of 500 us, 3 500 us are 10 + 500 + 2. */
static void test_a_faster_device_and_more(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 1, 0);
    gpu_of_ten_sms(&b);
    for (int64_t at = 0; at < 100 * 3500; at += 3500) {
        kernel(&b, &(struct work){at, at + 10, at + 10, at + 1010, 0, FULL, 0, 0});
        say(&b, WI_API_SYNC, at + 15, at + 1012);
    }
    finish(&b);
    assert_int_equal(b.result.findings[0].subcause, WI_SUB_UNDETERMINED);
    struct wi_prediction both = ask(&b, "gpu-2x+host-other-free:cause=unknown/undetermined");
    assert_in_range(both.speedup * 100, 676, 690); /* 3500 / 512 = 6.84 */
    assert_true(both.high > both.speedup);
    bench_close(&b);
}

/* ---- ranges of what nobody has seen */

/* Twice as many loaders start all at once (as long as before), or one after the other (twice as
 * long); what is said by the point lies between. */
static void test_more_loaders_start_longer(void **state)
{
    (void)state;
    struct bench b;
    struct wi_change change, variants[3];
    struct wi_change_problem problem;
    bench_open(&b, 1, 0);
    struct wi_session *session = wi_arena_alloc(&b.arena, sizeof(*session));
    assert_int_equal(wi_session_begin(session, b.engine, &b.arena, 1), 0);
    assert_int_equal(wi_change_parse(&change, "producer-rate:x=3,by=workers", &problem), 0);
    wi_session_variants(session, &change, variants);
    assert_true(variants[0].host[WI_SUB_LOADER_RECREATION].scale == 3);
    assert_true(variants[1].host[WI_SUB_LOADER_RECREATION].scale == 2);
    assert_true(variants[2].host[WI_SUB_LOADER_RECREATION].scale == 1);
    bench_close(&b);
}

/* Each 2 000 us: a kernel of 1 000 us, a value of it read back, and 985 us of work on the value.
 * Where it is not read back, the device runs on: 1 000 us. What was done with the value is done
 * there then: at the low end a tenth of it, 98 us. */
static void test_work_on_a_value_does_not_vanish(void **state)
{
    (void)state;
    struct bench b;
    struct moved value = {4, WI_COPY_D2H, WI_MEM_PINNED, .blocking = 1};
    bench_open(&b, 1, 0);
    gpu_of_ten_sms(&b);
    for (int64_t at = 0; at < 60 * 2000; at += 2000) {
        kernel(&b, &(struct work){at, at + 5, at + 5, at + 1005, 0, FULL, 0, 0});
        transfer(&b, &(struct work){at + 6, at + 1015, at + 1006, at + 1008, .stream = 0}, &value);
    }
    finish(&b);
    struct wi_prediction got = ask(&b, "no-readback-sync:every=1000,stay=0");
    assert_in_range(got.speedup * 1000, 1980, 2000); /* 2000 / 1003 */
    assert_in_range(got.low * 1010, 1800, 1825);     /* 2000 / 1101, and a hundredth less */
    assert_in_range(got.high * 1000, 1990, 2020);
    bench_close(&b);
}

/* A host that works for 940 us of each 1000 after it has waited for a kernel of 50 and its value
 * has little to gain from not waiting: what it does behind the value may be anything. Left are the
 * launch, 1 us, 2 us of the copy's call and the work, 948 us. */
static void test_the_hosts_own_work_is_no_price_of_a_read_back(void **state)
{
    (void)state;
    struct bench b;
    struct moved value = {4, WI_COPY_D2H, WI_MEM_PINNED, .blocking = 1};
    bench_open(&b, 1, 0);
    gpu_of_ten_sms(&b);
    for (int64_t at = 0; at < 60 * 1000; at += 1000) {
        kernel(&b, &(struct work){at, at + 5, at + 5, at + 55, 0, FULL, 0, 0});
        transfer(&b, &(struct work){at + 6, at + 60, at + 56, at + 58, .stream = 0}, &value);
    }
    finish(&b);
    struct wi_prediction got = ask(&b, "no-readback-sync");
    assert_in_range(got.speedup * 1000, 1045, 1060);
    assert_in_range(got.high * 1000, 1045, 1080);
    got = ask(&b, "no-readback-sync:every=1000,stay=0"); /* it was all work on the value */
    assert_true(got.speedup > 10);
    got = ask(&b, "gpu-2x:x=0.5"); /* 50 us more in 1000 */
    assert_in_range(got.speedup * 1000, 945, 960);
    bench_close(&b);
}

/* Three of four kernels come without their call: what they would do is not known. */
static void test_withheld_where_most_work_has_no_call(void **state)
{
    (void)state;
    for (int strangers = 0; strangers <= 3; strangers += 3) {
        struct bench b;
        bench_open(&b, 1, 0);
        gpu_of_ten_sms(&b);
        for (int64_t at = 0; at < 60 * 1000; at += 1000) {
            kernel(&b, &(struct work){at, at + 5, at + 5, at + 10, 0, FULL, 0, 0});
            for (int i = 1; i <= strangers; i++) {
                struct wi_device_op op = make_op(&b, WI_OP_KERNEL, at + 100 * i, at + 100 * i + 50);
                op.corr = 1000000 + (uint64_t)(at + i);
                wi_engine_op(b.engine, &op);
            }
            say(&b, WI_API_SYNC, at + 6, at + 12);
        }
        finish(&b);
        struct wi_prediction got = ask(&b, "gpu-2x");
        if (!strangers)
            assert_null(got.withheld);
        else
            assert_string_equal(got.withheld,
                                "less than half of the device's work was matched to its calls");
        bench_close(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cycles_are_a_quarter_of_the_stretch),
        cmocka_unit_test(test_withheld_below_half_of_the_run),
        cmocka_unit_test(test_withheld_where_most_work_has_no_call),
        cmocka_unit_test(test_the_hosts_own_work_is_no_price_of_a_read_back),
        cmocka_unit_test(test_a_stretch_ends_with_the_device),
        cmocka_unit_test(test_withheld_without_device_times),
        cmocka_unit_test(test_a_recording_begins_with_the_device),
        cmocka_unit_test(test_withheld_when_the_run_itself_is_missed),
        cmocka_unit_test(test_a_faster_device_brings_its_own_factor_at_most),
        cmocka_unit_test(test_a_faster_device_and_more),
        cmocka_unit_test(test_more_loaders_start_longer),
        cmocka_unit_test(test_work_on_a_value_does_not_vanish),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
