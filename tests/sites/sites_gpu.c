/* A Python extension's part of the work: what a framework's library would call.
 * Threads: any. */
#include <stdint.h>

#include "../preload/job_cuda.h"

#define EXPORT __attribute__((visibility("default")))

static int symbol_spin_ns; /* the virtual GPU runs a kernel of this name for its argument */
static char host[1 << 20];
static void *device_memory;

EXPORT int gpu_open(void)
{
    static struct {
        int magic, version;
        const void *data;
        void *unused;
    } wrapper = {0x466243b1, 1, "", 0};
    void **handle = __cudaRegisterFatBinary(&wrapper);
    __cudaRegisterFunction(handle, (const char *)&symbol_spin_ns, (char *)"spin_ns", "spin_ns", -1,
                           0, 0, 0, 0, 0);
    __cudaRegisterFatBinaryEnd(handle);
    return cudaMalloc(&device_memory, sizeof(host));
}

EXPORT int gpu_copy_in(void)
{
    return cudaMemcpyAsync(device_memory, host, sizeof(host), JOB_H2D, 0);
}

EXPORT int gpu_kernel(int64_t ns)
{
    void *args[] = {&ns};
    struct job_dim3 grid = {4096, 1, 1}, block = {256, 1, 1};
    return cudaLaunchKernel(&symbol_spin_ns, grid, block, args, 0, 0);
}

EXPORT int gpu_read_back(void)
{
    return cudaMemcpy(host, device_memory, 4, JOB_D2H);
}
