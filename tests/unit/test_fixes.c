/* Which fixes are offered: by hand-made findings of a run and what replays say of their ends.
 * Threads: the test's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyze/fixes.h"

static struct wi_finding findings[4];
static struct wi_result result;

static struct wi_prediction predicted(double speedup)
{
    return (struct wi_prediction){
        .speedup = speedup, .low = speedup / 1.01, .high = speedup * 1.01};
}

/* Findings of a fifth of the time each, the first one the verdict's, whose ends alone bring this.
 */
static void run(const double *speedups, int count)
{
    static const enum wi_subcause CAUSES[] = {WI_SUB_CHECKPOINT, WI_SUB_LOGGING, WI_SUB_ALLOCATOR,
                                              WI_SUB_PAGEABLE_COPY};
    result = (struct wi_result){.finding_count = count, .findings = findings};
    for (int i = 0; i < count; i++)
        findings[i] = (struct wi_finding){.subcause = CAUSES[i],
                                          .share = 0.2,
                                          .fix = "do something",
                                          .predicted = predicted(speedups[i])};
}

static void offers(int count, int first, int second)
{
    int fixes[WI_FIXES];
    assert_int_equal(wi_fixes_of(&result, fixes), count);
    if (count > 0)
        assert_int_equal(fixes[0], first);
    if (count > 1)
        assert_int_equal(fixes[1], second);
}

static void test_no_gain_is_no_fix(void **state)
{
    (void)state;
    run((const double[]){1.3, 1.001}, 2);
    offers(1, 0, 0);
    assert_int_equal(wi_fix_is_left_out(&result, 1), 1);
    run((const double[]){1.3, 0.82}, 2); /* nor what makes it worse */
    offers(1, 0, 0);
    run((const double[]){1.3, 1.01}, 2); /* 1.0201 at most */
    offers(2, 0, 1);
    run((const double[]){1.001, 1.2}, 2); /* not even of the verdict */
    offers(1, 1, 0);
    run((const double[]){1.001, 1.002}, 2);
    offers(0, 0, 0);
}

static void test_what_is_not_known_is_offered(void **state)
{
    (void)state;
    run((const double[]){0, 1.2}, 2);
    offers(2, 0, 1);
    findings[0].predicted = (struct wi_prediction){.speedup = 1, .withheld = "too short"};
    offers(2, 0, 1);
    findings[1].share = 0.04; /* too little for a fix, whatever it brings */
    offers(1, 0, 0);
    assert_int_equal(wi_fix_is_left_out(&result, 1), 0);
}

/* A fix that gains nothing alone may gain once another one is made; by that much, and no less. */
static void test_gains_behind_another(void **state)
{
    (void)state;
    run((const double[]){3, 1.0, 1.0}, 3);
    result.together_count = 2;
    result.together[0] =
        (struct wi_together){.count = 2, .findings = {0, 1}, .predicted = predicted(3.2)};
    result.together[1] =
        (struct wi_together){.count = 3, .findings = {0, 1, 2}, .predicted = predicted(3.21)};
    offers(2, 0, 1);
    result.together[1].predicted = predicted(3.4);
    result.together[0].predicted = predicted(3.01);
    offers(2, 0, 2);
}

static void ordered(int first, int second, int third)
{
    int fixes[WI_FIXES];
    assert_int_equal(wi_fixes_of(&result, fixes), 3);
    assert_int_equal(fixes[0], first);
    assert_int_equal(fixes[1], second);
    assert_int_equal(fixes[2], third);
}

/* What a replay promises most stands first, also before the verdict's; what it does not tell, or
 * only how much at most, keeps its place. */
static void test_the_largest_gain_first(void **state)
{
    (void)state;
    run((const double[]){1.2, 1.5}, 2);
    offers(2, 1, 0);
    run((const double[]){1.2, 1.5, 1.8}, 3);
    ordered(2, 1, 0);
    run((const double[]){1.2, 0, 1.8}, 3); /* the second one is not known */
    ordered(2, 1, 0);
    run((const double[]){0, 1.5, 1.8}, 3); /* nor what the verdict's brings */
    ordered(0, 2, 1);
    run((const double[]){1.0, 1.5}, 2); /* 1.00x, and how much at most */
    findings[0].predicted.high = 3.3;
    offers(2, 0, 1);
    run((const double[]){1.5, 1.503}, 2); /* 33.3 and 33.5 % of the time: the same */
    offers(2, 0, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_no_gain_is_no_fix),
                                       cmocka_unit_test(test_what_is_not_known_is_offered),
                                       cmocka_unit_test(test_gains_behind_another),
                                       cmocka_unit_test(test_the_largest_gain_first)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
