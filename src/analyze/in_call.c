/* Idle time inside a call, see in_call.h.
 * Threads: the engine's. May not: allocate. */
#include "analyze/in_call.h"

#include "analyze/limits.h"

/* Time of [start_ns, end_ns) in which another device was busy. */
static int64_t busy_elsewhere(const struct wi_charge *charge, int64_t start_ns, int64_t end_ns)
{
    int64_t most = 0;
    for (uint32_t i = 0; i < charge->device_count; i++) {
        const struct wi_device *other = charge->devices[i];
        if (other == charge->device || !other->used)
            continue;
        int64_t ns = wi_device_busy_in(other, start_ns, end_ns);
        most = ns > most ? ns : most;
    }
    return most;
}

/* Waking from a finished wait, waiting for another device, or something that is not known. */
static enum wi_subcause sync_cause(const struct wi_charge *charge, int64_t start_ns, int64_t end_ns,
                                   int64_t ns)
{
    if (ns <= WI_LIMIT_SYNC_WAKE_NS ||
        busy_elsewhere(charge, start_ns, end_ns) * 2 >= end_ns - start_ns)
        return WI_SUB_EXPLICIT_SYNC;
    return WI_SUB_UNDETERMINED;
}

/* Where the driver tells when it loads code, a launch that lasts without that is no load; nor is
 * one that lasts for want of a core. */
static enum wi_subcause launch_cause(const struct wi_charge *charge,
                                     const struct wi_call_slot *slot, int64_t ns)
{
    int64_t held_ns = slot->call.held_ns > 0 ? slot->call.held_ns : 0; /* or not known */
    int64_t length_ns = slot->call.exit_ns - slot->call.enter_ns - held_ns;
    if (charge->calls->loads_kept)
        return ns < WI_LIMIT_LAUNCH_LOADS_NS ? WI_SUB_LAUNCH_BOUND : WI_SUB_HOST_UNDETERMINED;
    return length_ns < WI_LIMIT_LAUNCH_LOADS_NS ? WI_SUB_LAUNCH_BOUND : WI_SUB_MODULE_LOAD;
}

enum wi_subcause wi_call_cause(const struct wi_charge *charge, const struct wi_call_slot *slot,
                               int64_t start_ns, int64_t end_ns, int64_t ns)
{
    struct wi_copy_facts facts;
    switch (slot->call.api_class) {
    case WI_API_COPY:
        if (!wi_copy_crosses(slot->call.direction))
            return WI_SUB_LAUNCH_BOUND;
        facts = wi_copy_facts_of(charge->calls, slot);
        return wi_copy_cause(&facts);
    case WI_API_SYNC:
        return sync_cause(charge, start_ns, end_ns, ns);
    case WI_API_ALLOC:
    case WI_API_FREE:
        return charge->before_first_op ? WI_SUB_FIRST_TOUCH : WI_SUB_ALLOCATOR;
    case WI_API_PIN:
        return charge->before_first_op ? WI_SUB_FIRST_TOUCH : WI_SUB_PIN_PER_COPY;
    case WI_API_MODULE_LOAD:
        return WI_SUB_MODULE_LOAD;
    default:
        return launch_cause(charge, slot, ns);
    }
}

/* What spans say of the call: those of its thread, and those that no thread is known of. */
static int64_t covered(const struct wi_calls *calls, const struct wi_call_slot *slot, int kind,
                       int but, int64_t start_ns, int64_t end_ns)
{
    const uint32_t threads[] = {slot->thread_index, calls->unbound};
    int64_t most = 0;
    for (int i = 0; i < 2; i++) {
        if (threads[i] == WI_NO_SLOT || !calls->threads[threads[i]].span_count)
            continue;
        int64_t ns = wi_clock_covered_but(&calls->threads[threads[i]], kind, but, start_ns, end_ns);
        most = ns > most ? ns : most;
    }
    return most;
}

/* Charges up to ns of what is left to a sub-cause; returns what is left then. */
static int64_t take(struct wi_charge *charge, const struct wi_call_slot *slot,
                    enum wi_subcause subcause, int64_t ns, int64_t left)
{
    ns = ns < left ? ns : left;
    wi_charge_label(charge, slot, 1, wi_charge_decided(charge, subcause, ns, slot));
    return left - ns;
}

/* The thread was ready and had no core: which kind of crowding that is, the rules find. A thread
 * that wakes by itself is not late by this. */
static int64_t take_held(struct wi_charge *charge, const struct wi_call_slot *slot, int64_t left)
{
    int64_t ns = slot->call.held_ns < left ? slot->call.held_ns : left;
    if (slot->call.held_ns == WI_UNKNOWN || ns <= 0 || left <= WI_LIMIT_SYNC_WAKE_NS)
        return left;
    const struct wi_sig_key key = {.device = charge->device->info.device,
                                   .subcause = WI_UNDECIDED,
                                   .exposed_by = -1,
                                   .api_after = slot->call.api,
                                   .site_after = slot->call.site};
    uint64_t gap = charge->occurrence;
    charge->occurrence = slot->seq;
    struct wi_signature *sig = wi_ledger_get(charge->ledger, &key);
    wi_charge_range(charge, slot->call.range);
    wi_charge_add(charge, sig, WI_PORTION_RUNNABLE, ns);
    wi_charge_label(charge, slot, 1, sig);
    charge->occurrence = gap;
    return left - ns;
}

void wi_charge_call(struct wi_charge *charge, const struct wi_call_slot *slot, int64_t start_ns,
                    int64_t end_ns)
{
    const struct wi_calls *calls = charge->calls;
    int64_t left = end_ns - start_ns;
    if (calls->spans_kept && start_ns < calls->spans_until_ns) {
        int64_t compiled = covered(calls, slot, WI_SPAN_COMPILING, -1, start_ns, end_ns);
        int64_t loaded = covered(calls, slot, WI_SPAN_LOADING, WI_SPAN_COMPILING, start_ns, end_ns);
        int64_t full = covered(calls, slot, WI_SPAN_QUEUE_FULL, -1, start_ns, end_ns);
        left = take(charge, slot, WI_SUB_JIT_COMPILE, compiled, left);
        left = take(charge, slot, WI_SUB_MODULE_LOAD, loaded, left);
        left = take(charge, slot, sync_cause(charge, start_ns, end_ns, full), full, left);
    }
    left = take_held(charge, slot, left);
    take(charge, slot, wi_call_cause(charge, slot, start_ns, end_ns, left), left, left);
}
