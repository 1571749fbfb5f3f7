/* What recurs over a run and what happens once in it, by the times it takes.
 * Threads: one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "analyze/spread.h"
#include "base/attr.h"

#define START INT64_C(5000000000000)
#define SEC   INT64_C(1000000000)

/* 10 ms in each of `count` seconds, every `every` seconds from `first` on. */
static struct wi_spread each(int first, int every, int count)
{
    struct wi_spread spread = {0};
    for (int i = 0; i < count; i++)
        wi_spread_add(&spread, START, START + (first + i * every) * SEC, SEC / 100);
    return spread;
}

static void recurs(const struct wi_spread *spread, int64_t end_s, double wanted)
{
    double got = wi_spread_recurs(spread, START + end_s * SEC);
    if (got < wanted - 0.001 || got > wanted + 0.001)
        fail_msg("%f recurs, not %f", got, wanted);
}

static void nothing(void **state)
{
    struct wi_spread spread = {0};
    (void)state;
    recurs(&spread, 100, -1);
}

/* In each step, in each tenth one, and as seldom as eight times in a run. */
static void all_of_it(void **state)
{
    (void)state;
    struct wi_spread spread = each(0, 1, 100);
    recurs(&spread, 100, 1);
    spread = each(5, 10, 10);
    recurs(&spread, 100, 1);
    spread = each(6, 12, 8);
    recurs(&spread, 100, 1);
}

/* In the first quarter, at both ends, in a single stretch in the middle, and only once. */
static void none_of_it(void **state)
{
    (void)state;
    struct wi_spread spread = each(0, 1, 25);
    recurs(&spread, 100, 0);
    wi_spread_add(&spread, START, START + 99 * SEC, SEC);
    recurs(&spread, 100, 0);
    spread = each(50, 1, 20);
    recurs(&spread, 100, 0);
    spread = each(70, 1, 1);
    recurs(&spread, 100, 0);
}

/* 10 ms a second over 96 s, and 5 s at the start: seven parts (of 16.384 s) but the first, of which
 * four times the middle one may count. */
static void a_start_beside_it(void **state)
{
    (void)state;
    struct wi_spread spread = each(0, 1, 96);
    wi_spread_add(&spread, START, START, 5 * SEC);
    double middle = 0.16, rest = 0.96 - 0.17; /* 17 of the 96 lie in the first part */
    recurs(&spread, 96, (4 * middle + rest) / 5.96);
}

/* Times before the start count to it, and a run that ends before its last time is as long as that.
 */
static void odd_times(void **state)
{
    (void)state;
    struct wi_spread spread = {0};
    wi_spread_add(&spread, START, START - SEC, 10);
    recurs(&spread, 1, 0);
    for (int i = 0; i < 8; i++)
        wi_spread_add(&spread, START, START + i * SEC, 10);
    assert_true(wi_spread_recurs(&spread, START - SEC) > 0.9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing),    cmocka_unit_test(all_of_it),
        cmocka_unit_test(none_of_it), cmocka_unit_test(a_start_beside_it),
        cmocka_unit_test(odd_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
