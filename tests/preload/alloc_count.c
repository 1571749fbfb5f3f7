/* Counts the allocations of the calling thread: an interposed malloc family, and a function by
 * which a job asks how many there were so far. Other threads, whyidle's helper among them, may
 * allocate as they like.
 * Threads: any. */
#include <dlfcn.h>
#include <stddef.h>

static _Thread_local long count __attribute__((tls_model("initial-exec")));

#define COUNTED(type, name, proto, args)                                                           \
    __attribute__((visibility("default"))) type name proto                                         \
    {                                                                                              \
        static type(*real) proto;                                                                  \
        if (!real)                                                                                 \
            *(void **)&real = dlsym(RTLD_NEXT, #name);                                             \
        count++;                                                                                   \
        return real args;                                                                          \
    }

COUNTED(void *, malloc, (size_t size), (size))
COUNTED(void *, realloc, (void *old, size_t size), (old, size))

__attribute__((visibility("default"))) long alloc_count(void)
{
    return count;
}
