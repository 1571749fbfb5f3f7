/* A library as a Python extension is one: linked to the runtime, loaded with RTLD_LOCAL.
 * Threads: any. */
#include "job_cuda.h"

__attribute__((visibility("default"))) int job_local(int times)
{
    int good = 0;
    for (int i = 0; i < times; i++) {
        void *ptr = NULL;
        good += cudaMalloc(&ptr, 4096) == 0 && cudaFree(ptr) == 0;
    }
    return good;
}
