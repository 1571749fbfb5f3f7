/* Host time between two calls while the device idles, see host_segment.h.
 * Threads: the engine's. May not: allocate. */
#include "analyze/host_segment.h"

#include "analyze/limits.h"

/* What is known of one stretch. */
struct segment {
    int64_t start_ns, end_ns; /* the idle part */
    int64_t full_ns;          /* from the exit of the call before to the entry of the next */
    int64_t share_ns[WI_PORTION_COUNT]; /* of the idle part */
    const struct wi_call_slot *before, *after;
};

static int64_t known(int64_t value)
{
    return value == WI_UNKNOWN || value < 0 ? 0 : value;
}

/* The thread's own scheduling record of the silence that the stretch is part of; 0 if there is
 * none. */
static int schedule_of(const struct segment *seg, int64_t *run, int64_t *runnable)
{
    const struct wi_call_slot *after = seg->after;
    int same = after && seg->before && after->thread_index == seg->before->thread_index;
    int first = after && !seg->before && after->silence_ns != WI_UNKNOWN;
    if (!(same || first) || after->call.run_ns == WI_UNKNOWN || after->silence_ns <= 0)
        return 0;
    int64_t silence = after->silence_ns;
    *run = known(after->call.run_ns);
    *runnable = known(after->call.runnable_ns);
    *run = *run < silence ? *run : silence;
    *runnable = *runnable < silence - *run ? *runnable : silence - *run;
    return 1;
}

static int64_t part_of(const struct segment *seg, int64_t ns, int64_t scheduled_ns)
{
    return (int64_t)((double)ns * (double)scheduled_ns / (double)seg->after->silence_ns);
}

/* Divides what annotations do not cover by that record. */
static void share_by_schedule(struct segment *seg, int64_t rest)
{
    int64_t run, runnable;
    if (!schedule_of(seg, &run, &runnable)) {
        seg->share_ns[WI_PORTION_UNSEEN] += rest;
        return;
    }
    run = part_of(seg, rest, run);
    runnable = part_of(seg, rest, runnable);
    seg->share_ns[WI_PORTION_RUNNING] += run;
    seg->share_ns[WI_PORTION_RUNNABLE] += runnable;
    seg->share_ns[WI_PORTION_WAITING] += rest - run - runnable;
}

/* Most stretches are short ones between launches: no span is looked for there. */
static int has_spans(const struct wi_host_walk *walk, const struct segment *seg)
{
    const struct wi_calls *calls = walk->charge->calls;
    return calls->spans_kept && seg->start_ns < calls->spans_until_ns;
}

static int64_t covered(const struct wi_host_walk *walk, const struct segment *seg, int kind)
{
    const struct wi_calls *calls = walk->charge->calls;
    int64_t most = 0;
    for (uint32_t i = 0; i < calls->thread_count; i++) {
        const struct wi_thread *thread = &calls->threads[i];
        if (!thread->span_count || (thread->tid && !wi_clock_alternate(calls, walk->thread, i)))
            continue;
        int64_t ns = wi_clock_covered(thread, kind, seg->start_ns, seg->end_ns);
        most = ns > most ? ns : most;
    }
    return most;
}

/* The thread's own input, but for the time in which it was ready to make it and got no core, and
 * that in which it slept for what it read. */
static void share_own_input(const struct wi_host_walk *walk, struct segment *seg, int64_t own)
{
    int64_t run, runnable, slept = 0;
    if (schedule_of(seg, &run, &runnable)) {
        runnable = part_of(seg, own, runnable);
        slept = own - part_of(seg, own, run) - runnable;
    } else {
        runnable = 0;
    }
    if (covered(walk, seg, WI_SPAN_WAIT_FILE) * 2 < slept)
        slept = 0; /* for whatever else: its own affair */
    seg->share_ns[WI_PORTION_RUNNABLE] += runnable;
    seg->share_ns[WI_PORTION_WAITING] += slept;
    seg->share_ns[WI_PORTION_INPUT_INLINE] += own - runnable - slept;
}

/* Moves what spans say was slept into waiting; of what the scheduler calls running only what was
 * polled, or spent inside reads and writes of files: neither is work. */
static void share_by_spans(const struct wi_host_walk *walk, struct segment *seg)
{
    static const int FROM[] = {WI_PORTION_UNSEEN, WI_PORTION_RUNNING};
    int64_t polled = covered(walk, seg, WI_SPAN_BUSY_POLL), waited = polled;
    polled += covered(walk, seg, WI_SPAN_WAIT_FILE) + covered(walk, seg, WI_SPAN_WAIT_FSYNC);
    for (int kind = WI_SPAN_WAIT_FUTEX; kind <= WI_SPAN_WAIT_LOCK; kind++)
        waited += covered(walk, seg, kind);
    for (int i = 0; i < 2; i++) {
        int64_t *share = &seg->share_ns[FROM[i]];
        int64_t most = FROM[i] == WI_PORTION_UNSEEN ? waited : polled;
        int64_t part = *share < most ? *share : most;
        *share -= part;
        seg->share_ns[WI_PORTION_WAITING] += part;
    }
}

static void share_portions(const struct wi_host_walk *walk, struct segment *seg)
{
    int64_t rest = seg->end_ns - seg->start_ns;
    if (!has_spans(walk, seg)) {
        share_by_schedule(seg, rest);
        return;
    }
    int64_t wait = covered(walk, seg, WI_SPAN_INPUT_WAIT);
    int64_t own = covered(walk, seg, WI_SPAN_INPUT_INLINE);
    own = own < rest - wait ? own : rest - wait;
    seg->share_ns[WI_PORTION_INPUT_WAIT] = wait;
    share_own_input(walk, seg, own);
    share_by_schedule(seg, rest - wait - own);
    share_by_spans(walk, seg);
}

/* Moves ns of host work (not of waiting) out of the shares; returns how much there was. */
static int64_t take_work(struct segment *seg, int64_t ns)
{
    static const int WORK[] = {WI_PORTION_UNSEEN, WI_PORTION_RUNNING, WI_PORTION_RUNNABLE};
    int64_t taken = 0;
    for (int i = 0; i < 3; i++) {
        int64_t *share = &seg->share_ns[WORK[i]];
        int64_t part = *share < ns - taken ? *share : ns - taken;
        *share -= part;
        taken += part;
    }
    return taken;
}

/* Device work that was queued when the call came and that it waited for. */
static int64_t waited_work(const struct wi_charge *charge, const struct wi_call_slot *slot)
{
    int64_t until = slot->call.exit_ns;
    if (slot->op_start_ns != WI_UNKNOWN && slot->op_start_ns < until)
        until = slot->op_start_ns;
    return wi_device_busy_in(charge->device, slot->call.enter_ns, until);
}

/* The device-to-host copy right before a sync, NULL if there is none. */
static const struct wi_call_slot *copy_behind(const struct wi_calls *calls,
                                              const struct wi_call_slot *slot)
{
    if (slot->behind == WI_NO_SLOT)
        return NULL;
    const struct wi_call_slot *copy = &calls->slots[slot->behind];
    return copy->seq == slot->behind_seq && copy->call.direction == WI_COPY_D2H ? copy : NULL;
}

/* How the call before the stretch exposes it: a sub-cause, or -1. *work_ns: what it waited for. */
static int exposed_by(const struct wi_charge *charge, const struct wi_call_slot *before,
                      int64_t *work_ns)
{
    if (!before || (before->call.api_class != WI_API_COPY && before->call.api_class != WI_API_SYNC))
        return -1;
    *work_ns = waited_work(charge, before);
    if (before->call.api_class == WI_API_COPY && wi_call_blocked(before) &&
        *work_ns > WI_LIMIT_QUEUE_NONEMPTY_NS) {
        if (before->call.direction == WI_COPY_D2H)
            return WI_SUB_READ_BACK_SYNC;
        return before->call.direction == WI_COPY_H2D ? WI_SUB_BLOCKING_COPY : -1;
    }
    if (before->call.api_class != WI_API_SYNC)
        return -1;
    const struct wi_call_slot *copy = copy_behind(charge->calls, before);
    if (copy)
        *work_ns += waited_work(charge, copy);
    if (*work_ns <= WI_LIMIT_QUEUE_NONEMPTY_NS)
        return -1;
    return copy ? WI_SUB_READ_BACK_SYNC : WI_SUB_EXPLICIT_SYNC;
}

/* The causal rule: host work that only shows because a blocking call emptied the queue. Returns
 * the sub-cause that exposes what is left, -1 if none does. */
static int apply_causal_rule(const struct wi_host_walk *walk, struct segment *seg)
{
    int64_t work_ns = 0;
    int cause = exposed_by(walk->charge, seg->before, &work_ns);
    if (cause == WI_SUB_BLOCKING_COPY) {
        int64_t taken = take_work(seg, work_ns);
        wi_charge_label(walk->charge, seg->after, 0,
                        wi_charge_decided(walk->charge, WI_SUB_BLOCKING_COPY, taken, seg->before));
        return -1;
    }
    if (cause >= 0 && seg->full_ns <= WI_LIMIT_SHORT_WORK_NS) {
        int64_t taken = take_work(seg, seg->end_ns - seg->start_ns);
        wi_charge_label(
            walk->charge, seg->after, 0,
            wi_charge_decided(walk->charge, (enum wi_subcause)cause, taken, seg->before));
        return -1;
    }
    return cause;
}

/* The dispatch rule: an even silence inside a run of issuing calls is the dispatch itself, unless
 * the thread had no core. */
static void apply_dispatch_rule(const struct wi_host_walk *walk, struct segment *seg)
{
    const struct wi_call_slot *after = seg->after;
    if (!after || !wi_clock_is_dispatch(walk->charge->calls, after, seg->full_ns))
        return;
    int64_t ns = seg->end_ns - seg->start_ns;
    if (seg->share_ns[WI_PORTION_RUNNABLE] * 2 >= ns)
        return;
    enum wi_subcause cause = WI_SUB_LAUNCH_BOUND;
    if (after->call.api_class == WI_API_COPY && after->copy_position > 1 &&
        wi_copy_crosses(after->call.direction)) {
        struct wi_copy_facts facts = wi_copy_facts_of(walk->charge->calls, after);
        cause = wi_copy_cause(&facts);
    }
    wi_charge_label(walk->charge, after, 0,
                    wi_charge_decided(walk->charge, cause, take_work(seg, ns), after));
}

static uint8_t decade_of(int64_t ns)
{
    uint8_t digits = 1;
    for (; ns >= 10; ns /= 10)
        digits++;
    return digits;
}

static int is_launch(const struct wi_call_slot *slot)
{
    return slot &&
           (slot->call.api_class == WI_API_LAUNCH || slot->call.api_class == WI_API_GRAPH_LAUNCH);
}

/* Host-to-device bytes that the calls from `slot` on copy before the first launch. */
static int64_t input_bytes(const struct wi_calls *calls, const struct wi_call_slot *slot)
{
    int64_t bytes = 0;
    for (int i = 0; slot && i < 16; i++) { /* a batch has few tensors; 16 bounds the look-up */
        if (is_launch(slot))
            break;
        if (slot->call.api_class == WI_API_COPY && slot->call.direction == WI_COPY_H2D)
            bytes += (int64_t)slot->call.bytes;
        slot = slot->next == WI_NO_SLOT ? NULL : &calls->slots[slot->next];
    }
    return bytes;
}

/* What came right before: a read-back, by itself or by a sync behind a copy. */
static uint8_t flags_before(const struct wi_charge *charge, const struct segment *seg,
                            int64_t input)
{
    const struct wi_call_slot *copy = seg->before;
    if (copy && copy->call.api_class == WI_API_SYNC)
        copy = copy_behind(charge->calls, copy);
    if (!copy || copy->call.api_class != WI_API_COPY || copy->call.direction != WI_COPY_D2H)
        return 0;
    uint8_t flags = (int64_t)copy->call.bytes * 2 >= input ? WI_SIG_AFTER_READ_BACK : 0;
    if ((int64_t)copy->call.bytes > WI_LIMIT_READ_BACK_BYTES)
        flags |= WI_SIG_AFTER_LARGE_COPY;
    return flags;
}

static uint8_t flags_of(const struct wi_charge *charge, const struct segment *seg)
{
    int64_t bytes = input_bytes(charge->calls, seg->after);
    uint8_t flags = flags_before(charge, seg, bytes);
    if (charge->before_first_op)
        flags |= WI_SIG_BEFORE_FIRST_OP;
    if (bytes >= WI_LIMIT_INPUT_COPY_BYTES)
        flags |= WI_SIG_BEFORE_INPUT;
    if (bytes >= WI_LIMIT_WAITED_INPUT_BYTES)
        flags |= WI_SIG_BEFORE_COPY;
    if (is_launch(seg->after))
        flags |= WI_SIG_BEFORE_LAUNCH;
    if (is_launch(seg->after) && is_launch(seg->before))
        flags |= WI_SIG_IN_STEP;
    return flags;
}

static void add_spans(const struct wi_host_walk *walk, struct wi_signature *sig,
                      const struct segment *seg)
{
    for (int kind = 0; kind < WI_SPAN_COUNT; kind++)
        sig->span_ns[kind] += covered(walk, seg, kind);
    for (int kind = 0; kind < WI_FRAME_COUNT; kind++)
        sig->frame_ns[kind] += covered(walk, seg, WI_SPAN_COUNT + kind);
}

/* Of threads on one clock that one's places count of which the most is known. */
static void add_places(const struct wi_host_walk *walk, struct wi_signature *sig,
                       const struct segment *seg)
{
    const struct wi_calls *calls = walk->charge->calls;
    struct wi_seen most = {0};
    for (uint32_t i = 0; i < calls->thread_count; i++) {
        const struct wi_thread *thread = &calls->threads[i];
        struct wi_seen seen = {0};
        if (!thread->span_count || !wi_clock_alternate(calls, walk->thread, i))
            continue;
        wi_clock_seen(thread, seg->start_ns, seg->end_ns, &seen);
        if (wi_seen_total(&seen) > wi_seen_total(&most))
            most = seen;
    }
    wi_seen_merge(&sig->seen, &most);
}

/* What no direct rule took goes to the signature, whose sub-cause the rules decide later. */
static void add_signature(struct wi_host_walk *walk, struct segment *seg, int exposer)
{
    struct wi_charge *charge = walk->charge;
    struct wi_sig_key key = {.device = charge->device->info.device,
                             .thread = charge->calls->threads[walk->thread].tid,
                             .subcause = WI_UNDECIDED,
                             .exposed_by = (int16_t)exposer,
                             .decade = decade_of(seg->full_ns),
                             .flags = flags_of(charge, seg)};
    if (seg->before) {
        key.api_before = seg->before->call.api;
        key.site_before = seg->before->call.site;
    }
    if (seg->after) {
        key.api_after = seg->after->call.api;
        key.site_after = seg->after->call.site;
    }
    struct wi_signature *sig = wi_ledger_get(charge->ledger, &key);
    for (int i = 0; i < WI_PORTION_COUNT; i++)
        if (seg->share_ns[i])
            wi_charge_add(charge, sig, (enum wi_portion)i, seg->share_ns[i]);
    wi_charge_label(charge, seg->after, 0, sig);
    if (!sig || !has_spans(walk, seg))
        return;
    add_spans(walk, sig, seg);
    add_places(walk, sig, seg);
}

/* The range that the silence lay in, as far as it was open while the device idled. */
static void begin_silence(struct wi_charge *charge, const struct segment *seg)
{
    const struct wi_host_call *call = seg->after ? &seg->after->call : NULL;
    int64_t from = seg->start_ns, to = seg->end_ns;
    wi_charge_range(charge, WI_NO_NAME);
    charge->in_silence = 1;
    if (!call || call->quiet_range == WI_NO_NAME || call->quiet_to_ns <= from ||
        call->quiet_from_ns >= to)
        return;
    from = call->quiet_from_ns > from ? call->quiet_from_ns : from;
    to = call->quiet_to_ns < to ? call->quiet_to_ns : to;
    charge->range = call->quiet_range;
    charge->range_part = (double)(to - from) / (double)(seg->end_ns - seg->start_ns);
}

void wi_host_segment(struct wi_host_walk *walk, int64_t start_ns, int64_t end_ns,
                     const struct wi_call_slot *after)
{
    struct segment seg = {
        .start_ns = start_ns, .end_ns = end_ns, .before = walk->before, .after = after};
    int64_t from = seg.before ? seg.before->call.exit_ns : start_ns;
    seg.full_ns = (after ? after->call.enter_ns : end_ns) - from;
    seg.full_ns = seg.full_ns > end_ns - start_ns ? seg.full_ns : end_ns - start_ns;
    share_portions(walk, &seg);
    begin_silence(walk->charge, &seg);
    int exposer = apply_causal_rule(walk, &seg);
    apply_dispatch_rule(walk, &seg);
    int left = 0;
    for (int i = 0; i < WI_PORTION_COUNT; i++)
        left |= seg.share_ns[i] != 0;
    if (left)
        add_signature(walk, &seg, exposer);
    walk->charge->in_silence = 0;
}
