/* Every exported runtime function that is not modelled: it says so once and returns "not
 * supported". Threads: any. May not: be reached by names the tables call modelled. */
#include "vgpu_runtime.h"

#include <stdatomic.h>
#include <stdio.h>

static int unsupported(const char *name, atomic_bool *said)
{
    if (!atomic_exchange(said, true)) {
        fprintf(stderr, "virtual GPU: %s is not modelled\n", name);
    }
    return rt_note(RT_NOT_SUPPORTED);
}

#define STUB_0(name)
#define STUB_M(name)
#define STUB_S(name)                                                                               \
    VGPU_API int name(void);                                                                       \
    int name(void)                                                                                 \
    {                                                                                              \
        static atomic_bool said;                                                                   \
        return unsupported(#name, &said);                                                          \
    }
#if VGPU_MAJOR == 11
#define NAME(name, in11, in12, in13) STUB_##in11(name)
#elif VGPU_MAJOR == 12
#define NAME(name, in11, in12, in13) STUB_##in12(name)
#else
#define NAME(name, in11, in12, in13) STUB_##in13(name)
#endif
#include "vgpu_runtime_names.def"
#undef NAME
