/* Hands CUPTI over to other tools and takes it back, see arbiter.h.
 * Threads: noted there. May not: wait long; hold the turn while a tool's code runs. */
#include "collect/arbiter.h"

#include <stdatomic.h>
#include <time.h>

#include "base/log.h"
#include "collect/blind.h"
#include "collect/collect.h"
#include "collect/hot.h"

#define MS        INT64_C(1000000)
#define STEP_NS   (MS / 20)
#define WAIT_NS   (1000 * MS) /* a flush takes less, unless it hangs; a tool starts seldom */
#define AFTER_NS  (1000 * MS) /* tools let go of one kind after the other, then fetch the rest */
#define RETRY_NS  (10000 * MS)
#define RETRY_TOP (600000 * MS)

static struct {
    _Atomic int turn; /* 1: somebody of us is calling CUPTI */
    _Atomic int away; /* a tool has CUPTI */
    _Atomic int subscribed;
    _Atomic uint64_t kinds;  /* the tools' */
    _Atomic int64_t last_ns; /* of a tool's call */
    _Atomic(wi_cupti_requested) requested;
    _Atomic(wi_cupti_completed) completed;
    int (*_Atomic register_buffers)(wi_cupti_requested, wi_cupti_completed);
    int64_t retry_ns, retry_at_ns; /* helper */
} state;

static int try_turn(void)
{
    return !atomic_exchange_explicit(&state.turn, 1, memory_order_acquire);
}

void wi_arbiter_give(void)
{
    atomic_store_explicit(&state.turn, 0, memory_order_release);
}

static int wait_turn(void)
{
    const struct timespec step = {0, STEP_NS};
    for (int64_t waited = 0; waited < WAIT_NS; waited += STEP_NS) {
        if (try_turn())
            return 1;
        nanosleep(&step, NULL);
    }
    return 0;
}

int wi_arbiter_take(void)
{
    if (atomic_load(&state.away) || !try_turn())
        return 0;
    if (!atomic_load(&state.away))
        return 1;
    wi_arbiter_give();
    return 0;
}

int wi_arbiter_is_taken(void)
{
    return atomic_load(&state.subscribed) > 0 ||
           (atomic_load(&state.kinds) && atomic_load(&state.completed));
}

/* Wrappers record in the meantime: what the host did is worth having even without the device. */
static void turn_source(int from, int to)
{
    int live = atomic_load(&wi_live);
    while ((live & WI_LIVE_SOURCE) == from)
        if (atomic_compare_exchange_weak(&wi_live, &live,
                                         ((live & ~WI_LIVE_SOURCE) + WI_LIVE_TURN) | to))
            return;
}

static void hand_over(void)
{
    wi_cupti_requested requested = atomic_load(&state.requested);
    wi_cupti_completed completed = atomic_load(&state.completed);
    int (*real)(wi_cupti_requested, wi_cupti_completed) = atomic_load(&state.register_buffers);
    wi_blind_begin(wi_now_ns());
    turn_source(WI_LIVE_CALLBACKS, WI_LIVE_WRAPPERS);
    wi_recording_stop();
    if (real && completed) /* ours had taken the place of theirs */
        real(requested, wi_arbiter_completed);
    wi_log(WI_LOG_LIFE, "another tool takes CUPTI; device times are not recorded meanwhile");
}

void wi_arbiter_tool_calls(void)
{
    if (atomic_load(&wi_live) == WI_LIVE_NONE)
        return;
    int mine = wait_turn();
    if (wi_is_owner() && wi_process.activity && !atomic_exchange(&state.away, 1))
        hand_over();
    atomic_store(&state.last_ns, wi_now_ns());
    if (mine)
        wi_arbiter_give();
}

void wi_arbiter_tool_subscribed(int more)
{
    int now = atomic_fetch_add(&state.subscribed, more) + more;
    if (now < 0)
        atomic_store(&state.subscribed, 0);
}

void wi_arbiter_tool_enabled(uint32_t kind, int on)
{
    uint64_t bit = kind < 64 ? UINT64_C(1) << kind : 0;
    if (on)
        atomic_fetch_or(&state.kinds, bit);
    else
        atomic_fetch_and(&state.kinds, ~bit);
}

void wi_arbiter_tool_buffers(wi_cupti_requested requested, wi_cupti_completed completed,
                             int (*real)(wi_cupti_requested, wi_cupti_completed))
{
    atomic_store(&state.register_buffers, real);
    atomic_store(&state.requested, requested);
    atomic_store(&state.completed, completed);
}

void wi_arbiter_tool_finalized(void)
{
    atomic_store(&state.subscribed, 0);
    atomic_store(&state.kinds, 0);
    atomic_store(&state.completed, NULL);
}

void wi_arbiter_completed(void *context, uint32_t stream, uint8_t *buffer, size_t size,
                          size_t valid)
{
    wi_cupti_completed theirs = atomic_load(&state.completed);
    if (!wi_buffers_own(buffer) && theirs)
        theirs(context, stream, buffer, size, valid);
    else
        wi_buffer_completed(context, stream, buffer, size, valid);
}

static int has_let_go(int64_t now_ns)
{
    return !atomic_load(&state.subscribed) && !atomic_load(&state.kinds) &&
           now_ns - atomic_load(&state.last_ns) >= AFTER_NS && now_ns >= state.retry_at_ns;
}

/* With the turn. */
static void take_back(void)
{
    int64_t now = wi_now_ns();
    int code = wi_recording_start(1);
    if (code != WI_CUPTI_SUCCESS) {
        state.retry_ns = state.retry_ns ? state.retry_ns * 6 : RETRY_NS;
        state.retry_ns = state.retry_ns < RETRY_TOP ? state.retry_ns : RETRY_TOP;
        state.retry_at_ns = now + state.retry_ns;
        return;
    }
    state.retry_ns = 0;
    wi_blind_end(now);
    atomic_store(&state.away, 0);
    if (!wi_process.join_api_records)
        turn_source(WI_LIVE_WRAPPERS, WI_LIVE_CALLBACKS);
    wi_log(WI_LOG_LIFE, "CUPTI is free again; device times are recorded");
}

void wi_arbiter_tick(int64_t now_ns)
{
    if (!atomic_load(&state.away) || !has_let_go(now_ns) || !try_turn())
        return;
    if (has_let_go(now_ns))
        take_back();
    wi_arbiter_give();
}
