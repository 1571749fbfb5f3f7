/* Finds __cxa_demangle in this process, see demangler.h.
 * Threads: the helper looks. May not: load anything. */
#include "collect/demangler.h"

#include <dlfcn.h>
#include <stdatomic.h>

#include "base/glibc.h"
#include "collect/libraries.h"

#define TRIES 32

static struct {
    struct wi_demangler found;
    _Atomic int ready;
    struct wi_libraries libraries; /* at the last try */
    int tries;
} state;

/* Most jobs in Python load it for their extensions alone, outside of the global scope. */
void wi_demangler_look(void)
{
    if (atomic_load(&state.ready) || !wi_libraries_changed(&state.libraries) ||
        state.tries++ >= TRIES)
        return;
    void *demangle = dlsym(RTLD_DEFAULT, "__cxa_demangle");
    void *library = demangle ? NULL : dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_NOLOAD);
    if (library) /* kept open: it must stay while it may be called */
        demangle = dlsym(library, "__cxa_demangle");
    *(void **)&state.found.demangle = demangle;
    *(void **)&state.found.release = dlsym(RTLD_DEFAULT, "free");
    if (state.found.demangle && state.found.release)
        atomic_store_explicit(&state.ready, 1, memory_order_release);
}

const struct wi_demangler *wi_demangler(void)
{
    return atomic_load_explicit(&state.ready, memory_order_acquire) ? &state.found : NULL;
}
