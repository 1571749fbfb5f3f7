/* The engine fed as in a job: out of order, late, with records lost, bad or missing, and for long.
 * Threads: one. */
#include <stdlib.h>
#include <string.h>

#include "engine_fixture.h"

#include "analyze/calls.h"

#define STEPS 400

/* A job of STEPS steps: copy, three launches on two threads, a read-back. */
static int make_events(struct bench *b, struct wi_event *events)
{
    int count = 0;
    int64_t at = 0;
    srand(7);
    for (int step = 0; step < STEPS; step++) {
        for (int i = 0; i < 5; i++) {
            int copy = i == 0 || i == 4;
            int64_t host = 5 + rand() % 40, length = 20 + rand() % 400;
            b->thread = i < 3 ? 1 : 2;
            struct wi_host_call call =
                make_call(b, copy ? WI_API_COPY : WI_API_LAUNCH, at, at + host);
            call.corr = ++b->corr;
            call.flags = WI_CALL_OWES | (i == 4 ? WI_CALL_BLOCKING : 0);
            call.bytes = copy ? 1 << 18 : 0;
            call.direction = !copy ? 0 : i == 4 ? WI_COPY_D2H : WI_COPY_H2D;
            struct wi_device_op op =
                make_op(b, copy ? WI_OP_COPY : WI_OP_KERNEL, at + host, at + host + length);
            op.direction = call.direction;
            op.bytes = call.bytes;
            if (i == 4)
                call.exit_ns = op.end_ns;
            events[count++] = (struct wi_event){.kind = WI_EVENT_CALL, .u.call = call};
            events[count++] = (struct wi_event){.kind = WI_EVENT_OP, .u.op = op};
            at = call.exit_ns / US + rand() % 600;
        }
    }
    return count;
}

static int by_time(const void *a, const void *b)
{
    int64_t x = wi_event_time(a), y = wi_event_time(b);
    return (x > y) - (x < y);
}

static void feed_ordered(struct bench *b, struct wi_event *events, int count)
{
    qsort(events, (size_t)count, sizeof(*events), by_time);
    for (int i = 0; i < count; i++) {
        wi_engine_advance(b->engine, wi_event_time(&events[i]));
        wi_engine_push(b->engine, &events[i]);
    }
}

/* As the collector does it: the rings first, thread by thread, then buffers of old device records
 * in any order, then advance to the time the rings were read. */
static void feed_live(struct bench *b, const struct wi_event *events, int count)
{
    int64_t drained = INT64_MIN, buffered = INT64_MIN / 2;
    for (int64_t now = 0;; now += 3 * MS) {
        for (uint32_t thread = 2; thread >= 1; thread--)
            for (int i = 0; i < count; i++)
                if (events[i].kind == WI_EVENT_CALL && events[i].u.call.thread == thread &&
                    events[i].u.call.exit_ns > drained && events[i].u.call.exit_ns <= now)
                    wi_engine_push(b->engine, &events[i]);
        int64_t horizon = now;
        for (int i = 0; i < count; i++)
            if (events[i].kind == WI_EVENT_CALL && events[i].u.call.enter_ns <= now &&
                events[i].u.call.exit_ns > now && events[i].u.call.enter_ns < horizon)
                horizon = events[i].u.call.enter_ns;
        for (int i = count - 1; i >= 0; i--) { /* newest first; 10 ms late */
            const struct wi_device_op *op = &events[i].u.op;
            if (events[i].kind == WI_EVENT_OP && op->end_ns > buffered - 10 * MS &&
                op->end_ns <= now - 10 * MS)
                wi_engine_push(b->engine, &events[i]);
        }
        drained = buffered = now;
        wi_engine_advance(b->engine, horizon);
        if (now > events[count - 1].u.op.end_ns + 20 * MS)
            return;
    }
}

static void test_live_equals_ordered(void **state)
{
    (void)state;
    static struct wi_event events[STEPS * 10];
    struct bench ordered, live;
    bench_open(&ordered, 1, 0);
    int count = make_events(&ordered, events);
    bench_open(&live, 0, 0);
    for (int i = 0; i < 3; i++) /* the same name ids */
        wi_names_str(live.names, i == 0 ? "copy" : i == 1 ? "kernel" : "launch");
    feed_ordered(&ordered, events, count);
    qsort(events, (size_t)count, sizeof(*events), by_time);
    feed_live(&live, events, count);
    finish(&ordered);
    finish(&live);
    const struct wi_device_result *a = device_of(&ordered, 0), *b = device_of(&live, 0);
    assert_memory_equal(&a->timeline, &b->timeline, sizeof(a->timeline));
    assert_memory_equal(a->subcause_ns, b->subcause_ns, sizeof(a->subcause_ns));
    assert_int_equal(live.result.coverage.lost[WI_LOSS_LATE], 0);
    assert_int_equal(live.result.coverage.ops_matched, STEPS * 5);
    assert_exact(b);
    bench_close(&ordered);
    bench_close(&live);
}

/* A call whose record never comes: what follows its exit is not called idle. */
static void test_missing_record_is_blind(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 0, 0);
    launch(&b, 0, 10, 10, 110);
    struct wi_host_call call = make_call(&b, WI_API_LAUNCH, 210, 220);
    call.corr = ++b.corr;
    call.flags = WI_CALL_OWES;
    wi_engine_call(b.engine, &call);
    say(&b, WI_API_FREE, 5000, 5010);
    wi_engine_advance(b.engine, 6000 * US);
    assert_true(wi_engine_watermark(b.engine) < 210 * US); /* it waits for the record */
    finish(&b);
    assert_int_equal(us_of(&b, WI_SUB_BLIND_INTERVAL), 5010 - 220);
    assert_int_equal(device_of(&b, 0)->idle_ns, (10 + 220 - 110) * US);
    assert_int_equal(b.result.coverage.calls_owing, 1);
    assert_exact(device_of(&b, 0));
    bench_close(&b);
}

/* After 10 s the watermark goes on without it. */
static void test_overdue_record_holds_nothing_back(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 0, 0);
    launch(&b, 0, 10, 10, 110);
    struct wi_host_call call = make_call(&b, WI_API_LAUNCH, 210, 220);
    call.corr = ++b.corr;
    call.flags = WI_CALL_OWES;
    wi_engine_call(b.engine, &call);
    wi_engine_advance(b.engine, 9000 * (int64_t)MS);
    assert_true(wi_engine_watermark(b.engine) < 210 * US);
    wi_engine_advance(b.engine, 11000 * (int64_t)MS);
    assert_true(wi_engine_watermark(b.engine) > 10000 * (int64_t)MS);
    bench_close(&b);
}

/* A kernel that runs for 30 s while small ones come and go: unknown until its record comes, then
 * busy, from its start on. */
static void test_late_record_takes_the_blind_time_back(void **state)
{
    (void)state;
    struct bench b;
    const int64_t second = 1000000; /* us */
    bench_open(&b, 0, 0);
    launch(&b, 0, 10, 10, 110);
    struct wi_host_call call = make_call(&b, WI_API_LAUNCH, 210, 220);
    call.corr = ++b.corr;
    call.flags = WI_CALL_OWES;
    wi_engine_call(b.engine, &call);
    uint64_t late = b.corr;
    for (int i = 1; i <= 25; i++) {
        launch(&b, i * second, i * second + 10, i * second + 10, i * second + 1010);
        wi_engine_advance(b.engine, i * second * US);
    }
    assert_int_equal(wi_engine_result(b.engine, &b.arena, &b.result), 0);
    assert_true(us_of(&b, WI_SUB_BLIND_INTERVAL) > 10 * second);
    assert_exact(device_of(&b, 0));
    b.corr = late;
    struct wi_device_op op = make_op(&b, WI_OP_KERNEL, 5000, 30 * second);
    wi_engine_op(b.engine, &op);
    finish(&b);
    assert_exact(device_of(&b, 0));
    assert_int_equal(us_of(&b, WI_SUB_BLIND_INTERVAL), 5000 - 220);
    assert_int_equal(device_of(&b, 0)->idle_ns, (10 + 220 - 110) * US);
    assert_int_equal(us_of(&b, WI_SUB_COMPUTE), 100 + 30 * second - 5000);
    bench_close(&b);
}

/* A record without times: the device did something from the call on. */
static void test_record_without_times(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 0, 0);
    launch(&b, 0, 10, 10, 110);
    struct wi_host_call call = make_call(&b, WI_API_LAUNCH, 210, 220);
    call.corr = ++b.corr;
    call.flags = WI_CALL_OWES;
    wi_engine_call(b.engine, &call);
    struct wi_device_op op = make_op(&b, WI_OP_KERNEL, 0, 0);
    op.flags = WI_OP_BAD_TIMES;
    wi_engine_op(b.engine, &op);
    launch(&b, 1000, 1010, 1010, 1110);
    finish(&b);
    assert_int_equal(us_of(&b, WI_SUB_BLIND_INTERVAL), 1010 - 210);
    assert_int_equal(b.result.coverage.lost[WI_LOSS_BAD_CLOCK], 1);
    assert_int_equal(us_of(&b, WI_SUB_COMPUTE), 200);
    bench_close(&b);
}

/* An interval in which another profiler had the device records. */
static void test_blind_interval(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 0, 0);
    struct wi_event event = {.kind = WI_EVENT_LOSS};
    event.u.loss = (struct wi_loss){1000 * US, 3000 * US, 0, 0, WI_LOSS_BLIND};
    wi_engine_push(b.engine, &event);
    launch(&b, 0, 10, 10, 500);
    launch(&b, 4000, 4010, 4010, 4500);
    finish(&b);
    assert_int_equal(us_of(&b, WI_SUB_BLIND_INTERVAL), 2000);
    assert_int_equal(device_of(&b, 0)->idle_ns, (10 + 4010 - 500 - 2000) * US);
    assert_int_equal(b.result.coverage.blind_ns, 2000 * US);
    assert_exact(device_of(&b, 0));
    bench_close(&b);
}

/* Another tool takes the records over at 1 s while a launch still owes its own, and gives them back
 * at 15 s: told once a second, it is one interval, and the launch is not waited for. */
static void test_other_tool(void **state)
{
    (void)state;
    struct bench b;
    const int64_t second = 1000000; /* us */
    bench_open(&b, 0, 0);
    launch(&b, 0, 10, 10, 500);
    struct wi_host_call call = make_call(&b, WI_API_LAUNCH, 900, 910);
    call.corr = ++b.corr;
    call.flags = WI_CALL_OWES;
    wi_engine_call(b.engine, &call);
    for (int i = 1; i < 15; i++) {
        struct wi_event event = {.kind = WI_EVENT_LOSS};
        event.u.loss =
            (struct wi_loss){i * second * US, (i + 1) * second * US, 5, 0, WI_LOSS_OTHER_TOOL};
        wi_engine_push(b.engine, &event);
        wi_engine_advance(b.engine, (i + 1) * second * US);
    }
    for (int i = 15; i < 20; i++)
        launch(&b, i * second, i * second + 10, i * second + 10, i * second + 1010);
    finish(&b);
    assert_int_equal(us_of(&b, WI_SUB_BLIND_INTERVAL), 14 * second);
    assert_int_equal(b.result.coverage.blind_ns, 14 * second * US);
    assert_int_equal(b.result.coverage.lost[WI_LOSS_OTHER_TOOL], 70);
    assert_int_equal(b.result.coverage.calls_owing, 0);
    assert_exact(device_of(&b, 0));
    bench_close(&b);
}

/* More blind intervals than are kept: all are charged, each when its gap ends. */
static void test_many_blind_intervals(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 0, 0);
    for (int i = 0; i < 200; i++) {
        launch(&b, i * 1000, i * 1000 + 10, i * 1000 + 10, i * 1000 + 110);
        struct wi_event event = {.kind = WI_EVENT_LOSS};
        event.u.loss =
            (struct wi_loss){(i * 1000 + 200) * US, (i * 1000 + 300) * US, 0, 0, WI_LOSS_BLIND};
        wi_engine_push(b.engine, &event);
        wi_engine_advance(b.engine, (i * 1000 + 400) * US);
    }
    launch(&b, 200000, 200010, 200010, 200110);
    finish(&b);
    assert_int_equal(us_of(&b, WI_SUB_BLIND_INTERVAL), 200 * 100);
    assert_int_equal(b.result.coverage.blind_ns, 200 * 100 * US);
    assert_exact(device_of(&b, 0));
    bench_close(&b);
}

/* A report in between changes nothing: the final one is the same as without it. */
static void test_reports_in_between(void **state)
{
    (void)state;
    static struct wi_event events[STEPS * 10];
    struct bench plain, watched;
    bench_open(&plain, 1, 0);
    int count = make_events(&plain, events);
    bench_open(&watched, 1, 0);
    feed_ordered(&plain, events, count);
    for (int i = 0; i < count; i++) {
        wi_engine_advance(watched.engine, wi_event_time(&events[i]));
        wi_engine_push(watched.engine, &events[i]);
        if (i % 100)
            continue;
        assert_int_equal(wi_engine_result(watched.engine, &watched.arena, &watched.result), 0);
        for (int d = 0; d < watched.result.device_count; d++)
            if (watched.result.devices[d].used)
                assert_exact(&watched.result.devices[d]);
        wi_arena_free(&watched.arena);
    }
    finish(&plain);
    finish(&watched);
    assert_memory_equal(device_of(&plain, 0)->subcause_ns, device_of(&watched, 0)->subcause_ns,
                        sizeof(plain.result.devices[0].subcause_ns));
    bench_close(&plain);
    bench_close(&watched);
}

/* Ten times the events, the same memory; ids beyond every table. */
static uint64_t bytes_after(int launches)
{
    struct bench b;
    bench_open(&b, 0, 0);
    for (int i = 0; i < launches; i++) {
        int64_t at = (int64_t)i * 20;
        launch(&b, at, at + 5, at + 5, at + 15);
        if (i % 1000 == 0)
            wi_engine_advance(b.engine, at * US);
    }
    finish(&b);
    assert_int_equal(device_of(&b, 0)->kernels, launches);
    assert_int_equal(b.result.coverage.ops_matched, launches);
    assert_exact(device_of(&b, 0));
    uint64_t bytes = b.result.engine_bytes;
    bench_close(&b);
    return bytes;
}

static void test_memory_is_constant(void **state)
{
    (void)state;
    uint64_t few = bytes_after(20000), many = bytes_after(1000000);
    assert_int_equal(few, many);
    assert_true(many <= (uint64_t)(40 + 16) << 20 /* 16: stretches kept for predictions */);
}

/* One record outstanding while 200 000 other calls come: the table of calls grows to its bound and
 * then overwrites the oldest, in every thread's list, and nothing is charged twice or not at all.
 */
static void test_beyond_the_pending_calls(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 0, 0);
    struct wi_host_call call = make_call(&b, WI_API_LAUNCH, 0, 5);
    call.corr = ++b.corr;
    call.flags = WI_CALL_OWES;
    call.thread = 7;
    wi_engine_call(b.engine, &call);
    for (int i = 1; i <= 200000; i++) {
        b.thread = 1 + (uint32_t)(i % 3);
        launch(&b, i * 20, i * 20 + 5, i * 20 + 5, i * 20 + 15);
        if (i % 500 == 0)
            wi_engine_advance(b.engine, i * 20 * (int64_t)US);
    }
    finish(&b);
    assert_exact(device_of(&b, 0));
    assert_int_equal(device_of(&b, 0)->kernels, 200000);
    assert_int_equal(us_of(&b, WI_SUB_COMPUTE), 2000000);
    assert_true(b.result.coverage.calls_owing >= 1);
    assert_true(b.result.engine_bytes <= (uint64_t)(40 + 16)
                                             << 20 /* 16: stretches kept for predictions */);
    bench_close(&b);
}

/* A plain run needs few slots of the table of calls, however long it is. */
static void test_few_slots_are_used(void **state)
{
    (void)state;
    struct wi_arena arena;
    static struct wi_calls calls;
    wi_arena_init(&arena, (size_t)32 << 20);
    assert_int_equal(wi_calls_init(&calls, &arena), 0);
    for (int64_t i = 0; i < 100000; i++) {
        struct wi_host_call call = {.enter_ns = i * 1000,
                                    .exit_ns = i * 1000 + 500,
                                    .corr = (uint64_t)i + 1,
                                    .thread = 1 + (uint32_t)(i % 2),
                                    .api_class = WI_API_LAUNCH,
                                    .flags = WI_CALL_OWES};
        struct wi_device_op op = {
            .start_ns = i * 1000 + 500, .end_ns = i * 1000 + 900, .corr = call.corr};
        wi_calls_push(&calls, &call);
        wi_calls_settle(&calls, call.corr);
        uint32_t slot = wi_calls_find(&calls, call.corr);
        assert_int_not_equal(slot, WI_NO_SLOT);
        wi_calls_join(&calls, slot, &op);
        if (i % 100 == 99)
            wi_calls_trim(&calls, (i - 10) * 1000);
    }
    assert_int_equal(calls.slot_cap, WI_CALL_FIRST);
    assert_int_equal(wi_calls_find(&calls, 1), WI_NO_SLOT);
    assert_int_equal(wi_calls_owed_since(&calls, INT64_MIN), INT64_MAX);
    wi_arena_free(&arena);
}

/* More threads, kernels and devices than any table holds: counted, still exact. */
static void test_beyond_the_tables(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 1, 0);
    for (int i = 0; i < 5000; i++) {
        b.thread = 1000 + (uint32_t)i % 400;
        b.device = i % 3;
        launch(&b, i * 50, i * 50 + 5 + i % 7, i * 50 + 15, i * 50 + 20);
        struct wi_host_call call = make_call(&b, WI_API_ALLOC, i * 50 + 21, i * 50 + 22);
        call.api = (uint32_t)(10 + i); /* 5000 different calls: more signatures than fit */
        wi_engine_call(b.engine, &call);
    }
    finish(&b);
    for (int d = 0; d < 3; d++)
        assert_exact(device_of(&b, d));
    assert_true(b.result.coverage.lost[WI_LOSS_THREADS] > 0);
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_live_equals_ordered),
        cmocka_unit_test(test_missing_record_is_blind),
        cmocka_unit_test(test_overdue_record_holds_nothing_back),
        cmocka_unit_test(test_late_record_takes_the_blind_time_back),
        cmocka_unit_test(test_record_without_times),
        cmocka_unit_test(test_blind_interval),
        cmocka_unit_test(test_other_tool),
        cmocka_unit_test(test_many_blind_intervals),
        cmocka_unit_test(test_reports_in_between),
        cmocka_unit_test(test_memory_is_constant),
        cmocka_unit_test(test_beyond_the_pending_calls),
        cmocka_unit_test(test_few_slots_are_used),
        cmocka_unit_test(test_beyond_the_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
