/* The exported functions of the CUDA runtime, expanded from cuda/calls.def: one wrapper per
 * function and version node, which calls the real function and, at levels B and C, records it.
 * Threads: every thread of the job; hot path, rules in hot.h. */
#include "collect/collect.h"
#include "collect/hot.h"
#include "cuda/real.h"

struct scope {
    struct wi_thread *t;
    int first, live;
};

/* The call that arms the library: it makes the driver call InitializeInjection, or, where that
 * does not happen, arms when it has returned. Other threads go unrecorded meanwhile. */
static WI_COLD int first_enter(struct scope *scope)
{
    static atomic_int taken;
    static struct wi_thread block; /* the tables of thread.c do not exist yet */
    if (atomic_exchange(&taken, 1))
        return 0;
    scope->first = 1;
    scope->t = &block;
    block.depth = 1;
    block.first = 1;
    block.run_ns = block.runnable_ns = WI_UNKNOWN;
    atomic_store(&block.enter_ns, wi_now_ns());
    atomic_store(&wi_process.first_enter_ns, atomic_load(&block.enter_ns));
    wi_self = &block; /* callbacks of this call find it and leave it alone */
    return 1;
}

static WI_COLD void first_exit(const struct scope *scope, int call, const struct wi_call_args *args,
                               int result)
{
    struct wi_thread *first = scope->t;
    int64_t exit_ns = wi_now_ns(); /* arming is not the job's time */
    wi_self = NULL;
    wi_arm(1, result);
    wi_arm_no_driver(result);
    wi_register_exit();
    int source = atomic_load(&wi_live) & WI_LIVE_SOURCE;
    struct wi_thread *t = source >= WI_LIVE_WRAPPERS ? wi_thread_self() : NULL;
    if (t && t != &wi_thread_dead) {
        t->run_ns = t->runnable_ns = WI_UNKNOWN;
        atomic_store(&t->enter_ns, atomic_load(&first->enter_ns));
        wi_hot_record(t, exit_ns, call, args, result, first->first_corr, t->device, 0);
    }
    atomic_store(&wi_process.first_enter_ns, 0);
}

static inline int scope_enter(struct scope *scope)
{
    int live = atomic_load_explicit(&wi_live, memory_order_relaxed);
    scope->first = 0;
    if (WI_UNLIKELY((live & WI_LIVE_SOURCE) != WI_LIVE_WRAPPERS))
        return live == WI_LIVE_UNARMED && first_enter(scope);
    struct wi_thread *t = wi_thread_self();
    if (WI_UNLIKELY(atomic_load_explicit(&t->live, memory_order_relaxed) != live))
        wi_thread_turn(t, live);
    if (t->depth)
        return 0;
    t->depth = 1;
    scope->t = t;
    scope->live = live;
    wi_hot_enter(t);
    return 1;
}

static inline void scope_exit(const struct scope *scope, int call, const struct wi_call_args *args,
                              int result)
{
    struct wi_thread *t = scope->t;
    if (WI_UNLIKELY(scope->first)) {
        first_exit(scope, call, args, result);
        return;
    }
    int live = atomic_load_explicit(&wi_live, memory_order_relaxed);
    if (WI_UNLIKELY(live != scope->live)) { /* callbacks took over meanwhile, or nobody */
        if (atomic_load_explicit(&t->live, memory_order_relaxed) == scope->live)
            wi_thread_turn(t, live);
        return;
    }
    if ((wi_call_rows[call].flags & WI_ROW_SET_DEVICE) && result == WI_CUDA_SUCCESS)
        t->device = args->device;
    wi_hot_exit(t, call, args, result, 0, t->device, 0);
    t->depth = 0;
}

/* The version node a reference of the job carries decides which wrapper it gets; the newest is the
 * default, for references without a version. */
#define NODE_11 "@libcudart.so.11.0"
#define NODE_12 "@libcudart.so.12"
#define NODE_13 "@@libcudart.so.13"

#define WRAPPER(number, name, id, shape, count, params, ...)                                       \
    __asm__(".symver wi_w" #number "_" #name ", " #name NODE_##number);                            \
    WI_EXPORT int wi_w##number##_##name(WI_PROTO_##count params);                                  \
    WI_EXPORT int wi_w##number##_##name(WI_PROTO_##count params)                                   \
    {                                                                                              \
        int (*real)(WI_PROTO_##count params);                                                      \
        *(void **)&real = wi_real(WI_V##number, id, __builtin_return_address(0));                  \
        struct scope scope;                                                                        \
        if (WI_UNLIKELY(!real))                                                                    \
            return WI_CUDA_UNKNOWN;                                                                \
        if (!scope_enter(&scope))                                                                  \
            return real(WI_ARGS_##count params);                                                   \
        int result = real(WI_ARGS_##count params);                                                 \
        struct wi_args_##shape packed = {WI_INIT_##count params};                                  \
        struct wi_call_args args = {.stream = NULL};                                               \
        wi_fill_##shape(&packed, result == WI_CUDA_SUCCESS, &args);                                \
        scope_exit(&scope, id, &args, result);                                                     \
        return result;                                                                             \
    }
#define WRAPPER_OPEN(number, name, id, shape, ...) WRAPPER(number, name, id, shape, __VA_ARGS__)
#define WRAPPER_OF(number, name, id, shape)        WRAPPER_OPEN(number, name, id, shape, WI_SHAPE_##shape)
#define CALL(name, class_id, shape, flags, versions, cbid)                                         \
    WI_SPREAD_##versions(WRAPPER_OF, name, WI_ID_##name##_##versions, shape)
#include "cuda/calls.def"
#undef CALL
