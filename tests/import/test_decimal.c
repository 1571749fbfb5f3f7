/* Decimals are exact and rounded half away from zero; what is no number is told.
 * Threads: one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <string.h>

#include "base/err.h"
#include "import/decimal.h"

static int64_t ns(const char *text)
{
    int64_t value = -77;
    assert_int_equal(wi_decimal_round(text, strlen(text), 3, &value), 0);
    return value;
}

static int refusal(const char *text)
{
    int64_t value;
    return wi_decimal_round(text, strlen(text), 3, &value);
}

static void takes_microseconds_to_nanoseconds(void **state)
{
    (void)state;
    assert_int_equal(ns("0"), 0);
    assert_int_equal(ns("1"), 1000);
    assert_int_equal(ns("1.5"), 1500);
    assert_int_equal(ns("0.001"), 1);
    assert_int_equal(ns("1712195495406752.797"), 1712195495406752797);
    assert_int_equal(ns("-2.25"), -2250);
    assert_int_equal(ns(" 3.000 "), 3000);
    assert_int_equal(ns("+4"), 4000);
}

static void rounds_half_away_from_zero(void **state)
{
    (void)state;
    assert_int_equal(ns("0.0005"), 1);
    assert_int_equal(ns("0.00049999999999999999999999999"), 0);
    assert_int_equal(ns("0.0014999"), 1);
    assert_int_equal(ns("0.0015"), 2);
    assert_int_equal(ns("-0.0005"), -1);
    assert_int_equal(ns("-0.0004"), 0);
    assert_int_equal(ns("1e-4"), 0);
    assert_int_equal(ns("5e-4"), 1);
    assert_int_equal(ns("9.9996"), 10000);
}

static void knows_exponents(void **state)
{
    (void)state;
    assert_int_equal(ns("1.5e3"), 1500000);
    assert_int_equal(ns("15E+2"), 1500000);
    assert_int_equal(ns("123.456e-1"), 12346);
    assert_int_equal(ns("0e999999999999"), 0);
    assert_int_equal(ns("1e-999999999999"), 0);
    assert_int_equal(ns("0.0000000000000000000001e22"), 1000);
}

static void tells_what_is_no_number_and_what_is_too_large(void **state)
{
    (void)state;
    assert_int_equal(refusal(""), WI_ERR_FORMAT);
    assert_int_equal(refusal("."), WI_ERR_FORMAT);
    assert_int_equal(refusal("NaN"), WI_ERR_FORMAT);
    assert_int_equal(refusal("Infinity"), WI_ERR_FORMAT);
    assert_int_equal(refusal("1.2.3"), WI_ERR_FORMAT);
    assert_int_equal(refusal("1e"), WI_ERR_FORMAT);
    assert_int_equal(refusal("0x10"), WI_ERR_FORMAT);
    assert_int_equal(refusal("1e400"), WI_ERR_RANGE);
    assert_int_equal(refusal("-1e400"), WI_ERR_RANGE);
    assert_int_equal(refusal("99999999999999999999"), WI_ERR_RANGE);
    assert_int_equal(refusal("4611686018427387.905"), WI_ERR_RANGE);
    assert_int_equal(ns("4611686018427387.904"), 4611686018427387904);
}

static void cuts_towards_zero(void **state)
{
    int64_t value = 0;
    (void)state;
    assert_int_equal(wi_decimal_cut("7.99", 4, &value), 0);
    assert_int_equal(value, 7);
    assert_int_equal(wi_decimal_cut("-7.99", 5, &value), 0);
    assert_int_equal(value, -7);
    assert_int_equal(wi_decimal_cut("1e3", 3, &value), 0);
    assert_int_equal(value, 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_microseconds_to_nanoseconds),
        cmocka_unit_test(rounds_half_away_from_zero),
        cmocka_unit_test(knows_exponents),
        cmocka_unit_test(tells_what_is_no_number_and_what_is_too_large),
        cmocka_unit_test(cuts_towards_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
