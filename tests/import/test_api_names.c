/* Calls are classified by name, in all the spellings of the CUDA and HIP libraries.
 * Threads: one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "import/api_names.h"

static const struct {
    const char *name;
    enum wi_api_class api_class;
    int blocking;
} EXPECTED[] = {
    {"cudaLaunchKernel", WI_API_LAUNCH, 0},
    {"cudaLaunchKernelExC", WI_API_LAUNCH, 0},
    {"cudaLaunchKernel_ptsz", WI_API_LAUNCH, 0},
    {"cuLaunchKernel", WI_API_LAUNCH, 0},
    {"cuLaunch", WI_API_LAUNCH, 0},
    {"cudaLaunch_v3020", WI_API_LAUNCH, 0},
    {"hipExtModuleLaunchKernel", WI_API_LAUNCH, 0},
    {"cudaLaunchHostFunc", WI_API_HOST_FUNC, 0},
    {"cudaGraphLaunch", WI_API_GRAPH_LAUNCH, 0},
    {"cudaGraphInstantiate", WI_API_OTHER, 0},
    {"cudaMemcpy", WI_API_COPY, 1},
    {"cudaMemcpyAsync", WI_API_COPY, 0},
    {"cudaMemcpyAsync_ptsz", WI_API_COPY, 0},
    {"cuMemcpyHtoD_v2", WI_API_COPY, 1},
    {"cuMemcpyDtoHAsync_v2", WI_API_COPY, 0},
    {"hipMemcpyWithStream", WI_API_COPY, 1},
    {"cudaMemsetAsync", WI_API_MEMSET, 0},
    {"cudaMemset", WI_API_MEMSET, 0},
    {"cudaDeviceSynchronize", WI_API_SYNC, 1},
    {"cudaStreamSynchronize", WI_API_SYNC, 1},
    {"cudaEventSynchronize", WI_API_SYNC, 1},
    {"hipDeviceSynchronize", WI_API_SYNC, 1},
    {"cudaEventQuery", WI_API_QUERY, 0},
    {"cudaEventRecordWithFlags", WI_API_EVENT_RECORD, 0},
    {"cudaStreamWaitEvent", WI_API_STREAM_WAIT, 0},
    {"cudaStreamCreateWithFlags", WI_API_STREAM_CREATE, 0},
    {"cudaMalloc", WI_API_ALLOC, 0},
    {"cudaMallocHost", WI_API_PIN, 0},
    {"cudaHostAlloc", WI_API_PIN, 0},
    {"cudaFree", WI_API_FREE, 0},
    {"cudaFreeHost", WI_API_PIN, 0},
    {"cuModuleLoadDataEx", WI_API_MODULE_LOAD, 0},
    {"cudaGetDevice", WI_API_OTHER, 0},
    {"cudaStreamIsCapturing", WI_API_OTHER, 0},
    {"cudaPeekAtLastError", WI_API_OTHER, 0},
    {"INVALID", WI_API_OTHER, 0},
    {"custom", WI_API_OTHER, 0},
    {"cu", WI_API_OTHER, 0},
    {"", WI_API_OTHER, 0},
};

static void classifies_by_name(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(EXPECTED) / sizeof(EXPECTED[0]); i++) {
        struct wi_api_kind kind = wi_api_kind(EXPECTED[i].name);
        if (kind.api_class != EXPECTED[i].api_class || kind.blocking != EXPECTED[i].blocking)
            fail_msg("%s: class %s, blocking %d", EXPECTED[i].name,
                     wi_api_class_word(kind.api_class), kind.blocking);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(classifies_by_name)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
