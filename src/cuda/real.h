/* The real functions of the CUDA runtime behind the wrappers.
 * Threads: any. The first look-up of a function calls the dynamic linker; later ones are one load.
 */
#ifndef WI_CUDA_REAL_H
#define WI_CUDA_REAL_H

#include <stdatomic.h>

#include "cuda/call_table.h"

extern void *_Atomic wi_real_table[WI_MAJOR_COUNT][WI_RUNTIME_CALLS];

/* Looks the function up and remembers it; caller is an address in the calling library. NULL if
 * there is none, which is said once. errno is kept. */
void *wi_real_resolve(enum wi_major major, int id, void *caller);

/* The function of that name which the library of `caller` would have called without us; NULL if
 * there is none. */
void *wi_real_of(const char *name, void *caller);

static inline void *wi_real(enum wi_major major, int id, void *caller)
{
    void *real = atomic_load_explicit(&wi_real_table[major][id], memory_order_relaxed);
    return WI_LIKELY(real != NULL) ? real : wi_real_resolve(major, id, caller);
}

#endif
