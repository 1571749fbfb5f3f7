/* A runtime under another file name, as repaired wheels have it (libcudart-1a2b3c4d.so.13): the
 * wrappers' first way of finding the real functions, by the usual name, does not work.
 * Threads: any. */
#include <stddef.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT int cudaMalloc(void **ptr, size_t size);
EXPORT int cudaFree(void *ptr);

EXPORT int cudaMalloc(void **ptr, size_t size)
{
    static char memory[4096];
    *ptr = memory;
    return size <= sizeof(memory) ? 0 : 2;
}

EXPORT int cudaFree(void *ptr)
{
    return ptr ? 0 : 1;
}
