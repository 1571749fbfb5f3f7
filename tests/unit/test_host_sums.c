/* Looks at the machine in one for the run: means, sums, and what no look knew.
 * Threads: one. Expected values are worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "analyze/host_sums.h"

static void test_figures(void **state)
{
    struct wi_host_sums sums;
    struct wi_host_sample look, run;
    (void)state;
    memset(&sums, 0, sizeof(sums));
    for (int i = 0; i < 3; i++) {
        wi_host_sample_clear(&look);
        look.interval_ns = 1000;
        look.children = 2;
        look.child_disk_permille = i == 1; /* seen once: must not become 0 */
        look.cores_allowed = 8 - i;
        look.gpu_memory_free_bytes = 100 + 50 * (i != 1);
        if (i < 2)
            look.throttled_ns = 30;
        wi_host_sums_add(&sums, &look);
    }
    wi_host_sums_total(&run, &sums);
    assert_int_equal(run.interval_ns, 3000);
    assert_int_equal(run.children, 2);
    assert_int_equal(run.child_disk_permille, 1);
    assert_int_equal(run.cores_allowed, 6);
    assert_int_equal(run.gpu_memory_free_bytes, 100);
    assert_int_equal(run.throttled_ns, 60);
    assert_int_equal(run.busiest_permille, WI_UNKNOWN);
    assert_int_equal(run.child_starts, WI_UNKNOWN);
    assert_int_equal(run.at_ns, WI_UNKNOWN);
}

/* One look of 4 s weighs as much as four of 1 s. */
static void test_means_go_by_time(void **state)
{
    struct wi_host_sums sums;
    struct wi_host_sample look, run;
    (void)state;
    memset(&sums, 0, sizeof(sums));
    for (int i = 0; i < 5; i++) {
        wi_host_sample_clear(&look);
        look.interval_ns = i == 4 ? 4000000000 : 1000000000;
        look.cores_idle_permille = i == 4 ? 3000 : 1000;
        look.child_starts = i == 4 ? 8 : 2;
        wi_host_sums_add(&sums, &look);
    }
    wi_host_sums_total(&run, &sums);
    assert_int_equal(run.cores_idle_permille, 2000);
    assert_int_equal(run.child_starts, 16);
    assert_true(run.interval_ns == 8000000000);
}

static void test_no_overflow(void **state)
{
    struct wi_host_sums sums;
    struct wi_host_sample look, run;
    (void)state;
    memset(&sums, 0, sizeof(sums));
    wi_host_sample_clear(&look);
    look.read_bytes = INT64_MAX - 1;
    wi_host_sums_add(&sums, &look);
    wi_host_sums_add(&sums, &look);
    wi_host_sums_total(&run, &sums);
    assert_int_equal(run.read_bytes, INT64_MAX / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_figures),
        cmocka_unit_test(test_means_go_by_time),
        cmocka_unit_test(test_no_overflow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
