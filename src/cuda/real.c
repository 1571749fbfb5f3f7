/* Finds the real functions behind the wrappers, see real.h.
 * Threads: any. May not: use RTLD_NEXT first: it is NULL for every libcudart that a Python
 * extension brought in with RTLD_LOCAL; may not let the job call a NULL pointer. */
#include "cuda/real.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#include "base/glibc.h"
#include "base/log.h"

void *_Atomic wi_real_table[WI_MAJOR_COUNT][WI_RUNTIME_CALLS];

static const char *const NODES[WI_MAJOR_COUNT] = {"libcudart.so.11.0", "libcudart.so.12",
                                                  "libcudart.so.13"};

/* A wrapper of this library is not a real function. */
static void *unless_own(void *address)
{
    Dl_info theirs, own;
    if (!address || !dladdr(address, &theirs) || !dladdr((void *)wi_real_table, &own))
        return address;
    return theirs.dli_fbase == own.dli_fbase ? NULL : address;
}

static void *from_loaded(const char *file, const char *name, const char *version)
{
    void *handle = dlopen(file, RTLD_NOLOAD | RTLD_LAZY);
    if (!handle)
        return NULL;
    void *found = version ? dlvsym(handle, name, version) : dlsym(handle, name);
    dlclose(handle); /* gives the reference back; the library stays as loaded as it was */
    return unless_own(found);
}

/* The caller's own dependencies, searched as the linker would have. */
static void *from_caller(const char *name, void *caller)
{
    Dl_info info;
    int known = dladdr(caller, &info) && info.dli_fname;
    return known ? from_loaded(info.dli_fname, name, NULL) : NULL;
}

void *wi_real_of(const char *name, void *caller)
{
    int saved = errno;
    void *found = from_caller(name, caller);
    if (!found)
        found = unless_own(dlsym(RTLD_NEXT, name));
    errno = saved;
    return found;
}

static void *find(enum wi_major major, const char *name, void *caller)
{
    void *found = from_loaded(NODES[major], name, NODES[major]);
    if (!found)
        found = from_caller(name, caller);
    if (!found)
        found = unless_own(dlvsym(RTLD_NEXT, name, NODES[major]));
    if (!found)
        found = unless_own(dlsym(RTLD_NEXT, name));
    return found;
}

/* The job may close the library, but what was looked up is called for as long as it runs. */
static void keep_loaded(void *function)
{
    Dl_info info;
    if (dladdr(function, &info) && info.dli_fname)
        dlopen(info.dli_fname, RTLD_NOLOAD | RTLD_LAZY | RTLD_NODELETE);
}

void *wi_real_resolve(enum wi_major major, int id, void *caller)
{
    static atomic_int said;
    int saved = errno;
    void *found = find(major, wi_call_name(id), caller);
    if (found) {
        keep_loaded(found);
        atomic_store_explicit(&wi_real_table[major][id], found, memory_order_relaxed);
    } else if (!atomic_exchange(&said, 1)) {
        wi_log(WI_LOG_FAULT, "the real %s was not found; the call fails with cudaErrorUnknown",
               wi_call_name(id));
    }
    errno = saved;
    return found;
}
