/* Idle gaps, charged by hand: each test is a time line small enough to add up on paper.
 * Threads: one. */
#include <string.h>

#include "analyze/advice.h"
#include "engine_fixture.h"

/* 10 launches of 10 us each, 40 us of silence between them, kernels of 5 us: the device waits for
 * the next launch all the time. */
static void test_launch_bound(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 1, 0);
    for (int i = 0; i < 10; i++)
        launch(&b, i * 50, i * 50 + 10, i * 50 + 10, i * 50 + 15);
    finish(&b);
    assert_int_equal(us_of(&b, WI_SUB_COMPUTE), 50);
    assert_int_equal(us_of(&b, WI_SUB_LAUNCH_BOUND), 465 - 50);
    assert_string_equal(b.result.verdict.id, "small-batch/launch-bound");
    assert_exact(device_of(&b, 0));
    bench_close(&b);
}

/* Seven launches are too few for a run: their silences are not called dispatch. */
static void test_seven_launches_are_no_run(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 1, 0);
    for (int i = 0; i < 7; i++)
        launch(&b, i * 50, i * 50 + 10, i * 50 + 10, i * 50 + 15);
    finish(&b);
    assert_int_equal(us_of(&b, WI_SUB_LAUNCH_BOUND), 7 * 10);
    assert_int_equal(us_of(&b, WI_SUB_HOST_UNDETERMINED), 6 * 35);
    bench_close(&b);
}

/* Seven launches are too few even when their silences are as short as dispatch ever is. */
static void test_seven_fast_launches(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 1, 0);
    for (int i = 0; i < 7; i++)
        launch(&b, i * 25, i * 25 + 10, i * 25 + 10, i * 25 + 12);
    finish(&b);
    assert_int_equal(us_of(&b, WI_SUB_HOST_UNDETERMINED), 6 * 13);
    bench_close(&b);
}

/* A call that returned just when the gap began had queued its work. */
static void test_queued_at_the_edge(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 1, 0);
    launch(&b, 0, 5, 5, 10);
    launch(&b, 6, 10, 1010, 1020);
    finish(&b);
    assert_int_equal(us_of(&b, WI_SUB_DEVICE_DEPENDENCY), 1000);
    bench_close(&b);
}

/* The host was late, but the work started only 500 us after its call: that part is the device's. */
static void test_late_start_behind_a_late_launch(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 1, 0);
    launch(&b, 0, 5, 5, 10);
    launch(&b, 110, 120, 620, 630);
    finish(&b);
    assert_int_equal(us_of(&b, WI_SUB_DEVICE_DEPENDENCY), 500);
    assert_int_equal(us_of(&b, WI_SUB_LAUNCH_BOUND), 5 + 10);
    bench_close(&b);
}

/* A record whose times are not to be trusted, but lie in order: unknown, not busy and not idle. */
static void test_untrusted_times(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 1, 1);
    struct wi_device_op op = make_op(&b, WI_OP_KERNEL, 0, 100);
    op.flags = WI_OP_BAD_TIMES;
    wi_engine_op(b.engine, &op);
    finish(&b);
    assert_int_equal(us_of(&b, WI_SUB_BLIND_INTERVAL), 100);
    assert_int_equal(us_of(&b, WI_SUB_COMPUTE), 0);
    bench_close(&b);
}

/* From 5 % of the window on a stall is a verdict; below, it is only told. */
static void test_verdict_from_five_percent(void **state)
{
    (void)state;
    for (int percent = 4; percent <= 6; percent += 2) {
        struct bench b;
        bench_open(&b, 1, 1);
        struct wi_device_op op = make_op(&b, WI_OP_KERNEL, 0, 85000);
        wi_engine_op(b.engine, &op);
        op = make_op(&b, WI_OP_COPY, 85000, 85000 + percent * 1000);
        op.direction = WI_COPY_H2D;
        op.bytes = 1 << 20;
        op.src_mem = WI_MEM_PAGEABLE;
        wi_engine_op(b.engine, &op);
        b.corr = 77; /* the rest: untraced, no stall */
        op = make_op(&b, WI_OP_KERNEL, 100000, 100000);
        op.end_ns++;
        wi_engine_op(b.engine, &op);
        finish(&b);
        assert_non_null(finding_of(&b, WI_SUB_PAGEABLE_COPY));
        assert_string_equal(b.result.verdict.id, percent > 5 ? "transfer/pageable-copy" : "none");
        bench_close(&b);
    }
}

/* A launching thread that is ready but gets no core is not launch-bound, even in a run: ten
 * launches 400 us apart, then ten 2000 us apart, 1600 of them without a core. */
static void test_no_core_in_a_run(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 1, 0);
    int64_t at = 0;
    for (int i = 0; i < 20; i++) {
        at += i < 10 ? 400 : 2000;
        struct wi_host_call call = make_call(&b, WI_API_LAUNCH, at, at + 10);
        call.corr = ++b.corr;
        if (i >= 10) {
            call.run_ns = 390 * US; /* of a silence of 1990 us */
            call.runnable_ns = 1600 * US;
        }
        wi_engine_call(b.engine, &call);
        struct wi_device_op op = make_op(&b, WI_OP_KERNEL, at + 10, at + 20);
        wi_engine_op(b.engine, &op);
    }
    finish(&b);
    /* the last 1980 us of each silence are idle; 1600/1990 of them without a core */
    assert_in_range(us_of(&b, WI_SUB_CPU_CONTENTION), 10 * 1590, 10 * 1593);
    assert_in_range(us_of(&b, WI_SUB_LAUNCH_BOUND), 20 * 10 + 9 * 370, 20 * 10 + 9 * 390);
    bench_close(&b);
}

/* Looks at a silent thread begin 5 ms into each silence: what they show stands for the whole, if it
 * is a twentieth of it. 20 silences of 8 ms, of which the last 3 ms (or 0.3) are seen to wait for a
 * lock. */
static void lock_seen_for(int64_t seen_us, enum wi_subcause expected)
{
    struct bench b;
    bench_open(&b, 1, 0);
    for (int64_t i = 0, at = 0; i < 20; i++, at += 8110) {
        struct wi_host_call call = make_call(&b, WI_API_LAUNCH, at, at + 10);
        call.corr = ++b.corr;
        call.run_ns = call.runnable_ns = 0;
        wi_engine_call(b.engine, &call);
        struct wi_device_op op = make_op(&b, WI_OP_KERNEL, at + 10, at + 110);
        wi_engine_op(b.engine, &op);
        struct wi_event event = {.kind = WI_EVENT_SPAN};
        event.u.span = (struct wi_host_span){
            (at + 8110 - seen_us) * US, (at + 8110) * US, 100, 0, WI_SPAN_WAIT_LOCK, 0};
        wi_engine_push(b.engine, &event);
    }
    finish(&b);
    assert_int_equal(us_of(&b, expected), 19 * 8000);
    bench_close(&b);
}

static void test_looks_stand_for_the_silence(void **state)
{
    (void)state;
    lock_seen_for(3000, WI_SUB_GIL_CONTENTION);
    lock_seen_for(300, WI_SUB_UNDETERMINED);
}

/* A thread that spins until its input comes is waiting for it, however busy it looks. */
static void test_spinning_is_not_work(void **state)
{
    (void)state;
    for (int spins = 0; spins < 2; spins++) {
        struct bench b;
        bench_open(&b, 1, 0);
        launch(&b, 0, 10, 10, 110);
        if (spins) {
            struct wi_event event = {.kind = WI_EVENT_SPAN};
            event.u.span =
                (struct wi_host_span){110 * US, 20110 * US, 100, 0, WI_SPAN_BUSY_POLL, 0};
            wi_engine_push(b.engine, &event);
        }
        struct copy c = {20110, 20120, 20110, 20120, 8192, WI_COPY_H2D, WI_MEM_PINNED, 0, 20100};
        copy(&b, &c);
        launch(&b, 20120, 20130, 20130, 20230);
        finish(&b);
        assert_int_equal(us_of(&b, WI_SUB_INPUT_UNDETERMINED), spins ? 20000 : 0);
        assert_int_equal(us_of(&b, WI_SUB_CPU_COMPUTE), spins ? 0 : 20000);
        bench_close(&b);
    }
}

/* The first wait comes before the first look at the machine: what the run showed counts for it. */
static void test_first_wait_has_no_sample(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 1, 0);
    for (int i = 0; i < 5; i++) {
        int64_t at = i * 30000;
        struct copy c = {at + 20000,  at + 20100,    at + 20000, at + 20100, 1 << 20,
                         WI_COPY_H2D, WI_MEM_PINNED, 0,          0};
        if (!i) { /* another call before it: a signature of its own */
            launch(&b, 0, 1, 1, 2);
            say(&b, WI_API_EVENT_RECORD, 1, 2);
        }
        copy(&b, &c);
        launch(&b, at + 20100, at + 20110, at + 20110, at + 30000);
        struct wi_event event = {.kind = WI_EVENT_SAMPLE};
        wi_host_sample_clear(&event.u.sample);
        event.u.sample.at_ns = (at + 29000) * US;
        event.u.sample.interval_ns = 29 * MS;
        event.u.sample.children = 2;
        event.u.sample.child_cpu_permille = 980;
        wi_engine_push(b.engine, &event);
    }
    finish(&b);
    assert_int_equal(us_of(&b, WI_SUB_INPUT_UNDETERMINED), 0);
    assert_in_range(us_of(&b, WI_SUB_TOO_FEW_WORKERS), 5 * 19990, 5 * 20000);
    bench_close(&b);
}

/* A silence 20 times the median ends the run; what follows is not dispatch. */
static void test_long_silence_ends_a_run(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 1, 0);
    int64_t at = 0;
    for (int i = 0; i < 20; i++) {
        launch(&b, at, at + 10, at + 10, at + 15);
        at += i == 9 ? 10 + 600 : 10 + 30;
    }
    finish(&b);
    assert_int_equal(us_of(&b, WI_SUB_HOST_UNDETERMINED), 595);
    assert_exact(device_of(&b, 0));
    bench_close(&b);
}

/* 100 fast launches behind which the device lags, then 100 slow ones, twice: a new pace is a new
 * run, and the fast launches that follow do not change what the slow ones were. */
static void test_change_of_pace(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 1, 0);
    int64_t at = 0, device = 0;
    for (int i = 0; i < 400; i++) {
        int slow = i / 100 % 2;
        at += slow ? 140 : 8;
        int64_t start = at + 4 > device ? at + 4 : device;
        device = start + (slow ? 15 : 60);
        launch(&b, at, at + 4, start, device);
        at += 4;
    }
    finish(&b);
    assert_true(us_of(&b, WI_SUB_LAUNCH_BOUND) > 13000);
    /* the first slow silence of each stretch is the break itself */
    assert_true(us_of(&b, WI_SUB_HOST_UNDETERMINED) + us_of(&b, WI_SUB_FIRST_TOUCH) <= 2 * 140 + 8);
    assert_exact(device_of(&b, 0));
    bench_close(&b);
}

/* The thread sleeps 20 ms, then copies 1 MiB: the input was late. A second sleep before a launch
 * shows nothing and stays unknown. */
static void sleep_before(struct bench *b, int before_copy)
{
    launch(b, 0, 10, 10, 110);
    if (before_copy) {
        struct copy c = {20110, 20210, 20120, 20210, 1 << 20, WI_COPY_H2D, WI_MEM_PINNED, 0, 0};
        copy(b, &c);
        launch(b, 20210, 20220, 20220, 20320);
        return;
    }
    struct wi_host_call call = make_call(b, WI_API_LAUNCH, 20110, 20120);
    call.corr = ++b->corr;
    call.run_ns = call.runnable_ns = 0;
    wi_engine_call(b->engine, &call);
    struct wi_device_op op = make_op(b, WI_OP_KERNEL, 20120, 20220);
    wi_engine_op(b->engine, &op);
}

static void test_asleep_before_a_copy_is_input(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 1, 0);
    sleep_before(&b, 1);
    finish(&b);
    assert_int_equal(us_of(&b, WI_SUB_INPUT_UNDETERMINED), 20000);
    assert_int_equal(us_of(&b, WI_SUB_COMPUTE), 200);
    assert_exact(device_of(&b, 0));
    bench_close(&b);
}

static void test_asleep_before_a_launch_is_unknown(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 1, 0);
    sleep_before(&b, 0);
    finish(&b);
    assert_int_equal(us_of(&b, WI_SUB_UNDETERMINED), 20000);
    assert_string_equal(b.result.verdict.id, "inconclusive");
    bench_close(&b);
}

/* Busy children at the time make it too few workers; children in disk wait slow storage. */
static void with_children(int64_t cpu, int64_t disk, enum wi_subcause expected)
{
    struct bench b;
    bench_open(&b, 1, 0);
    struct wi_event event = {.kind = WI_EVENT_SAMPLE};
    event.u.sample = (struct wi_host_sample){.at_ns = 0,
                                             .interval_ns = MS,
                                             .children = 2,
                                             .child_cpu_permille = cpu,
                                             .child_disk_permille = disk,
                                             .cores_allowed = 16,
                                             .cores_idle_permille = 12000,
                                             .gpu_util_permille = WI_UNKNOWN,
                                             .throttled_ns = WI_UNKNOWN};
    wi_engine_push(b.engine, &event);
    sleep_before(&b, 1);
    finish(&b);
    assert_int_equal(us_of(&b, expected), 20000);
    const struct wi_finding *finding = finding_of(&b, expected);
    assert_non_null(finding);
    assert_int_equal(finding->children, 2);
    assert_int_equal(finding->cores_allowed, 16);
    bench_close(&b);
}

static void test_children_tell_the_cause(void **state)
{
    (void)state;
    with_children(970, 0, WI_SUB_TOO_FEW_WORKERS);
    with_children(100, 900, WI_SUB_SLOW_STORAGE);
    with_children(300, 0, WI_SUB_INPUT_UNDETERMINED);
}

/* Half of the silence on the CPU, half asleep: the time is divided. */
static void test_mixed_evidence_is_divided(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 1, 0);
    launch(&b, 0, 10, 10, 110);
    struct copy c = {10010, 10110, 10010, 10110, 1 << 20, WI_COPY_H2D, WI_MEM_PINNED, 0, 5000};
    copy(&b, &c);
    launch(&b, 10110, 10120, 10120, 10220);
    finish(&b);
    /* silence 10 ms, half on the CPU; the gap is its last 9.9 ms. Who waits for the input does not
     * make it: what it computed was something else. */
    assert_int_equal(us_of(&b, WI_SUB_CPU_COMPUTE), 4950);
    assert_int_equal(us_of(&b, WI_SUB_INPUT_UNDETERMINED), 4950);
    bench_close(&b);
}

/* Kernel 10..5010 us. A blocking copy enters at 2010 and waits 3000 us for it; then 4500 us of
 * host work, of which 3000 would have fitted under the kernel. */
static void test_blocking_copy_exposes_what_would_have_fitted(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 1, 0);
    launch(&b, 0, 10, 10, 5010);
    struct copy c = {2010, 5015, 5010, 5015, 4096, WI_COPY_H2D, WI_MEM_PAGEABLE, 1, -1};
    copy(&b, &c);
    launch(&b, 9515, 9525, 9525, 9625);
    finish(&b);
    assert_int_equal(us_of(&b, WI_SUB_BLOCKING_COPY), 5 + 3000);
    assert_int_equal(us_of(&b, WI_SUB_UNDETERMINED), 1500);    /* above 1 ms, and nothing seen */
    assert_int_equal(us_of(&b, WI_SUB_LAUNCH_BOUND), 10 + 10); /* both launches */
    assert_exact(device_of(&b, 0));
    bench_close(&b);
}

/* A read-back that waited for the queue: 0.5 ms of work behind it is its price, 3 ms keep their own
 * class and name it. */
static void test_read_back(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        int64_t work = i ? 3000 : 500;
        struct bench b;
        bench_open(&b, 1, 0);
        launch(&b, 0, 10, 10, 5010);
        struct copy c = {20, 5020, 5010, 5020, 4096, WI_COPY_D2H, WI_MEM_PAGEABLE, 1, -1};
        copy(&b, &c);
        struct wi_host_call call = make_call(&b, WI_API_LAUNCH, 5020 + work, 5030 + work);
        call.corr = ++b.corr;
        if (i) {
            call.run_ns = work * US;
            call.runnable_ns = 0;
        }
        wi_engine_call(b.engine, &call);
        struct wi_device_op op = make_op(&b, WI_OP_KERNEL, 5030 + work, 5130 + work);
        wi_engine_op(b.engine, &op);
        finish(&b);
        assert_int_equal(us_of(&b, WI_SUB_READ_BACK_SYNC), i ? 10 : 10 + 500);
        assert_int_equal(us_of(&b, WI_SUB_CPU_COMPUTE), i ? 3000 : 0);
        if (i) {
            const struct wi_finding *finding = finding_of(&b, WI_SUB_CPU_COMPUTE);
            assert_int_equal(finding->exposed_by, WI_SUB_READ_BACK_SYNC);
            assert_string_equal(wi_names_text(b.names, finding->exposed_api), "copy");
        }
        assert_exact(device_of(&b, 0));
        bench_close(&b);
    }
}

/* The same by an asynchronous copy and a sync behind it. */
static void test_read_back_by_sync(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 1, 0);
    launch(&b, 0, 10, 10, 5010);
    struct copy c = {20, 30, 5010, 5020, 8, WI_COPY_D2H, WI_MEM_PINNED, 0, -1};
    copy(&b, &c);
    say(&b, WI_API_SYNC, 31, 5020);
    launch(&b, 5520, 5530, 5530, 5630);
    finish(&b);
    assert_int_equal(us_of(&b, WI_SUB_READ_BACK_SYNC), 10 + 500);
    assert_int_equal(us_of(&b, WI_SUB_EXPLICIT_SYNC), 0);
    bench_close(&b);
}

static void test_bare_sync(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 1, 0);
    launch(&b, 0, 10, 10, 5010);
    say(&b, WI_API_SYNC, 20, 5010);
    launch(&b, 5510, 5520, 5520, 5620);
    finish(&b);
    assert_int_equal(us_of(&b, WI_SUB_EXPLICIT_SYNC), 500);
    assert_int_equal(us_of(&b, WI_SUB_LAUNCH_BOUND), 10 + 10); /* both launches */
    bench_close(&b);
}

/* Twelve copies of 4 KiB in a row, 90 us each on the host, 4 us on the device. */
static void test_many_tiny_copies(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 1, 0);
    launch(&b, 0, 10, 10, 20);
    for (int i = 0; i < 12; i++) {
        int64_t at = 20 + i * 100;
        struct copy c = {at, at + 90, at + 90, at + 94, 4096, WI_COPY_H2D, WI_MEM_PINNED, 0, -1};
        copy(&b, &c);
    }
    launch(&b, 1220, 1230, 1230, 1330);
    finish(&b);
    assert_int_equal(us_of(&b, WI_SUB_MANY_TINY_COPIES), 20 + 11 * 100 + 90 + 4 - 20);
    const struct wi_finding *finding = finding_of(&b, WI_SUB_MANY_TINY_COPIES);
    assert_int_equal(finding->copies, 12);
    assert_int_equal(finding->bytes, 12 * 4096);
    bench_close(&b);
}

/* Queued work: 5 us of spacing is launch-bound, 500 us a dependency, the same before a node of a
 * graph launched long ago is not traced. */
static void test_queued_work(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 1, 0);
    launch(&b, 0, 1, 10, 1000);
    launch(&b, 1, 2, 1005, 2000);
    launch(&b, 2, 3, 2500, 3000);
    struct wi_host_call call = make_call(&b, WI_API_GRAPH_LAUNCH, 3, 4);
    call.corr = ++b.corr;
    wi_engine_call(b.engine, &call);
    struct wi_device_op op = make_op(&b, WI_OP_KERNEL, 3500, 4000);
    op.flags = WI_OP_GRAPH_NODE;
    wi_engine_op(b.engine, &op);
    finish(&b);
    assert_int_equal(us_of(&b, WI_SUB_LAUNCH_BOUND), 10 + 5);
    assert_int_equal(us_of(&b, WI_SUB_DEVICE_DEPENDENCY), 500);
    assert_int_equal(us_of(&b, WI_SUB_UNTRACED), 500);
    assert_int_equal(device_of(&b, 0)->idle_ns, (10 + 5 + 500) * US); /* without untraced */
    bench_close(&b);
}

/* Work of a call that was not recorded: the gap before it is not called idle. */
static void test_unknown_call_is_untraced(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 1, 0);
    launch(&b, 0, 10, 10, 20);
    b.corr = 999;
    struct wi_device_op op = make_op(&b, WI_OP_KERNEL, 1020, 1030);
    wi_engine_op(b.engine, &op);
    finish(&b);
    assert_int_equal(us_of(&b, WI_SUB_UNTRACED), 1000);
    bench_close(&b);
}

/* Allocation, pinning, module loading and a slow first launch name themselves, in each of ten
 * turns.
 */
static void test_calls_name_themselves(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 1, 0);
    say(&b, WI_API_ALLOC, 0, 400); /* before the first operation: start-up */
    launch(&b, 400, 410, 410, 510);
    for (int64_t i = 0, at = 510; i < 10; i++, at += 8500) {
        say(&b, WI_API_ALLOC, at, at + 200);
        say(&b, WI_API_FREE, at + 200, at + 500);
        say(&b, WI_API_PIN, at + 500, at + 900);
        say(&b, WI_API_MODULE_LOAD, at + 900, at + 1400);
        /* 7 ms in one launch: it loads its kernel */
        launch(&b, at + 1400, at + 8400, at + 8400, at + 8500);
    }
    finish(&b);
    assert_int_equal(us_of(&b, WI_SUB_FIRST_TOUCH), 400);
    assert_int_equal(us_of(&b, WI_SUB_ALLOCATOR), 10 * (200 + 300));
    assert_int_equal(us_of(&b, WI_SUB_PIN_PER_COPY), 10 * 400);
    assert_int_equal(us_of(&b, WI_SUB_MODULE_LOAD), 10 * (500 + 7000));
    assert_exact(device_of(&b, 0));
    bench_close(&b);
}

/* After the last operation the last issuing thread is charged until the last call returns. */
static void test_trailing_gap(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 1, 0);
    launch(&b, 0, 10, 10, 110);
    say(&b, WI_API_FREE, 310, 360);
    finish(&b);
    assert_int_equal(device_of(&b, 0)->window_end_ns, 360 * US);
    assert_int_equal(us_of(&b, WI_SUB_ALLOCATOR), 50);
    assert_int_equal(us_of(&b, WI_SUB_HOST_UNDETERMINED), 200);
    bench_close(&b);
}

/* Two threads that alternate are one clock: while B issues, A's silence is not host work. */
static void test_alternating_threads(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 1, 0);
    for (int step = 0; step < 6; step++) {
        for (int i = 0; i < 20; i++) {
            int64_t at = step * 4000 + i * 100;
            b.thread = i < 10 ? 1 : 2;
            launch(&b, at, at + 10, at + 10, at + 15);
        }
    }
    finish(&b);
    /* Each step: 20 launches, 85 us of silence after each; hand-overs (first launch of a thread's
     * burst) are host work, 2 a step but the very first one. */
    int64_t window = 5 * 4000 + 19 * 100 + 15;
    int64_t hand_over = 6 * 85 + 5 * (4000 - 1915);
    assert_int_equal(us_of(&b, WI_SUB_COMPUTE), 600);
    assert_int_equal(us_of(&b, WI_SUB_LAUNCH_BOUND), window - 600 - hand_over);
    assert_exact(device_of(&b, 0));
    bench_close(&b);
}

/* Two threads that overlap all the time are independent: B's calls do not explain A's silence. */
static void test_independent_threads(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 1, 0);
    int64_t at = 0;
    for (int step = 0; step < 20; step++, at += 2000)
        for (int i = 0; i < 20; i++) {
            b.thread = 1 + (uint32_t)i % 2;
            launch(&b, at + i * 10, at + i * 10 + 5, at + i * 10 + 5, at + i * 10 + 10);
        }
    for (int i = 0; i < 40; i++) { /* only thread 2 calls allocations; thread 1 ends the gap */
        b.thread = 2;
        say(&b, WI_API_ALLOC, at + i * 20, at + i * 20 + 20);
    }
    b.thread = 1;
    launch(&b, at + 800, at + 805, at + 805, at + 810);
    finish(&b);
    assert_int_equal(us_of(&b, WI_SUB_ALLOCATOR) + us_of(&b, WI_SUB_FIRST_TOUCH), 0);
    bench_close(&b);
}

/* One thread and two devices in turn: while it waits for one, the other idles because of that wait.
 * With nothing running anywhere, a long wait is not explained. */
static void test_waiting_for_another_device(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 1, 0);
    for (int i = 0; i < 10; i++) {
        b.device = i % 2;
        launch(&b, i * 20000, i * 20000 + 10, i * 20000 + 10, i * 20000 + 20000);
        say(&b, WI_API_SYNC, i * 20000 + 10, i * 20000 + 20000);
    }
    finish(&b);
    assert_in_range(us_of(&b, WI_SUB_EXPLICIT_SYNC), 5 * 19990 - 20, 5 * 19990 + 20);
    assert_int_equal(us_of(&b, WI_SUB_DEVICE_DEPENDENCY), 0);
    assert_exact(device_of(&b, 0));
    assert_exact(device_of(&b, 1));
    bench_close(&b);
    bench_open(&b, 1, 0);
    launch(&b, 0, 10, 10, 100);
    say(&b, WI_API_SYNC, 20, 5100);
    launch(&b, 5100, 5110, 5110, 5200);
    finish(&b);
    assert_int_equal(us_of(&b, WI_SUB_UNDETERMINED), 5000);
    bench_close(&b);
}

/* A device whose own thread has ended is not charged with what another device's thread does. */
static void test_trailing_gap_of_an_idle_device(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 1, 0);
    for (int i = 0; i < 40; i++) { /* two threads at once, a device each: independent clocks */
        b.device = i % 2;
        b.thread = 1 + (uint32_t)(i % 2);
        launch(&b, i * 10, i * 10 + 15, i * 10 + 15, i * 10 + 25);
    }
    b.device = 1;
    b.thread = 2;
    for (int i = 0; i < 10; i++)
        say(&b, WI_API_ALLOC, 1000 + i * 100, 1100 + i * 100);
    launch(&b, 2000, 2010, 2010, 2020);
    finish(&b);
    const int64_t *there = device_of(&b, 1)->subcause_ns;
    assert_int_equal(us_of(&b, WI_SUB_ALLOCATOR) + us_of(&b, WI_SUB_FIRST_TOUCH), 0);
    assert_int_equal(there[WI_SUB_ALLOCATOR] + there[WI_SUB_FIRST_TOUCH],
                     (10 + 1000) * US); /* 10 before its first operation */
    bench_close(&b);
}

/* A copy from device 0 to device 1 takes the time of both; it is one operation of one device.
 * Device 0: kernel 10-100, copy 120-220; device 1: kernel 15-60, the same copy. Both windows run
 * from the first call, 0, to the end of the sync, 240. */
static void test_copy_between_devices(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 1, 0);
    launch(&b, 0, 10, 10, 100);
    b.device = 1;
    launch(&b, 10, 15, 15, 60);
    b.device = 0;
    struct copy c = {100, 110, 120, 220, 4096, WI_COPY_P2P, WI_MEM_DEVICE, 0, -1};
    copy(&b, &c);
    struct wi_device_op share = make_op(&b, WI_OP_COPY, 120, 220);
    share.device = 1;
    share.bytes = 4096;
    share.direction = WI_COPY_P2P;
    share.src_mem = share.dst_mem = WI_MEM_DEVICE;
    share.flags = WI_OP_PEER;
    wi_engine_op(b.engine, &share);
    say(&b, WI_API_SYNC, 115, 240);
    finish(&b);
    const int64_t kernel_us[2] = {90, 45};
    for (int i = 0; i < 2; i++) {
        const struct wi_device_result *device = device_of(&b, i);
        assert_exact(device);
        assert_int_equal(device->window_end_ns - device->window_start_ns, 240 * US);
        assert_int_equal(device->timeline.kernel_ns, kernel_us[i] * US);
        assert_int_equal(device->timeline.copy_ns, 100 * US);
        assert_int_equal(device->timeline.exposed_ns, 100 * US);
        assert_true(device->class_ns[WI_CLASS_TRANSFER] >= 100 * US);
        assert_int_equal(device->copies, i == 0);
    }
    assert_int_equal(b.result.coverage.ops, 3);
    assert_int_equal(b.result.coverage.ops_matched, 3);
    uint64_t count = 0, bytes = 0;
    int64_t exposed_ns = 0;
    for (int i = 0; i < b.result.copy_count; i++) {
        count += b.result.copies[i].count;
        bytes += b.result.copies[i].bytes;
        exposed_ns += b.result.copies[i].exposed_ns;
    }
    assert_int_equal(count, 1);
    assert_int_equal(bytes, 4096);
    assert_int_equal(exposed_ns, 100 * US);
    bench_close(&b);
}

/* A wait that returns 3 ms after the device was done: the thread made a call, it was in one. */
static void test_late_return_is_told_of_the_call(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 0, 0);
    for (int64_t at = 0; at < 30 * 5000; at += 5000) {
        launch(&b, at, at + 10, at + 10, at + 1010);
        struct wi_host_call call = make_call(&b, WI_API_SYNC, at + 20, at + 4010);
        call.flags = WI_CALL_BLOCKING;
        wi_engine_call(b.engine, &call);
    }
    finish(&b);
    const struct wi_finding *finding = finding_of(&b, WI_SUB_UNDETERMINED);
    assert_non_null(finding);
    assert_true(finding->api_after != WI_NO_NAME);
    assert_null(strstr(finding->seen, "made no call"));
    assert_non_null(strstr(finding->seen, "{api_after} returned late"));
    assert_non_null(strstr(wi_advice_fix(finding, WI_DIALECT_CUDA), "{api_after} itself"));
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_late_return_is_told_of_the_call),
        cmocka_unit_test(test_launch_bound),
        cmocka_unit_test(test_seven_launches_are_no_run),
        cmocka_unit_test(test_seven_fast_launches),
        cmocka_unit_test(test_queued_at_the_edge),
        cmocka_unit_test(test_late_start_behind_a_late_launch),
        cmocka_unit_test(test_untrusted_times),
        cmocka_unit_test(test_verdict_from_five_percent),
        cmocka_unit_test(test_no_core_in_a_run),
        cmocka_unit_test(test_spinning_is_not_work),
        cmocka_unit_test(test_looks_stand_for_the_silence),
        cmocka_unit_test(test_first_wait_has_no_sample),
        cmocka_unit_test(test_long_silence_ends_a_run),
        cmocka_unit_test(test_change_of_pace),
        cmocka_unit_test(test_asleep_before_a_copy_is_input),
        cmocka_unit_test(test_asleep_before_a_launch_is_unknown),
        cmocka_unit_test(test_children_tell_the_cause),
        cmocka_unit_test(test_mixed_evidence_is_divided),
        cmocka_unit_test(test_blocking_copy_exposes_what_would_have_fitted),
        cmocka_unit_test(test_read_back),
        cmocka_unit_test(test_read_back_by_sync),
        cmocka_unit_test(test_bare_sync),
        cmocka_unit_test(test_many_tiny_copies),
        cmocka_unit_test(test_queued_work),
        cmocka_unit_test(test_unknown_call_is_untraced),
        cmocka_unit_test(test_calls_name_themselves),
        cmocka_unit_test(test_trailing_gap),
        cmocka_unit_test(test_alternating_threads),
        cmocka_unit_test(test_independent_threads),
        cmocka_unit_test(test_waiting_for_another_device),
        cmocka_unit_test(test_trailing_gap_of_an_idle_device),
        cmocka_unit_test(test_copy_between_devices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
