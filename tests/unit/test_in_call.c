/* Idle time inside calls, by what the driver and the scheduler say of them: time lines small enough
 * to add up on paper, in us.
 * Threads: one. */
#include "engine_fixture.h"

static void tell(struct bench *b, int kind, uint32_t thread, int64_t start_us, int64_t end_us)
{
    struct wi_event event = {.kind = WI_EVENT_SPAN};
    event.u.span = (struct wi_host_span){
        .start_ns = start_us * US, .end_ns = end_us * US, .thread = thread, .kind = (uint8_t)kind};
    wi_engine_push(b->engine, &event);
}

/* Kernel until 110, then a launch of 20 ms whose kernel runs from 20110 to 20210. */
static void slow_launch(struct bench *b)
{
    launch(b, 0, 10, 10, 110);
    launch(b, 110, 20110, 20110, 20210);
}

/* 17 of the 20 ms were loading; the other 3 are the launch itself. */
static void loading_is_told(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 1, 0);
    tell(&b, WI_SPAN_LOADING, 100, 1110, 18110);
    slow_launch(&b);
    finish(&b);
    assert_int_equal(us_of(&b, WI_SUB_MODULE_LOAD), 17000);
    assert_int_equal(us_of(&b, WI_SUB_LAUNCH_BOUND), 10 + 3000);
    assert_exact(device_of(&b, 0));
    bench_close(&b);
}

/* Where loads are told, a launch of 20 ms without one is no load, and no dispatch either. */
static void no_load_where_none_is_told(void **state)
{
    (void)state;
    for (int told = 0; told < 2; told++) {
        struct bench b;
        bench_open(&b, 1, 0);
        if (told)
            tell(&b, WI_SPAN_LOADING, 100, 1, 4); /* in the first launch, which starts the window */
        slow_launch(&b);
        finish(&b);
        assert_int_equal(us_of(&b, WI_SUB_MODULE_LOAD), told ? 3 : 20000);
        assert_int_equal(us_of(&b, WI_SUB_HOST_UNDETERMINED), told ? 20000 : 0);
        assert_int_equal(us_of(&b, WI_SUB_LAUNCH_BOUND), told ? 7 : 10);
        bench_close(&b);
    }
}

/* Compiling lies inside loading, and is told first: it ends first. 12 ms of the 18 are compiling.
 */
static void compiling_inside_loading(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 1, 0);
    tell(&b, WI_SPAN_COMPILING, 100, 2110, 14110);
    tell(&b, WI_SPAN_LOADING, 100, 1110, 19110);
    slow_launch(&b);
    finish(&b);
    assert_int_equal(us_of(&b, WI_SUB_JIT_COMPILE), 12000);
    assert_int_equal(us_of(&b, WI_SUB_MODULE_LOAD), 6000);
    assert_int_equal(us_of(&b, WI_SUB_LAUNCH_BOUND), 10 + 2000);
    assert_exact(device_of(&b, 0));
    bench_close(&b);
}

/* A load inside a load is told first: together they cover 18 ms, not 3 and not 21. */
static void loads_inside_each_other(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 1, 0);
    tell(&b, WI_SPAN_LOADING, 100, 5110, 8110);
    tell(&b, WI_SPAN_LOADING, 100, 1110, 19110);
    slow_launch(&b);
    finish(&b);
    assert_int_equal(us_of(&b, WI_SUB_MODULE_LOAD), 18000);
    bench_close(&b);
}

/* Recordings that do not say which thread it was: the call that it lies in. */
static void loading_of_an_unknown_thread(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 1, 1);
    tell(&b, WI_SPAN_LOADING, 0, 1110, 18110);
    slow_launch(&b);
    finish(&b);
    assert_int_equal(us_of(&b, WI_SUB_MODULE_LOAD), 17000);
    bench_close(&b);
}

/* Loading between two calls, in one that is not recorded: 8 of 10 ms of silence. */
static void loading_between_calls(void **state)
{
    (void)state;
    for (int kind = WI_SPAN_LOADING; kind <= WI_SPAN_COMPILING; kind++) {
        struct bench b;
        bench_open(&b, 1, 0);
        tell(&b, kind, 100, 1110, 9110);
        launch(&b, 0, 10, 10, 110);
        launch(&b, 10110, 10120, 10120, 10220);
        finish(&b);
        enum wi_subcause cause = kind == WI_SPAN_LOADING ? WI_SUB_MODULE_LOAD : WI_SUB_JIT_COMPILE;
        assert_int_equal(us_of(&b, cause), 10000);
        bench_close(&b);
    }
}

/* Waiting for room in a queue is a wait, not dispatch: 16 ms of it for nothing that is known; with
 * another device at work, for that one. */
static void a_full_queue_is_a_wait(void **state)
{
    (void)state;
    for (int other = 0; other < 2; other++) {
        struct bench b;
        bench_open(&b, 1, 0);
        tell(&b, WI_SPAN_QUEUE_FULL, 100, 2110, 18110);
        if (other) {
            b.device = 1;
            struct wi_device_op op = make_op(&b, WI_OP_KERNEL, 0, 20210);
            wi_engine_op(b.engine, &op);
            b.device = 0;
        }
        slow_launch(&b);
        finish(&b);
        assert_int_equal(us_of(&b, WI_SUB_UNDETERMINED), other ? 0 : 16000);
        assert_int_equal(us_of(&b, WI_SUB_EXPLICIT_SYNC), other ? 16000 : 0);
        bench_close(&b);
    }
}

/* Kernel until 1010, a wait that returns at 6010, a launch of 10. */
static void late_wake(struct bench *b, int64_t held_us, int64_t returns_us)
{
    launch(b, 0, 10, 10, 1010);
    struct wi_host_call call = make_call(b, WI_API_SYNC, 10, returns_us);
    call.flags = WI_CALL_BLOCKING;
    call.held_ns = held_us < 0 ? WI_UNKNOWN : held_us * US;
    wi_engine_call(b->engine, &call);
    launch(b, returns_us, returns_us + 10, returns_us + 10, returns_us + 110);
}

/* The device was done after 1 ms, the thread came back after 6: for 4.5 ms it was ready and had no
 * core, and half a ms is what waking takes. */
static void waking_late_without_a_core(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 1, 0);
    late_wake(&b, 4500, 6010);
    finish(&b);
    assert_int_equal(us_of(&b, WI_SUB_CPU_CONTENTION), 4500);
    assert_int_equal(us_of(&b, WI_SUB_EXPLICIT_SYNC), 500);
    assert_int_equal(us_of(&b, WI_SUB_UNDETERMINED), 0);
    assert_exact(device_of(&b, 0));
    bench_close(&b);
}

/* A thread that spins may have lacked a core while the device still worked: not more than the idle
 * part counts. */
static void not_more_than_the_idle_part(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 1, 0);
    late_wake(&b, 5800, 6010);
    finish(&b);
    assert_int_equal(us_of(&b, WI_SUB_CPU_CONTENTION), 5000);
    bench_close(&b);
}

/* Not known is not 0, and a wake-up of up to a ms is the wait's own. */
static void late_for_no_known_reason(void **state)
{
    (void)state;
    static const struct {
        int64_t held_us, returns_us, undetermined_us, sync_us;
    } CASES[] = {{-1, 6010, 5000, 0}, {0, 6010, 5000, 0}, {900, 1910, 0, 900}};
    for (size_t i = 0; i < WI_ARRAY_LEN(CASES); i++) {
        struct bench b;
        bench_open(&b, 1, 0);
        late_wake(&b, CASES[i].held_us, CASES[i].returns_us);
        finish(&b);
        assert_int_equal(us_of(&b, WI_SUB_UNDETERMINED), CASES[i].undetermined_us);
        assert_int_equal(us_of(&b, WI_SUB_EXPLICIT_SYNC), CASES[i].sync_us);
        assert_int_equal(us_of(&b, WI_SUB_CPU_CONTENTION), 0);
        bench_close(&b);
    }
}

/* A launch of 20 ms whose thread had no core for 19 of them is no load, as one of 1 ms is none; of
 * 14 ms of its own it is. */
static void a_launch_without_a_core_is_no_load(void **state)
{
    (void)state;
    static const struct {
        int64_t held_us, load_us, launch_us;
    } CASES[] = {{19000, 0, 10 + 1000}, {6000, 14000, 10}};
    for (size_t i = 0; i < WI_ARRAY_LEN(CASES); i++) {
        struct bench b;
        bench_open(&b, 1, 0);
        launch(&b, 0, 10, 10, 110);
        struct wi_host_call call = make_call(&b, WI_API_LAUNCH, 110, 20110);
        call.corr = ++b.corr;
        call.flags = WI_CALL_OWES;
        call.held_ns = CASES[i].held_us * US;
        wi_engine_call(b.engine, &call);
        struct wi_device_op op = make_op(&b, WI_OP_KERNEL, 20110, 20210);
        wi_engine_op(b.engine, &op);
        finish(&b);
        assert_int_equal(us_of(&b, WI_SUB_MODULE_LOAD), CASES[i].load_us);
        assert_int_equal(us_of(&b, WI_SUB_LAUNCH_BOUND), CASES[i].launch_us);
        assert_int_equal(us_of(&b, WI_SUB_CPU_CONTENTION), CASES[i].held_us);
        assert_exact(device_of(&b, 0));
        bench_close(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loading_is_told),
        cmocka_unit_test(no_load_where_none_is_told),
        cmocka_unit_test(compiling_inside_loading),
        cmocka_unit_test(loads_inside_each_other),
        cmocka_unit_test(loading_of_an_unknown_thread),
        cmocka_unit_test(loading_between_calls),
        cmocka_unit_test(a_full_queue_is_a_wait),
        cmocka_unit_test(waking_late_without_a_core),
        cmocka_unit_test(not_more_than_the_idle_part),
        cmocka_unit_test(late_for_no_known_reason),
        cmocka_unit_test(a_launch_without_a_core_is_no_load),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
