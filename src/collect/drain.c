/* Drains rings and buffers into the engine, see drain.h.
 * Threads: as there. May not: call CUPTI, allocate. */
#include "collect/drain.h"

#include <stdatomic.h>

#include "base/clock.h"
#include "collect/collect.h"
#include "collect/feed.h"
#include "collect/thread.h"
#include "collect/wall_clock.h"

#define QUIET_NS     INT64_C(100000000)
#define FULL_ENOUGH  640 /* of a ring's 1024 entries: it is to be drained before it holds more */
#define MOST_HELD    100 /* drains: seconds; a thread that only lost its core is back long before */
#define MARGIN_NS    INT64_C(10000) /* a call may have read its clock and not stored it yet */
#define KERNEL_BYTES 200u           /* to estimate how many records a discarded buffer held */

static struct {
    uint64_t entries;             /* taken in by the last drain */
    uint64_t fullest;             /* of them, from one ring */
    int64_t drained_ns, since_ns; /* the last drain, and from the one before to it */
    int64_t horizon; /* of the last drain that found no place of the shared ring held up */
    int held;        /* drains since then */
    uint64_t ring_drops, discarded, marks;
    size_t dropped;
    int unrecorded;
} state;

/* The newest entry, if a query, may be growing: it is taken only after its fold was closed. */
static int may_take(struct wi_thread *t, const struct wi_entry *entry, uint64_t ready)
{
    int open = WI_FOLD_OPEN;
    if (ready > 1 || entry->call >= WI_CALL_IDS ||
        wi_call_rows[entry->call].api_class != WI_API_QUERY)
        return 1;
    return atomic_compare_exchange_strong(&t->fold, &open, WI_FOLD_CLOSED) ||
           open == WI_FOLD_CLOSED;
}

static void feed(struct wi_thread *t, const struct wi_entry *entry)
{
    if (entry->call >= WI_CALL_IDS) {
        wi_ranges_entry(&t->ranges, t->tid, (const struct wi_range_entry *)entry);
        return;
    }
    struct wi_range_call ranges = wi_ranges_call(&t->ranges, entry->enter_ns, entry->exit_ns);
    wi_feed_entry(t->tid, entry, &ranges);
}

/* At most one ring's worth, so that a fast thread cannot hold the helper. */
static void drain_ring(struct wi_thread *t)
{
    uint64_t ready = wi_ring_ready(&t->ring);
    state.fullest = ready > state.fullest ? ready : state.fullest;
    for (; ready; ready--) {
        struct wi_entry *entry = wi_ring_peek(&t->ring);
        if (!may_take(t, entry, ready))
            return;
        struct wi_entry copy = *entry;
        feed(t, &copy);
        wi_ring_release(&t->ring);
        state.entries++;
    }
}

/* The entries of the threads without a ring, likewise. Behind a place that is taken and not yet
 * published lie calls of times that are not known: then the engine does not go on, but for a thread
 * that was stopped there for good. Returns the time up to which all are in. */
static int64_t drain_shared(int64_t horizon)
{
    struct wi_shared_ring *ring = wi_thread_shared_ring();
    struct wi_entry entry;
    unsigned n = 0;
    for (; n < WI_SHARED_PLACES && wi_shared_pop(ring, &entry); n++) {
        uint32_t tid = entry.repeat;
        entry.repeat = 0;
        wi_feed_entry(tid, &entry, NULL);
        state.entries++;
    }
    uint64_t full =
        (uint64_t)n * WI_RING_FIRST / WI_SHARED_PLACES; /* as a ring of the usual size */
    state.fullest = full > state.fullest ? full : state.fullest;
    state.held = wi_shared_held(ring) ? state.held + 1 : 0;
    if (!state.held || state.held > MOST_HELD)
        state.horizon = horizon;
    return state.horizon < horizon ? state.horizon : horizon;
}

/* The time up to which this thread's calls are all in its ring. */
static int64_t settled_until(struct wi_thread *t, int64_t now, int live)
{
    int gone = (live & WI_LIVE_SOURCE) >= WI_LIVE_WRAPPERS &&
               atomic_load_explicit(&t->live, memory_order_acquire) != live;
    if (gone) /* what it is in was entered under another source and will not be told */
        return now;
    int64_t enter = atomic_load_explicit(&t->enter_ns, memory_order_acquire);
    if (enter < 0)
        enter = atomic_load_explicit(&t->last_exit_ns, memory_order_relaxed);
    return enter && enter < now ? enter : now;
}

static uint64_t drain_threads(int64_t *horizon)
{
    uint64_t drops = 0;
    int count = wi_thread_count();
    int live = atomic_load(&wi_live); /* after the clock was read, so that no new call is missed */
    for (int i = 0; i < count; i++) {
        struct wi_thread *t = wi_thread_at(i);
        int life = atomic_load_explicit(&t->state, memory_order_acquire);
        drops += atomic_load_explicit(&t->ring.dropped, memory_order_relaxed);
        if (life == WI_THREAD_FREE || life == WI_THREAD_NEW)
            continue;
        int64_t until =
            settled_until(t, *horizon, live); /* before draining: see collect/hot.h, 9 */
        *horizon = until < *horizon ? until : *horizon;
        if (t->ring.slots)
            drain_ring(t);
        if (life == WI_THREAD_EXITED)
            wi_thread_recycle(t);
    }
    return drops;
}

/* Counts are cumulative; the engine gets what has been added. */
static void tell_loss(enum wi_loss_kind kind, uint64_t total, uint64_t *told)
{
    if (total > *told)
        wi_feed_loss(kind, total - *told, WI_UNKNOWN, WI_UNKNOWN);
    *told = total > *told ? total : *told;
}

static void tell_losses(uint64_t ring_drops)
{
    uint64_t threads =
        (uint64_t)wi_thread_unrecorded() + wi_shared_dropped(wi_thread_shared_ring());
    uint64_t told = (uint64_t)state.unrecorded;
    tell_loss(WI_LOSS_RING_FULL, ring_drops, &state.ring_drops);
    tell_loss(WI_LOSS_MARKS, wi_nvtx_dropped(), &state.marks);
    tell_loss(WI_LOSS_THREADS, threads, &told);
    state.unrecorded = (int)told;
    tell_loss(WI_LOSS_DEVICE_RECORDS, wi_buffers_discarded_bytes() / KERNEL_BYTES + state.dropped,
              &state.discarded);
}

int wi_drain(int most_buffers)
{
    int buffers = 0;
    wi_wall_clock_look();
    int64_t now = wi_now_ns();
    int64_t first = atomic_load(&wi_process.first_enter_ns);
    int64_t horizon = first ? first : now - MARGIN_NS;
    state.entries = state.fullest = 0;
    state.since_ns = now - state.drained_ns;
    state.drained_ns = now;
    uint64_t drops = drain_threads(&horizon);
    horizon = drain_shared(horizon);
    tell_losses(drops);
    wi_feed_advance(horizon, now);
    if (wi_process.activity)
        buffers = wi_buffers_take(most_buffers, wi_feed_buffer);
    if (buffers)
        wi_feed_advance(horizon, now);
    return buffers == most_buffers;
}

/* Each drain costs some 40 us whatever it finds: as few of them as the rings allow. 25 ms at most
 * while calls come, so that a sudden rush of 200 000 calls a second still fits into a ring. */
int64_t wi_drain_rest(void)
{
    if (!state.entries)
        return QUIET_NS;
    int64_t ns = state.since_ns > 0 && state.since_ns < QUIET_NS ? state.since_ns : QUIET_NS;
    ns = ns * FULL_ENOUGH / (int64_t)(state.fullest + 1); /* at the pace since the last drain */
    return ns < WI_CROWDED_NS ? WI_CROWDED_NS : ns > WI_EASY_NS ? WI_EASY_NS : ns;
}

int wi_drain_found(void)
{
    return state.entries > 0;
}

void wi_drain_dropped(size_t records)
{
    state.dropped += records;
}
