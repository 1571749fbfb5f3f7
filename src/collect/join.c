/* Joins wrapper calls with API records, see join.h.
 * Threads: the helper. May not: allocate. */
#include "collect/join.h"

#include "collect/feed.h"
#include "collect/streams.h"

#define HELD_MAX   8192u               /* power of two */
#define LONGEST_NS INT64_C(3000000000) /* three flush periods */

static struct {
    struct wi_host_call calls[HELD_MAX];
    uint64_t head, tail;
    uint64_t hint; /* the last match: records come nearly in the order of their calls */
} state;

static void feed_oldest(void)
{
    struct wi_host_call *call = &state.calls[state.tail++ % HELD_MAX];
    if (!call->corr)
        call->flags &= (uint8_t)~WI_CALL_OWES; /* its record could not be told apart */
    wi_feed_call(call);
}

void wi_join_call(const struct wi_host_call *call)
{
    if (state.head - state.tail == HELD_MAX)
        feed_oldest();
    state.calls[state.head++ % HELD_MAX] = *call;
}

static int encloses(const struct wi_host_call *call, uint32_t thread, int64_t start_ns,
                    int64_t end_ns)
{
    return call->thread == thread && call->enter_ns <= start_ns && call->exit_ns >= end_ns;
}

void wi_join_record(uint32_t thread, int64_t start_ns, int64_t end_ns, uint32_t corr)
{
    uint64_t count = state.head - state.tail;
    uint64_t first = state.hint < state.tail ? 0 : state.hint - state.tail;
    for (uint64_t n = 0; n < count; n++) {
        uint64_t i = state.tail + (first + n) % count;
        struct wi_host_call *call = &state.calls[i % HELD_MAX];
        if (!encloses(call, thread, start_ns, end_ns))
            continue;
        if (!call->corr) {
            call->corr = corr;
            wi_stream_call(corr, call->stream, call->exit_ns);
        }
        state.hint = i;
        return;
    }
}

int64_t wi_join_release(int64_t horizon_ns, int64_t now_ns)
{
    while (state.tail != state.head) {
        const struct wi_host_call *call = &state.calls[state.tail % HELD_MAX];
        if ((call->flags & WI_CALL_OWES) && !call->corr && now_ns - call->exit_ns < LONGEST_NS)
            break;
        feed_oldest();
    }
    for (uint64_t i = state.tail; i != state.head; i++) {
        int64_t enter_ns = state.calls[i % HELD_MAX].enter_ns;
        horizon_ns = enter_ns < horizon_ns ? enter_ns : horizon_ns;
    }
    return horizon_ns;
}
