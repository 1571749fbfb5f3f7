/* A program that uses CUDA through plug-ins only: opens job_local's library, calls it, closes it,
 * again and again; the runtime comes and goes with it.
 *   job_reopen LIBRARY TIMES
 * Threads: one. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

/* Where the runtime lies; the reference is given back. */
static char *runtime(void)
{
    void *handle = dlopen("libcudart.so.13", RTLD_NOW | RTLD_NOLOAD);
    char *at = handle ? dlsym(handle, "cudaMalloc") : NULL;
    if (handle)
        dlclose(handle);
    return at;
}

/* What comes next is not to lie where the runtime lay, if it has gone. */
static void occupy(char *at)
{
    size_t page = 4096;
    char *from = at - (uintptr_t)at % page;
    mmap(from, page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
}

int main(int argc, char **argv)
{
    int good = 0, times = argc > 2 ? atoi(argv[2]) : 0;
    for (int i = 0; i < times; i++) {
        int (*call)(int) = NULL;
        void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
        if (library)
            *(void **)&call = dlsym(library, "job_local");
        good += call ? call(3) : 0;
        char *at = runtime();
        if (library)
            dlclose(library);
        if (at)
            occupy(at);
    }
    printf("good %d\n", good);
    return 0;
}
