/* Unwinds the calling thread's native stack, see native_stack.h.
 * Threads: any. May not: allocate; the unwinders lock and map memory at a thread's first use. */
#include "collect/native_stack.h"

#include <dlfcn.h>
#include <stdatomic.h>

#include "base/attr.h"
#include "base/glibc.h"
#include "collect/libraries.h"
#include "collect/peek.h"

#define CACHE_PER_THREAD 2          /* unw_caching_policy_t */
#define STACK_COPY       8192u      /* bytes above the caller that frame pointers are followed in */
#define FRAME_BYTES      (1u << 20) /* a larger frame is not one */

#if defined(__x86_64__)
#define UNWIND_PREFIX "_ULx86_64_"
#elif defined(__aarch64__)
#define UNWIND_PREFIX "_ULaarch64_"
#else
#define UNWIND_PREFIX "_UL_"
#endif

struct _Unwind_Context;
typedef int (*unwind_step)(struct _Unwind_Context *context, void *user);

static struct {
    _Atomic int how;
    uint64_t unloaded; /* libraries that had been by the time of opening */
    int (*unw_backtrace)(void **frames, int most);
    int (*unwind_backtrace)(unwind_step step, void *user);
    uintptr_t (*unwind_ip)(struct _Unwind_Context *context);
} state;

/* Its cache must belong to the thread: the shared one takes a lock and blocks signals. */
static int open_libunwind(void)
{
    int (*policy)(void *space, int policy);
    void *library = dlopen("libunwind.so.8", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return 0;
    void **space = dlsym(library, UNWIND_PREFIX "local_addr_space");
    *(void **)&policy = dlsym(library, UNWIND_PREFIX "set_caching_policy");
    *(void **)&state.unw_backtrace = dlsym(library, "unw_backtrace");
    if (!state.unw_backtrace || !space || !policy)
        return 0;
    policy(*space, CACHE_PER_THREAD);
    return 1;
}

static int open_libgcc(void)
{
    void *library = dlopen("libgcc_s.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return 0;
    *(void **)&state.unwind_backtrace = dlsym(library, "_Unwind_Backtrace");
    *(void **)&state.unwind_ip = dlsym(library, "_Unwind_GetIP");
    return state.unwind_backtrace && state.unwind_ip;
}

void wi_native_check(void)
{
    if (wi_native_how() == WI_UNWIND_LIBUNWIND && wi_libraries().unloaded != state.unloaded)
        wi_native_open(WI_UNWIND_LIBGCC);
}

void wi_native_open(enum wi_unwinder best)
{
    state.unloaded = wi_libraries().unloaded;
    enum wi_unwinder how = WI_UNWIND_POINTERS;
    if (best <= WI_UNWIND_LIBUNWIND && open_libunwind())
        how = WI_UNWIND_LIBUNWIND;
    else if (best <= WI_UNWIND_LIBGCC && open_libgcc())
        how = WI_UNWIND_LIBGCC;
    atomic_store_explicit(&state.how, (int)how, memory_order_release);
}

enum wi_unwinder wi_native_how(void)
{
    return (enum wi_unwinder)atomic_load_explicit(&state.how, memory_order_acquire);
}

const char *wi_native_words(enum wi_unwinder how)
{
    static const char *const WORDS[] = {"no native stacks", "libunwind", "libgcc",
                                        "frame pointers"};
    return WORDS[how];
}

struct gathered {
    uintptr_t *frames;
    int count, most;
};

static int gather(struct _Unwind_Context *context, void *user)
{
    struct gathered *to = user;
    uintptr_t ip = state.unwind_ip(context);
    if (!ip || to->count >= to->most)
        return 5; /* _URC_END_OF_STACK */
    to->frames[to->count++] = ip;
    return 0; /* _URC_NO_REASON */
}

/* Code without frame pointers leaves anything in the register: links are followed only upwards,
 * only inside a copy of the stack that was read with one guarded read. */
static int by_pointers(uintptr_t frame, uintptr_t *frames, int most)
{
    uintptr_t words[STACK_COPY / sizeof(uintptr_t)];
    int count = 0;
    uintptr_t got = frame % sizeof(uintptr_t) == 0 ? wi_peek_some(frame, words, sizeof(words)) : 0;
    uintptr_t at = frame;
    while (count < most && at - frame + 2 * sizeof(uintptr_t) <= got) {
        const uintptr_t *link = &words[(at - frame) / sizeof(uintptr_t)];
        if (link[1] < 4096)
            break;
        frames[count++] = link[1];
        if (link[0] <= at || link[0] - at > FRAME_BYTES || link[0] % sizeof(uintptr_t))
            break;
        at = link[0];
    }
    return count;
}

__attribute__((noinline)) int wi_native_walk(uintptr_t *frames, int most)
{
    struct gathered gathered = {frames, 0, most};
    switch (wi_native_how()) {
    case WI_UNWIND_LIBUNWIND:
        return state.unw_backtrace((void **)frames, most);
    case WI_UNWIND_LIBGCC:
        state.unwind_backtrace(gather, &gathered);
        return gathered.count;
    case WI_UNWIND_POINTERS:
        return by_pointers((uintptr_t)__builtin_frame_address(0), frames, most);
    default:
        return 0;
    }
}
