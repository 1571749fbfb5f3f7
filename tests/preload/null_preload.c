/* The do-nothing preload that the benchmark compares with: wrappers of the same functions that
 * only call on.
 * Threads: any. */
#include <dlfcn.h>
#include <stddef.h>

#include "job_cuda.h"

#define PASS(name, proto, args)                                                                    \
    __attribute__((visibility("default"))) int name proto                                          \
    {                                                                                              \
        static int(*real) proto;                                                                   \
        if (__builtin_expect(!real, 0))                                                            \
            *(void **)&real = dlsym(RTLD_NEXT, #name);                                             \
        return real args;                                                                          \
    }

PASS(cudaSetDevice, (int device), (device))
PASS(cudaStreamQuery, (void *stream), (stream))
PASS(cudaMemsetAsync, (void *ptr, int value, size_t count, void *stream),
     (ptr, value, count, stream))
PASS(cudaLaunchKernel,
     (const void *func, struct job_dim3 grid, struct job_dim3 block, void **args, size_t shared,
      void *stream),
     (func, grid, block, args, shared, stream))
