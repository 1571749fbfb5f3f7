/* Intervals without device records, see blind.h.
 * Threads: noted there. May not: allocate. */
#include "collect/blind.h"

#include <stdatomic.h>

#include "collect/collect.h"
#include "collect/feed.h"

/* Longer than a buffer is kept open by work in progress in any job that is not blind anyway after
 * 10 s of owed records. */
#define SILENT_PULSES 3

static struct {
    _Atomic int64_t since_ns; /* 0: not blind */
    int64_t told_ns;          /* of the present interval, so far */
    uint64_t missed;          /* calls since then */
    int64_t last_since_ns, last_until_ns;
    int awaiting; /* after the interval: the first operation that is recorded */
    int guessed;  /* no tool was seen: the interval ends by itself when records come */
    int ever;
} state;

/* Calls that owe a record since CUPTI last asked for a buffer. */
static struct {
    uint64_t requests, calls;
    int64_t first_ns;
    int pulses;
} pulse;

void wi_blind_begin(int64_t now_ns)
{
    int64_t none = 0;
    atomic_compare_exchange_strong(&state.since_ns, &none, now_ns);
}

int wi_blind_is(void)
{
    return atomic_load(&state.since_ns) != 0;
}

static void tell(int64_t until_ns)
{
    int64_t since = atomic_load(&state.since_ns);
    int64_t from = state.told_ns > since ? state.told_ns : since;
    if (!since || until_ns <= from)
        return;
    state.ever = 1;
    wi_feed_loss(WI_LOSS_OTHER_TOOL, state.missed, from, until_ns);
    state.told_ns = until_ns;
    state.missed = 0;
}

void wi_blind_end(int64_t now_ns)
{
    tell(now_ns);
    state.last_since_ns = atomic_load(&state.since_ns);
    state.last_until_ns = now_ns;
    state.awaiting = 1;
    state.guessed = 0;
    pulse.calls = 0;
    pulse.requests = wi_buffers_requests();
    atomic_store(&state.since_ns, 0);
}

static void count_owed(const struct wi_entry *entry)
{
    uint64_t requests = wi_buffers_requests();
    if (requests != pulse.requests) {
        pulse.requests = requests;
        pulse.calls = 0;
    }
    if (pulse.calls++ == 0) {
        pulse.first_ns = entry->enter_ns;
        pulse.pulses = 0;
    }
}

int wi_blind_call(const struct wi_entry *entry)
{
    int64_t since = atomic_load(&state.since_ns);
    if ((since && entry->exit_ns > since) ||
        (entry->exit_ns > state.last_since_ns && entry->enter_ns < state.last_until_ns)) {
        state.missed++;
        return 1;
    }
    count_owed(entry);
    return 0;
}

/* A buffer that is open holds at most so many records: with more calls, it is not ours that fill.
 */
void wi_blind_pulse(void)
{
    if (wi_blind_is() || wi_buffers_requests() != pulse.requests ||
        pulse.calls <= wi_buffers_last_room()) {
        pulse.pulses = 0;
        return;
    }
    if (++pulse.pulses < SILENT_PULSES)
        return;
    state.missed += pulse.calls;
    state.guessed = 1;
    wi_blind_begin(pulse.first_ns);
}

void wi_blind_op(int64_t start_ns)
{
    if (state.guessed && start_ns > atomic_load(&state.since_ns))
        wi_blind_end(start_ns);
    if (!state.awaiting || start_ns < state.last_until_ns)
        return;
    state.awaiting = 0;
    if (start_ns > state.last_until_ns)
        wi_feed_loss(WI_LOSS_BLIND, 0, state.last_until_ns, start_ns);
}

void wi_blind_tell(int64_t now_ns, int final)
{
    tell(now_ns);
    if (final && state.awaiting && now_ns > state.last_until_ns)
        wi_feed_loss(WI_LOSS_BLIND, 0, state.last_until_ns, now_ns);
}

const char *wi_blind_reason(void)
{
    return state.ever ? "for a while another tool in the process had CUPTI; what the device did "
                        "then was not recorded"
                      : NULL;
}
