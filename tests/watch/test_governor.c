/* The rule that holds the helper to its share of a core, with a clock and costs that are given.
 * Threads: one. Expected values are worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "collect/governor.h"

#define MS INT64_C(1000000)
#define S  (1000 * MS)

struct run {
    struct wi_governor governor;
    int64_t now_ns, cpu_ns;
    int halvings; /* as told */
};

/* One turn a millisecond for so long: looks at their usual pace would take sampling_us of CPU time
 * a second, everything else other_us. */
static void go(struct run *run, int seconds, int64_t sampling_us, int64_t other_us)
{
    for (int i = 0; i < seconds * 1000; i++) {
        int64_t looks_ns = sampling_us / wi_governor_apart(&run->governor);
        run->now_ns += MS;
        run->cpu_ns += other_us + looks_ns;
        wi_governor_spent(&run->governor, looks_ns);
        if (wi_governor_is_due(&run->governor, run->now_ns))
            run->halvings += wi_governor_hold(&run->governor, run->now_ns, run->cpu_ns);
    }
}

/* What the start took is nobody's cost. */
static struct run begun(void)
{
    struct run run = {.now_ns = 500 * S, .cpu_ns = S};
    wi_governor_hold(&run.governor, run.now_ns, run.cpu_ns);
    return run;
}

static void test_cheap(void **state)
{
    (void)state;
    struct run run = begun();
    go(&run, 60, 4000, 5900);
    assert_int_equal(wi_governor_apart(&run.governor), 1);
    assert_int_equal(run.governor.halvings, 0);
    assert_int_equal(wi_governor_spared_ns(&run.governor, run.now_ns), 0);
}

/* 4 % of a core for looks: 2, 1, half of one, and then it fits, but not twice of it. */
static void test_dear(void **state)
{
    (void)state;
    struct run run = begun();
    go(&run, 1, 40000, 1000);
    assert_int_equal(wi_governor_apart(&run.governor), 2);
    go(&run, 30, 40000, 1000);
    assert_int_equal(wi_governor_apart(&run.governor), 8);
    assert_int_equal(run.governor.most_halved, 3);
    assert_int_equal(run.governor.halvings, 3);
    assert_int_equal(run.halvings, 3);
    assert_true(wi_governor_spared_ns(&run.governor, run.now_ns) == 30 * S);
}

/* Back to the usual in as many windows, and the time of it is kept. */
static void test_restores(void **state)
{
    (void)state;
    struct run run = begun();
    go(&run, 10, 40000, 1000);
    go(&run, 3, 100, 1000);
    assert_int_equal(wi_governor_apart(&run.governor), 1);
    assert_int_equal(run.governor.most_halved, 3);
    assert_true(wi_governor_spared_ns(&run.governor, run.now_ns) == 12 * S);
    go(&run, 10, 100, 1000);
    assert_true(wi_governor_spared_ns(&run.governor, run.now_ns) == 12 * S);
    go(&run, 2, 40000, 1000);
    assert_int_equal(run.governor.halvings, 5);
}

/* 2 ms a second too much are let pass ten times, and no more. */
static void test_short_job(void **state)
{
    (void)state;
    struct run run = begun();
    go(&run, 10, 4000, 8000);
    assert_int_equal(run.governor.halvings, 0);
    go(&run, 1, 4000, 8000);
    assert_int_equal(run.governor.halvings, 1);
    go(&run, 5, 4000, 4000);
    assert_int_equal(wi_governor_apart(&run.governor), 1);
    go(&run, 1, 4000, 8000);
    assert_int_equal(run.governor.halvings, 2);
}

/* It does not swing: what would not fit twice as often stays. */
static void test_no_swing(void **state)
{
    (void)state;
    struct run run = begun();
    go(&run, 100, 9000, 2000);
    assert_int_equal(wi_governor_apart(&run.governor), 2);
    assert_int_equal(run.governor.halvings, 1);
}

/* However dear, a sixteenth of the looks is left. */
static void test_floor(void **state)
{
    (void)state;
    struct run run = begun();
    go(&run, 100, 900000, 1000);
    assert_int_equal(wi_governor_apart(&run.governor), 16);
    assert_int_equal(run.governor.halvings, 4);
}

/* Where all else takes 5 %, looks are not what costs: they go down to a twentieth of 1 %. */
static void test_other_work(void **state)
{
    (void)state;
    struct run run = begun();
    go(&run, 100, 1500, 50000);
    assert_int_equal(wi_governor_apart(&run.governor), 4);
    run = begun();
    go(&run, 100, 400, 50000);
    assert_int_equal(wi_governor_apart(&run.governor), 1);
}

/* A turn that lasts long is a long window: its budget is, too. */
static void test_long_window(void **state)
{
    (void)state;
    struct run run = begun();
    wi_governor_spent(&run.governor, 30 * MS);
    assert_int_equal(wi_governor_hold(&run.governor, run.now_ns + 4 * S, run.cpu_ns + 35 * MS), 0);
    wi_governor_spent(&run.governor, 30 * MS);
    assert_int_equal(wi_governor_is_due(&run.governor, run.now_ns + 4900 * MS), 0);
    assert_int_equal(wi_governor_hold(&run.governor, run.now_ns + 5 * S, run.cpu_ns + 70 * MS), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cheap),      cmocka_unit_test(test_dear),
        cmocka_unit_test(test_restores),   cmocka_unit_test(test_short_job),
        cmocka_unit_test(test_no_swing),   cmocka_unit_test(test_floor),
        cmocka_unit_test(test_other_work), cmocka_unit_test(test_long_window),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
