/* Trials of kernels, see trials.h.
 * Threads: the engine's. May not: allocate. */
#include "analyze/trials.h"

#include "analyze/limits.h"

static struct wi_segment *segment_of(const struct wi_trials *trials, uint32_t id)
{
    const struct wi_segment *segment = &trials->segments[id % WI_SEGMENT_SLOTS];
    return id && segment->id == id ? (struct wi_segment *)segment : NULL;
}

static void open_segment(struct wi_trials *trials, uint32_t thread, int timed)
{
    uint32_t before = trials->open[thread], id = ++trials->opened;
    trials->segments[id % WI_SEGMENT_SLOTS] =
        (struct wi_segment){.id = id, .before = before, .timed = (uint8_t)timed};
    trials->open[thread] = id;
}

static void on_record(struct wi_trials *trials, uint32_t thread, struct wi_segment *open)
{
    if (open)
        open->closed = 1;
    open_segment(trials, thread, !open || !open->timed);
}

/* A wait inside a pair: the record before it did not begin one. */
static void on_wait(struct wi_trials *trials, uint32_t thread, struct wi_segment *open)
{
    if (open->timed)
        open_segment(trials, thread, 0);
    segment_of(trials, trials->open[thread])->waited = 1;
}

/* The event just recorded is there to order streams, not to tell the time. */
static void on_stream_wait(struct wi_trials *trials, struct wi_segment *open)
{
    struct wi_segment *before = segment_of(trials, open->before);
    open->spoilt = 1;
    if (before)
        before->spoilt = 1;
}

uint32_t wi_trials_note(struct wi_trials *trials, uint32_t thread, const struct wi_host_call *call)
{
    struct wi_segment *open = segment_of(trials, trials->open[thread]);
    if (call->api_class == WI_API_EVENT_RECORD) {
        on_record(trials, thread, open);
        return 0;
    }
    if (!open)
        return 0;
    switch (call->api_class) {
    case WI_API_LAUNCH:
        open->launches++;
        break;
    case WI_API_SYNC:
    case WI_API_QUERY:
        on_wait(trials, thread, open);
        break;
    case WI_API_STREAM_WAIT:
        on_stream_wait(trials, open);
        break;
    case WI_API_GRAPH_LAUNCH:
    case WI_API_COPY:
    case WI_API_HOST_FUNC:
        open->spoilt = 1;
        break;
    default:
        break;
    }
    return trials->open[thread];
}

static int is_trial(const struct wi_segment *segment)
{
    return segment->timed && segment->closed && !segment->spoilt && segment->launches > 0 &&
           segment->launches <= (uint32_t)WI_LIMIT_TRIAL_LAUNCHES;
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

/* One kernel as a candidate: the grid follows the shape of the data, all else is its own. */
static uint64_t kernel_of(const struct wi_device_op *op)
{
    uint64_t hash = mix(op->name, op->block[0] | (uint64_t)op->block[1] << 32);
    return mix(mix(hash, op->block[2]), op->registers | (uint64_t)op->shared_bytes << 32);
}

/* 1 if the candidate has not been seen before in this run; remembers it. */
static int is_new(struct wi_tuning *tuning, uint64_t candidate)
{
    uint64_t *slot = NULL;
    for (uint32_t i = 0; i < 8; i++) {
        slot = &tuning->seen[(candidate + i) % WI_SEEN_SLOTS];
        if (*slot == candidate)
            return 0;
        if (!*slot)
            break;
    }
    *slot = candidate;
    return 1;
}

static void break_off(struct wi_tuning *tuning)
{
    tuning->candidates = tuning->trials = tuning->other_count = 0;
    tuning->on = 0;
    tuning->stretch++;
}

/* All operations of a trial have come: which candidate was it? */
static void judge(struct wi_tuning *tuning, const struct wi_trials *trials, int64_t now_ns)
{
    const struct wi_segment *trial = segment_of(trials, tuning->trial);
    const struct wi_segment *before = trial ? segment_of(trials, trial->before) : NULL;
    if (tuning->signature == tuning->candidate) {
        if (now_ns - tuning->candidate_ns > WI_LIMIT_CANDIDATE_NS)
            break_off(tuning);
    } else {
        int waited = !tuning->candidates || (before && before->waited);
        if (is_new(tuning, tuning->signature) && waited)
            tuning->candidates++;
        else
            break_off(tuning);
        tuning->candidate = tuning->signature;
        tuning->candidate_ns = tuning->trial_ns;
    }
    tuning->trials += tuning->candidates > 0;
    tuning->on =
        tuning->candidates >= WI_LIMIT_CANDIDATES_LEAST && tuning->trials >= WI_LIMIT_TRIALS_LEAST;
}

static void in_trial(struct wi_tuning *tuning, const struct wi_trials *trials, uint32_t segment,
                     const struct wi_device_op *op)
{
    if (segment != tuning->trial) {
        if (tuning->trial)
            judge(tuning, trials, op->start_ns);
        tuning->trial = segment;
        tuning->trial_ns = op->start_ns;
        tuning->signature = 0;
        tuning->other_count = 0;
    }
    tuning->signature = mix(tuning->signature, kernel_of(op));
}

/* A kernel outside of trials: of the candidate that warms up, or that flushes the cache; work of
 * the job has more different ones. */
static void beside(struct wi_tuning *tuning, const struct wi_device_op *op)
{
    uint64_t kernel = kernel_of(op);
    for (uint32_t i = 0; i < tuning->other_count; i++)
        if (tuning->others[i] == kernel)
            return;
    if (tuning->other_count < WI_OTHER_KERNELS)
        tuning->others[tuning->other_count++] = kernel;
    else
        break_off(tuning);
}

enum wi_trying wi_tuning_op(struct wi_tuning *tuning, const struct wi_trials *trials,
                            uint32_t segment, const struct wi_device_op *op)
{
    const struct wi_segment *known = segment_of(trials, segment);
    int trial = known && is_trial(known);
    if (trial && op->kind == WI_OP_KERNEL) {
        in_trial(tuning, trials, segment, op);
        return tuning->on ? WI_TRYING : WI_TRYING_MAYBE;
    }
    if (op->start_ns - tuning->trial_ns > WI_LIMIT_CANDIDATE_NS ||
        (known && known->timed && known->closed && !trial))
        break_off(tuning); /* the job times its own work, or has gone on to it */
    else if (op->kind == WI_OP_KERNEL)
        beside(tuning, op);
    int around = trial || (known && known->closed); /* another pair of records follows */
    return tuning->on && around && op->kind <= WI_OP_MEMSET && op->kind != WI_OP_COPY
               ? WI_TRYING
               : WI_TRYING_NOT;
}
