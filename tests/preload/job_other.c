/* One process with two CUDA majors: linked to one, and it loads a library linked to the other.
 * Prints what each of them returned.
 * Threads: one. */
#include <dlfcn.h>
#include <stdio.h>

#include "job_cuda.h"

int main(int argc, char **argv)
{
    int (*other)(int);
    void *ptr = NULL;
    void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    int mine = cudaMalloc(&ptr, 4096);
    if (!library)
        return 3;
    *(void **)&other = dlsym(library, "job_local");
    printf("own %d, other %d\n", mine, other(3));
    return 0;
}
