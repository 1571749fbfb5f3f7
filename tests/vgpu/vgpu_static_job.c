/* A job with the runtime linked in: no libcudart is loaded, yet an injected tool sees it.
 * Threads: one. May not: print where the runtime is loaded from a file. */
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>

int cudaFree(void *address);

int main(void)
{
    int result = cudaFree(NULL);
    printf("free %d runtime file %d\n", result,
           dlopen("libcudart.so.13", RTLD_NOLOAD | RTLD_LAZY) != NULL);
    fflush(stdout);
    return 0;
}
