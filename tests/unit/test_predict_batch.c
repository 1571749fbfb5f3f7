/* How large a batch may get, by the memory that stayed free; worked out by hand.
 * Threads: the test's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyze/predict.h"

#define GIB ((int64_t)1 << 30)

static int batch_of(int64_t total_gib, int64_t free_bytes)
{
    struct wi_device_result device = {
        .info = {.device = 3, .memory_bytes = (uint64_t)(total_gib * GIB)}};
    struct wi_result result = {.device_count = 1, .devices = &device};
    result.host.gpu_memory_free_bytes = free_bytes;
    return wi_predict_batch(&result, 3);
}

/* 0.9 of the memory / what is in use */
static void test_batch_by_free_memory(void **state)
{
    (void)state;
    assert_int_equal(batch_of(80, 60 * GIB), 3); /* 72 / 20 = 3.6 */
    assert_int_equal(batch_of(80, 76 * GIB), 8); /* 72 / 4 = 18: more than 8 is not asked for */
    assert_int_equal(batch_of(80, 44 * GIB), 2); /* 72 / 36 = 2 */
    assert_int_equal(batch_of(80, 43 * GIB), 1); /* 72 / 37 = 1.9: no room for two */
    assert_int_equal(batch_of(80, 1 * GIB), 1);
}

static void test_batch_without_evidence(void **state)
{
    (void)state;
    assert_int_equal(batch_of(80, WI_UNKNOWN), 0);
    assert_int_equal(batch_of(0, 60 * GIB), 0);
    assert_int_equal(batch_of(80, 80 * GIB), 0); /* nothing in use cannot be */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_batch_by_free_memory),
                                       cmocka_unit_test(test_batch_without_evidence)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
