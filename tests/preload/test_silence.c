/* What a thread did in silences and in long calls, from clocks and a schedstat that the test makes
 * up. All times in ms here.
 * Threads: one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define MS 1000000

static int64_t cpu_ms, wait_ms;

static int64_t fake_clock(clockid_t clock)
{
    assert_int_equal(clock, CLOCK_THREAD_CPUTIME_ID);
    return cpu_ms * MS;
}

static ssize_t fake_pread(int fd, char *text, size_t cap, off_t at)
{
    assert_int_equal(fd + at, 77);
    return snprintf(text, cap, "5 %lld 9\n", (long long)wait_ms * MS);
}

#include "collect/hot.h"

#define wi_clock_ns fake_clock
#define pread       fake_pread
#include "collect/silence.c"

void wi_helper_wake(void)
{
}

/* A thread whose last call returned at 10, when it had used 1 of CPU and waited for 0. */
static struct wi_thread at_10(void)
{
    struct wi_thread t = {.schedstat_fd = 77};
    cpu_ms = 1;
    wait_ms = 0;
    wi_blocked_end(&t, 0, 10 * MS);
    t.last_exit_ns = 10 * MS;
    return t;
}

static void silence_until(struct wi_thread *t, int64_t now, int64_t cpu, int64_t wait)
{
    cpu_ms = cpu;
    wait_ms = wait;
    wi_silence_end(t, now * MS);
}

static int64_t call_until(struct wi_thread *t, int64_t enter, int64_t now, int64_t cpu,
                          int64_t wait)
{
    cpu_ms = cpu;
    wait_ms = wait;
    int64_t held = wi_blocked_end(t, enter * MS, now * MS);
    return held == WI_UNKNOWN ? -1 : held / MS;
}

static void a_silence_is_divided(void **state)
{
    (void)state;
    struct wi_thread t = at_10();
    silence_until(&t, 20, 4, 2); /* of 10: 3 run, 2 without a core, 5 asleep */
    assert_int_equal(t.run_ns, 3 * MS);
    assert_int_equal(t.runnable_ns, 2 * MS);
}

static void a_late_wake_is_held(void **state)
{
    (void)state;
    struct wi_thread t = at_10();
    silence_until(&t, 20, 4, 2);
    assert_int_equal(call_until(&t, 20, 40, 5, 14), 12); /* 20 in the call: 1 run, 12 without */
    assert_int_equal(call_until(&t, 40, 50, 6, 14), 0);
}

/* It ran for all of 10 to 13; then, looking at its clocks, it lost its core for 190. That is none
 * of the silence: it is the call's. */
static void a_core_lost_while_looking(void **state)
{
    (void)state;
    struct wi_thread t = at_10();
    silence_until(&t, 13, 4, 190);
    assert_int_equal(t.run_ns, 3 * MS);
    assert_int_equal(t.runnable_ns, 0);
    assert_int_equal(call_until(&t, 13, 210, 5, 190), 190);
    /* likewise at the end of a call: it is the next silence's */
    assert_int_equal(call_until(&t, 210, 220, 6, 290), 9);
    t.last_exit_ns = 220 * MS;
    silence_until(&t, 320, 10, 290);
    assert_int_equal(t.runnable_ns, 91 * MS);
    assert_int_equal(t.run_ns, 4 * MS);
}

/* Blocking calls since the base may account for it: nothing is said. */
static void blocking_calls_in_between(void **state)
{
    (void)state;
    struct wi_thread t = at_10();
    t.blocked_ns = 3 * MS;
    silence_until(&t, 20, 4, 2);
    assert_int_equal(t.run_ns, WI_UNKNOWN);
    t = at_10();
    t.blocked_ns = 3 * MS;
    assert_int_equal(call_until(&t, 15, 25, 4, 2), -1);
    t = at_10();
    t.schedstat_fd = -1;
    assert_int_equal(call_until(&t, 15, 25, 4, 2), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_silence_is_divided),
        cmocka_unit_test(a_late_wake_is_held),
        cmocka_unit_test(a_core_lost_while_looking),
        cmocka_unit_test(blocking_calls_in_between),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
