/* Charging an idle gap along the host's clock, see charge.h.
 * Threads: the engine's. May not: allocate. */
#include "analyze/charge.h"

#include <string.h>

#include "analyze/host_segment.h"
#include "analyze/in_call.h"
#include "analyze/limits.h"

void wi_charge_range(struct wi_charge *charge, uint32_t range)
{
    charge->range = range;
    charge->range_part = 1;
}

void wi_charge_add(struct wi_charge *charge, struct wi_signature *sig, enum wi_portion portion,
                   int64_t ns)
{
    if (!sig) {
        charge->ledger->spilled_ns += ns;
        charge->device->subcause_ns[WI_SUB_UNDETERMINED] += ns;
        return;
    }
    wi_ledger_add(sig, charge->occurrence, portion, charge->start_ns, ns);
    int64_t within = (int64_t)((double)ns * charge->range_part);
    if (within)
        wi_ledger_range(sig, charge->range, within);
    if (ns > within)
        wi_ledger_range(sig, WI_NO_NAME, ns - within);
    wi_sampled_add(&sig->sampled, charge->sample, (double)ns);
    if (ns > charge->main_ns) {
        charge->main_sig = sig;
        charge->main_portion = portion;
        charge->main_ns = ns;
    }
}

void wi_charge_label(struct wi_charge *charge, const struct wi_call_slot *slot, int own,
                     const struct wi_signature *sig)
{
    if (sig && slot)
        wi_reservoir_label(&charge->calls->reservoir, slot->kept, slot->seq, own,
                           (uint32_t)(sig - charge->ledger->slots));
}

const struct wi_signature *wi_charge_decided(struct wi_charge *charge, enum wi_subcause subcause,
                                             int64_t ns, const struct wi_call_slot *culprit)
{
    if (ns <= 0)
        return NULL;
    struct wi_sig_key key = {
        .device = charge->device->info.device, .subcause = (int16_t)subcause, .exposed_by = -1};
    uint64_t gap = charge->occurrence;
    int64_t at_ns = charge->start_ns;
    if (!charge->in_silence)
        wi_charge_range(charge, culprit ? culprit->call.range : WI_NO_NAME);
    if (culprit) {
        at_ns = culprit->call.enter_ns > at_ns ? culprit->call.enter_ns : at_ns;
        key.api_after = culprit->call.api;
        key.site_after = culprit->call.site;
        charge->occurrence = culprit->seq;
    }
    struct wi_signature *sig = wi_ledger_get(charge->ledger, &key);
    wi_charge_add(charge, sig, WI_PORTION_UNSEEN, ns);
    if (sig)
        wi_spread_add(&sig->spread, charge->device->window_start_ns, at_ns, ns);
    charge->occurrence = gap;
    return sig;
}

/* The calls of one host clock, merged by entry. */
struct merge {
    struct wi_calls *calls;
    uint32_t count;
    uint32_t next[WI_MATRIX]; /* next call of each member */
};

/* Starts at the calls that end after start_ns; returns the last one that ended before, or NULL. */
static const struct wi_call_slot *merge_begin(struct merge *merge, struct wi_calls *calls,
                                              uint32_t thread, int64_t start_ns)
{
    const struct wi_call_slot *before = NULL;
    merge->calls = calls;
    merge->count = 0;
    for (uint32_t i = 0; i < calls->thread_count && merge->count < WI_MATRIX; i++) {
        if (!calls->threads[i].issued && i != thread)
            continue;
        if (!wi_clock_alternate(calls, thread, i))
            continue;
        uint32_t at = calls->threads[i].head;
        while (at != WI_NO_SLOT && calls->slots[at].call.exit_ns <= start_ns) {
            const struct wi_call_slot *slot = &calls->slots[at];
            if (wi_clock_walks(&slot->call) &&
                (!before || slot->call.exit_ns > before->call.exit_ns))
                before = slot;
            at = slot->next;
        }
        merge->next[merge->count++] = at;
    }
    return before;
}

static const struct wi_call_slot *merge_next(struct merge *merge)
{
    for (;;) {
        uint32_t best = WI_NO_SLOT;
        for (uint32_t i = 0; i < merge->count; i++) {
            if (merge->next[i] == WI_NO_SLOT)
                continue;
            if (best == WI_NO_SLOT || merge->calls->slots[merge->next[i]].call.enter_ns <
                                          merge->calls->slots[merge->next[best]].call.enter_ns)
                best = i;
        }
        if (best == WI_NO_SLOT)
            return NULL;
        const struct wi_call_slot *slot = &merge->calls->slots[merge->next[best]];
        merge->next[best] = slot->next;
        if (wi_clock_walks(&slot->call))
            return slot;
    }
}

/* What lies behind the call that ends the gap: its latency, and beyond that the device's own. */
static void charge_latency(struct wi_charge *charge, const struct wi_call_slot *last,
                           int64_t start_ns, int64_t end_ns)
{
    int64_t ns = end_ns - start_ns;
    if (ns <= WI_LIMIT_LAUNCH_LATENCY_NS)
        wi_charge_decided(charge, wi_call_cause(charge, last, start_ns, end_ns, ns), ns, last);
    else
        wi_charge_decided(charge, WI_SUB_DEVICE_DEPENDENCY, ns, last);
}

/* The host was late: charges [start, end) along the clock of `thread` up to the call `stop`. */
static void walk(struct wi_charge *charge, int64_t start, int64_t end, uint32_t thread,
                 const struct wi_call_slot *stop)
{
    struct merge merge;
    struct wi_host_walk host = {.charge = charge, .thread = thread};
    host.before = merge_begin(&merge, charge->calls, thread, start);
    int64_t at = start;
    while (at < end) {
        const struct wi_call_slot *call = merge_next(&merge);
        if (!call || call->call.enter_ns >= end) {
            wi_host_segment(&host, at, end, call);
            return;
        }
        if (call->call.enter_ns > at) {
            wi_host_segment(&host, at, call->call.enter_ns, call);
            at = call->call.enter_ns;
        }
        int64_t to = call->call.exit_ns < end ? call->call.exit_ns : end;
        if (to > at) {
            wi_charge_call(charge, call, at, to);
            at = to;
        }
        host.before = call;
        if (call == stop) {
            charge_latency(charge, call, at, end);
            return;
        }
    }
}

/* Back-to-back work of one queue: part of the launches' cost, but no gap that anybody would count.
 */
static void charge_spacing(struct wi_charge *charge, int64_t ns, const struct wi_call_slot *slot)
{
    struct wi_sig_key key = {.device = charge->device->info.device,
                             .subcause = WI_SUB_LAUNCH_BOUND,
                             .exposed_by = -1,
                             .api_after = slot->call.api,
                             .site_after = slot->call.site};
    uint64_t gap = charge->occurrence;
    charge->occurrence = WI_UNCOUNTED;
    wi_charge_range(charge, slot->call.range);
    wi_charge_add(charge, wi_ledger_get(charge->ledger, &key), WI_PORTION_UNSEEN, ns);
    charge->occurrence = gap;
}

static void charge_late(struct wi_charge *charge, int64_t start, int64_t end,
                        const struct wi_gap_end *how)
{
    struct wi_calls *calls = charge->calls;
    if (how->trailing) {
        if (charge->device->last_thread == WI_NO_SLOT)
            wi_charge_decided(charge, WI_SUB_UNDETERMINED, end - start, NULL);
        else
            walk(charge, start, end, charge->device->last_thread, NULL);
        return;
    }
    if (how->slot == WI_NO_SLOT) {
        wi_charge_decided(charge, WI_SUB_UNTRACED, end - start, NULL);
        return;
    }
    const struct wi_call_slot *slot = &calls->slots[how->slot];
    if (how->trying) {
        wi_charge_decided(charge, WI_SUB_AUTOTUNE, end - start, slot);
    } else if (slot->call.exit_ns > start) {
        walk(charge, start, end, slot->thread_index, slot);
    } else if (end - start < WI_LIMIT_QUEUED_SPACING_NS) {
        charge_spacing(charge, end - start, slot);
    } else if (how->graph_node && end - start > WI_LIMIT_GRAPH_NODE_NS) {
        wi_charge_decided(charge, WI_SUB_UNTRACED, end - start, slot);
    } else {
        wi_charge_decided(charge, WI_SUB_DEVICE_DEPENDENCY, end - start, slot);
    }
}

/* The first blind interval that ends behind start_ns and begins before end_ns, NULL if none. */
static const struct wi_busy_span *first_blind(const struct wi_charge *charge, int64_t start,
                                              int64_t end)
{
    const struct wi_busy_span *first = NULL;
    for (uint32_t i = 0; i < charge->blind_count; i++) {
        const struct wi_busy_span *blind = &charge->blind[i];
        if (blind->end_ns > start && blind->start_ns < end &&
            (!first || blind->start_ns < first->start_ns))
            first = blind;
    }
    return first;
}

void wi_charge_gap(struct wi_charge *charge, int64_t start, int64_t end,
                   const struct wi_gap_end *how)
{
    /* From the first call whose record is missing or has no times, the device may have worked. */
    int64_t since = wi_calls_overdue_since(charge->calls, charge->device->info.device);
    int64_t bad = charge->device->bad_since_ns;
    if (bad != WI_UNKNOWN && bad < since)
        since = bad;
    if (since < end) {
        int64_t from = since > start ? since : start;
        wi_charge_decided(charge, WI_SUB_BLIND_INTERVAL, end - from, NULL);
        wi_device_note_blind(charge->device, from, end);
        end = from;
    }
    while (start < end) {
        const struct wi_busy_span *blind = first_blind(charge, start, end);
        int64_t to = blind && blind->start_ns > start ? blind->start_ns : blind ? start : end;
        if (to > start)
            charge_late(charge, start, to, how);
        start = to;
        if (blind && start < end) {
            to = blind->end_ns < end ? blind->end_ns : end;
            wi_charge_decided(charge, WI_SUB_BLIND_INTERVAL, to - start, NULL);
            start = to;
        }
    }
}
