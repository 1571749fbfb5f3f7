/* A job without the runtime, as Triton's launcher or a program with a static runtime looks from
 * outside: only driver calls, none of which a wrapper sees.
 *   job_driver LAUNCHES COPIES
 * Threads: one. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static const char PTX[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                          ".visible .entry driver_kernel(.param .u64 a)\n{\n    ret;\n}\n";

int cuInit(unsigned flags);
int cuDeviceGet(int *device, int ordinal);
int cuDevicePrimaryCtxRetain(void **context, int device);
int cuCtxSetCurrent(void *context);
int cuModuleLoadData(void **module, const void *image);
int cuModuleGetFunction(void **function, void *module, const char *name);
int cuMemAlloc_v2(uint64_t *ptr, size_t size);
int cuMemcpyHtoD_v2(uint64_t dst, const void *src, size_t count);
int cuCtxSynchronize(void);
int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                   unsigned bz, unsigned shared, void *stream, void **params, void **extra);

int main(int argc, char **argv)
{
    static char host[65536];
    int launches = argc > 1 ? atoi(argv[1]) : 1, copies = argc > 2 ? atoi(argv[2]) : 0;
    int device, failed = cuInit(0) != 0;
    void *context, *module, *function;
    uint64_t memory = 0, argument = 0;
    void *params[] = {&argument};
    failed += cuDeviceGet(&device, 0) != 0;
    failed += cuDevicePrimaryCtxRetain(&context, device) != 0;
    failed += cuCtxSetCurrent(context) != 0;
    failed += cuModuleLoadData(&module, PTX) != 0;
    failed += cuModuleGetFunction(&function, module, "driver_kernel") != 0;
    failed += cuMemAlloc_v2(&memory, sizeof(host)) != 0;
    for (int i = 0; i < copies; i++)
        failed += cuMemcpyHtoD_v2(memory, host, sizeof(host)) != 0;
    for (int i = 0; i < launches; i++)
        failed += cuLaunchKernel(function, 216, 1, 1, 128, 1, 1, 0, NULL, params, NULL) != 0;
    failed += cuCtxSynchronize() != 0;
    printf("failed %d\n", failed);
    return failed != 0;
}
