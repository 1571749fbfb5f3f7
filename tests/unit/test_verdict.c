/* Which finding leads: the verdict over findings made by hand.
 * Threads: the test's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyze/engine_state.h"

/* Two findings of a window of 1000 ns, in the order of a report. */
static const char *verdict_of(enum wi_subcause first, int64_t first_ns, enum wi_subcause second,
                              int64_t second_ns)
{
    struct wi_finding findings[2] = {
        {.subcause = first, .ns = first_ns, .share = (double)first_ns / 1000},
        {.subcause = second, .ns = second_ns, .share = (double)second_ns / 1000}};
    struct wi_device_result device = {.used = 1, .window_end_ns = 1000};
    struct wi_result result = {
        .device_count = 1, .devices = &device, .finding_count = 2, .findings = findings};
    device.class_ns[WI_CLASS_COMPUTE] = 1000 - first_ns - second_ns;
    return wi_verdict_of(&result).id;
}

static void test_nobody_asks_leads_where_it_is_first(void **state)
{
    (void)state;
    assert_string_equal(verdict_of(WI_SUB_NO_REQUESTS, 750, WI_SUB_LAUNCH_BOUND, 150),
                        "no-work/no-requests");
    assert_string_equal(verdict_of(WI_SUB_LAUNCH_BOUND, 520, WI_SUB_NO_REQUESTS, 160),
                        "small-batch/launch-bound");
}

static void test_start_up_never_leads(void **state)
{
    (void)state;
    assert_string_equal(verdict_of(WI_SUB_FIRST_TOUCH, 400, WI_SUB_CHECKPOINT, 100),
                        "host/checkpoint");
    assert_string_equal(verdict_of(WI_SUB_FIRST_TOUCH, 400, WI_SUB_CHECKPOINT, 40), "none");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_nobody_asks_leads_where_it_is_first),
                                       cmocka_unit_test(test_start_up_never_leads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
