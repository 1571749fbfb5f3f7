/* The hot path: what runs inside a CUDA call of the job, on the job's own thread.
 *
 * Rules of the hot path, for everything reached from wi_scope_enter/exit and from the callback:
 *  1. No allocation. A thread's memory is mapped once, at its first call.
 *  2. No lock and no waiting. Rings have one producer; what does not fit is counted and dropped.
 *  3. No text: no formatting, no names, no getenv. Names are looked up by the helper.
 *  4. No system call, with two exceptions: a thread that enters a call after more than 1 ms of
 *     silence, or leaves one that took as long, reads its own clock and schedstat, and wakes the
 *     helper if that went to sleep for long because no calls came (silence.c); the first look at a
 *     Python stack in a process tries in the guarded way whether it is understood (sites.c), and a
 *     thread's first native stack fills the unwinder's cache (native_stack.c).
 *  5. errno, return values and arguments are as if whyidle were not there.
 *  6. No CUDA and no CUPTI call.
 *  7. Exactly one source records: wrappers or callbacks, never both (wi_live).
 *  8. Only the outermost call is recorded (depth), so that nested driver calls cost one test.
 *  9. A call in progress is visible to the helper (enter_ns), which lets the watermark stop there.
 * 10. Nothing here may end, hang or slow the job: on any doubt, do not record.
 *
 * Threads: every thread of the job that calls CUDA. */
#ifndef WI_COLLECT_HOT_H
#define WI_COLLECT_HOT_H

#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

#include "base/attr.h"
#include "base/clock.h"
#include "base/ring.h"
#include "collect/ranges.h"
#include "collect/sites.h"
#include "cuda/call_table.h"
#include "model/event.h"

/* Who records host calls. UNARMED must be 0: it is the state before any code of ours has run. The
 * source may change hands while the job runs (arbiter.h): the bits above it count the turns, so
 * that one load tells a thread whether the calls it is in were entered under the same source. */
enum wi_live { WI_LIVE_UNARMED, WI_LIVE_NONE, WI_LIVE_WRAPPERS, WI_LIVE_CALLBACKS };
#define WI_LIVE_SOURCE 3
#define WI_LIVE_TURN   4
extern _Atomic int wi_live;

#define WI_SILENCE_NS                                                                              \
    INT64_C(1000000) /* from here on the scheduler's figures are worth reading                     \
                      */

enum wi_entry_flags {
    WI_ENTRY_FAILED = 1,
    WI_ENTRY_NONBLOCKING = 2, /* the stream created does not synchronise with the default stream */
    WI_ENTRY_BYTES_UNKNOWN = 4,
    WI_ENTRY_CONTEXT = 8 /* `device` holds a context number */
};

/* One call on its way to the helper. */
struct wi_entry {
    int64_t enter_ns, exit_ns;
    uint64_t stream;           /* the handle */
    uint64_t arg;              /* struct wi_call_args */
    float run_ns, runnable_ns; /* of the silence before it; < 0 = not known; 7 digits will do */
    float held_ns;             /* ready inside the call, but without a core; < 0 = not known */
    uint32_t from;             /* of copies: id of the memory that is read, 0 = not known */
    uint32_t corr;
    uint32_t repeat; /* folded queries; in the shared ring the thread id */
    uint16_t call;   /* enum wi_call_id */
    int16_t device;
    uint8_t flags, direction;
    uint16_t site; /* sites.h */
};
_Static_assert(sizeof(struct wi_entry) == WI_RING_ENTRY_BYTES, "one ring slot");
_Static_assert(offsetof(struct wi_entry, call) == offsetof(struct wi_range_entry, call),
               "tells them apart");

enum wi_fold { WI_FOLD_CLOSED, WI_FOLD_OPEN, WI_FOLD_WRITING };
enum wi_thread_state { WI_THREAD_FREE, WI_THREAD_USED, WI_THREAD_EXITED, WI_THREAD_NEW };

struct wi_thread {
    _Atomic int64_t enter_ns; /* of the call in progress; 0 none, -1 about to be set */
    _Atomic int64_t last_exit_ns;
    _Atomic int fold;     /* enum wi_fold: may the newest entry, a query, still grow? */
    _Atomic int live;     /* wi_live when the calls in progress were entered */
    _Atomic uint32_t tid; /* others look it up while a block changes hands */
    uint32_t depth;       /* calls in progress, nested ones included */
    int16_t device;       /* as cudaSetDevice left it */
    uint16_t call;        /* callbacks: the outermost call in progress */
    uint32_t first_corr;
    uint8_t first;               /* the call that armed the library is in progress */
    uint8_t shared;              /* has no ring of its own */
    int64_t run_ns, runnable_ns; /* of the silence before the call in progress */
    /* silence.c */
    int schedstat_fd;
    int64_t base_wall_ns, base_cpu_ns, base_wait_ns; /* last reading */
    int64_t blocked_ns;                              /* inside blocking calls since then */
    struct wi_site_thread site;
    uint8_t range_levels[WI_RANGE_DOMAINS]; /* open ranges of the job's own */
    struct wi_range_state ranges;           /* the helper's */
    _Atomic int state;                      /* enum wi_thread_state */
    _Atomic uint64_t names;                 /* see wi_thread_named */
    struct wi_ring ring;
};

/* The calling thread's block: the library's only thread-local variable, 8 bytes so that it fits
 * the surplus when the library is loaded by dlopen. */
extern WI_TLS_IE struct wi_thread *wi_self;
/* Stands in for threads that must not be recorded any more; its depth never is 0. */
extern struct wi_thread wi_thread_dead;

/* Cold halves. */
struct wi_thread *wi_thread_new(void);
void wi_thread_turn(struct wi_thread *t, int live); /* forgets the calls of another source */
void wi_silence_end(struct wi_thread *t, int64_t now_ns);
/* Returns the time in which the thread was ready inside the call but had no core, or WI_UNKNOWN. */
int64_t wi_blocked_end(struct wi_thread *t, int64_t enter_ns, int64_t now_ns);
void wi_push_shared(const struct wi_entry *entry);
void wi_helper_wake(void);

static inline int64_t wi_now_ns(void)
{
    return wi_clock_ns(CLOCK_REALTIME);
}

static inline struct wi_thread *wi_thread_self(void)
{
    struct wi_thread *t = wi_self;
    return WI_LIKELY(t != NULL) ? t : wi_thread_new();
}

static inline void wi_hot_enter(struct wi_thread *t)
{
    /* -1 first: a helper that looks between the clock and the store must not overlook the call */
    atomic_store_explicit(&t->enter_ns, -1, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst);
    int64_t now = wi_now_ns();
    int64_t last = atomic_load_explicit(&t->last_exit_ns, memory_order_relaxed);
    if (WI_UNLIKELY(now - last > WI_SILENCE_NS))
        wi_silence_end(t, now);
    else
        t->run_ns = t->runnable_ns = WI_UNKNOWN;
    atomic_store_explicit(&t->enter_ns, now, memory_order_relaxed);
}

/* Addresses are only ever compared, so that 32 bits of them, well mixed, do. */
static inline uint32_t wi_hot_from(uint64_t address)
{
    return (uint32_t)(address * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

/* Adds a query to the thread's newest entry if that is the same query, asked just before. */
static inline int wi_hot_fold(struct wi_thread *t, const struct wi_entry *e)
{
    int open = WI_FOLD_OPEN;
    if (t->shared || !atomic_compare_exchange_strong(&t->fold, &open, WI_FOLD_WRITING))
        return 0;
    struct wi_entry *last = wi_ring_last(&t->ring);
    int same = last->call == e->call && last->stream == e->stream && last->arg == e->arg &&
               last->flags == e->flags && e->enter_ns - last->exit_ns <= WI_SILENCE_NS;
    if (same) {
        last->exit_ns = e->exit_ns;
        last->repeat++;
    }
    atomic_store_explicit(&t->fold, same ? WI_FOLD_OPEN : WI_FOLD_CLOSED, memory_order_release);
    return same;
}

static inline void wi_hot_push(struct wi_thread *t, const struct wi_entry *e)
{
    int query = wi_call_rows[e->call].api_class == WI_API_QUERY;
    if (query && wi_hot_fold(t, e))
        return;
    if (WI_UNLIKELY(t->shared)) {
        wi_push_shared(e);
        return;
    }
    atomic_store_explicit(&t->fold, WI_FOLD_CLOSED, memory_order_relaxed);
    struct wi_entry *slot = wi_ring_claim(&t->ring);
    if (WI_UNLIKELY(!slot))
        return;
    *slot = *e;
    if (query) /* before the entry is visible: the consumer asks the fold before it reads */
        atomic_store_explicit(&t->fold, WI_FOLD_OPEN, memory_order_relaxed);
    wi_ring_commit(&t->ring);
}

static inline void wi_hot_record(struct wi_thread *t, int64_t now, int call,
                                 const struct wi_call_args *args, int result, uint32_t corr,
                                 int device, int flags)
{
    int64_t enter = atomic_load_explicit(&t->enter_ns, memory_order_relaxed);
    int64_t silence = enter - atomic_load_explicit(&t->last_exit_ns, memory_order_relaxed);
    int failed = result != WI_CUDA_SUCCESS && result != WI_CUDA_NOT_READY;
    int blocking = wi_call_rows[call].flags & WI_ROW_BLOCKING;
    int64_t held = WI_UNKNOWN;
    if (WI_UNLIKELY(now - enter > WI_SILENCE_NS))
        held = wi_blocked_end(t, enter, now);
    else if (blocking)
        t->blocked_ns += now - enter;
    struct wi_entry e = {
        .enter_ns = enter,
        .exit_ns = now,
        .stream = (uint64_t)(uintptr_t)args->stream,
        .arg = args->arg,
        .run_ns = (float)t->run_ns,
        .runnable_ns = (float)t->runnable_ns,
        .held_ns = (float)held,
        .from = wi_hot_from(args->from),
        .corr = corr,
        .call = (uint16_t)call,
        .device = (int16_t)device,
        .flags = (uint8_t)(flags | (failed ? WI_ENTRY_FAILED : 0) |
                           (args->nonblocking ? WI_ENTRY_NONBLOCKING : 0) |
                           (args->arg_unknown ? WI_ENTRY_BYTES_UNKNOWN : 0)),
        .direction = args->direction,
        .site = wi_site_due(&t->site, now, silence, blocking) ? wi_site_capture(&t->site, now)
                                                              : WI_SITE_UNSEEN,
    };
    if (t->shared)
        e.repeat = t->tid;
    wi_hot_push(t, &e);
    atomic_store_explicit(&t->last_exit_ns, now, memory_order_relaxed);
    atomic_store_explicit(&t->enter_ns, 0, memory_order_release);
}

static inline void wi_hot_exit(struct wi_thread *t, int call, const struct wi_call_args *args,
                               int result, uint32_t corr, int device, int flags)
{
    wi_hot_record(t, wi_now_ns(), call, args, result, corr, device, flags);
}

#endif
