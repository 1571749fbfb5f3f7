/* Kernels of communication libraries are told from others by name.
 * Threads: one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "model/collective.h"

static void knows_the_libraries(void **state)
{
    (void)state;
    assert_true(
        wi_name_is_collective("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgs)"));
    assert_true(wi_name_is_collective("ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclDevComm*)"));
    assert_true(wi_name_is_collective("void nvshmemi_transfer<int>(int*)"));
}

static void leaves_others_alone(void **state)
{
    (void)state;
    assert_false(wi_name_is_collective(""));
    assert_false(wi_name_is_collective("void "));
    assert_false(wi_name_is_collective("nccl"));
    assert_false(wi_name_is_collective("void my_ncclKernel_like(int)"));
    assert_false(wi_name_is_collective("NCCLDEVKERNEL_AllReduce"));
    assert_false(wi_name_is_collective("ampere_sgemm_128x64_nn"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_the_libraries),
        cmocka_unit_test(leaves_others_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
