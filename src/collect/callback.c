/* CUPTI's callback: records host calls at level A.
 * Threads: every thread of the job that calls CUDA; hot path, rules in hot.h. */
#include "collect/collect.h"
#include "collect/hot.h"

/* The exit of a call whose enter was not seen: the one in which the library was armed. A static
 * runtime gives no earlier sign of it, so it is recorded from the moment of arming. */
static WI_COLD void unseen_exit(struct wi_thread *t, int domain, uint32_t cbid,
                                const struct wi_cupti_call *call)
{
    static atomic_int taken;
    int id = wi_call_find(domain, cbid);
    int first_turn = atomic_load(&t->live) == WI_LIVE_CALLBACKS;
    if (domain != WI_CUPTI_RUNTIME || id < 0 || !first_turn || atomic_exchange(&taken, 1))
        return;
    struct wi_call_args args = {.stream = NULL};
    int result = call->result ? *(const int *)call->result : 0;
    if (call->params)
        wi_call_fill(id, call->params, result == WI_CUDA_SUCCESS, &args);
    t->run_ns = t->runnable_ns = WI_UNKNOWN;
    atomic_store(&t->enter_ns, wi_process.start_ns);
    wi_hot_exit(t, id, &args, result, call->corr, (int16_t)call->context_uid, WI_ENTRY_CONTEXT);
    atomic_store(&wi_process.first_enter_ns, 0);
    wi_register_exit();
}

static WI_APART void enter(struct wi_thread *t, int domain, uint32_t cbid)
{
    int id = wi_call_find(domain, cbid);
    if (id < 0)
        return;
    t->call = (uint16_t)id;
    wi_hot_enter(t);
}

static WI_APART void leave(struct wi_thread *t, const struct wi_cupti_call *call)
{
    static atomic_int registered;
    int id = t->call;
    int result = call->result ? *(const int *)call->result : 0;
    struct wi_call_args args = {.stream = NULL};
    if (call->params)
        wi_call_fill(id, call->params, result == WI_CUDA_SUCCESS, &args);
    wi_hot_exit(t, id, &args, result, call->corr, (int16_t)call->context_uid, WI_ENTRY_CONTEXT);
    if (WI_UNLIKELY(!atomic_load_explicit(&registered, memory_order_relaxed)) &&
        !atomic_exchange(&registered, 1)) {
        atomic_store(&wi_process.first_enter_ns, 0);
        wi_register_exit(); /* again: now the driver's own handler is surely there, run before it */
    }
}

static inline void go_on(struct wi_thread *t, int domain, uint32_t cbid,
                         const struct wi_cupti_call *call)
{
    if (call->site == WI_CUPTI_ENTER) {
        if (t->depth++ == 0)
            enter(t, domain, cbid);
    } else if (WI_UNLIKELY(!t->depth)) {
        unseen_exit(t, domain, cbid, call);
    } else if (--t->depth == 0) {
        leave(t, call);
    }
}

/* A thread that is new, must not be recorded, or was last recorded under another source. */
static WI_COLD void other_thread(struct wi_thread *t, int live, int domain, uint32_t cbid,
                                 const struct wi_cupti_call *call)
{
    t = t ? t : wi_thread_new();
    if (t == &wi_thread_dead)
        return;
    if (t->first) { /* wrappers.c records this one */
        if (domain == WI_CUPTI_RUNTIME && call->site == WI_CUPTI_EXIT)
            t->first_corr = call->corr;
        return;
    }
    if (atomic_load_explicit(&t->live, memory_order_relaxed) != live)
        wi_thread_turn(t, live);
    go_on(t, domain, cbid, call);
}

/* Each call of the runtime comes with those of the driver inside it, which must cost but a few
 * steps: whatever does more stands apart and is called last, so that no register is saved here.
 * Neither wi_thread_dead nor the first thread's block is ever live. */
void wi_callback(void *user, int domain, uint32_t cbid, const struct wi_cupti_call *call)
{
    (void)user;
    int live = atomic_load_explicit(&wi_live, memory_order_relaxed);
    struct wi_thread *t = wi_self;
    if (WI_UNLIKELY((live & WI_LIVE_SOURCE) != WI_LIVE_CALLBACKS))
        return;
    if (WI_LIKELY(t && atomic_load_explicit(&t->live, memory_order_relaxed) == live))
        go_on(t, domain, cbid, call);
    else
        other_thread(t, live, domain, cbid, call);
}
