/* What the order of a thread's calls tells: runs of dispatch, bursts that show which threads
 * hand work to each other, and the spans that say what a thread did (calls.h).
 * Threads: the engine's. May not: allocate, but the span ring of a thread at its first span. */
#include "analyze/calls.h"

#include <string.h>

#include "analyze/limits.h"

#define SPAN_JOIN_NS 20000 /* framework operators follow each other within 20 us: one span */

const struct wi_run *wi_clock_run(const struct wi_calls *calls, uint64_t id)
{
    if (!id)
        return NULL;
    const struct wi_run *run = &calls->runs[(id - 1) % WI_RUN_SLOTS];
    return run->id == id ? run : NULL;
}

static int64_t even_limit(int64_t median_ns)
{
    int64_t limit = median_ns > INT64_MAX / WI_LIMIT_RUN_SILENCE_FACTOR
                        ? INT64_MAX
                        : median_ns * WI_LIMIT_RUN_SILENCE_FACTOR;
    return limit > WI_LIMIT_RUN_SILENCE_FLOOR_NS ? limit : WI_LIMIT_RUN_SILENCE_FLOOR_NS;
}

static int ends_run(const struct wi_run *run, int64_t silence_ns)
{
    return silence_ns >
           (run->calls >= WI_LIMIT_RUN_CALLS ? even_limit(run->median_ns) : WI_LIMIT_RUN_START_NS);
}

/* Adds a call to the open run *open, or to a new one if the silence before it ends the run: a new
 * pace of dispatch makes a new run. */
static struct wi_run *extend_run(struct wi_calls *calls, uint64_t *open, int64_t silence_ns)
{
    struct wi_run *run = (struct wi_run *)wi_clock_run(calls, *open);
    if (!run || ends_run(run, silence_ns)) {
        *open = ++calls->runs_opened;
        run = &calls->runs[(*open - 1) % WI_RUN_SLOTS];
        *run = (struct wi_run){.id = *open};
    } else if (run->calls == 1) {
        run->median_ns = silence_ns;
    } else if (silence_ns > run->median_ns) {
        run->median_ns += run->median_ns / 8 + 1; /* frugal median: steps of 1/8 towards it */
    } else if (silence_ns < run->median_ns) {
        run->median_ns -= run->median_ns / 8;
    }
    if (++run->calls == WI_LIMIT_RUN_CALLS)
        run->settled_ns = run->median_ns;
    return run;
}

int wi_clock_is_dispatch(const struct wi_calls *calls, const struct wi_call_slot *slot,
                         int64_t silence_ns)
{
    const struct wi_run *run = wi_clock_run(calls, slot->run);
    if (!run || slot->run_position <= 1 || run->calls < WI_LIMIT_RUN_CALLS)
        return 0;
    /* later calls joined under the median of their time; the first ones had none yet */
    return slot->run_position > WI_LIMIT_RUN_CALLS || silence_ns <= even_limit(run->settled_ns);
}

static int waits_for_device(const struct wi_host_call *call)
{
    return call->api_class == WI_API_SYNC || call->api_class == WI_API_FREE ||
           (call->api_class == WI_API_COPY && (call->flags & WI_CALL_BLOCKING));
}

static void note_runs(struct wi_calls *calls, struct wi_thread *thread, struct wi_call_slot *slot)
{
    const struct wi_host_call *call = &slot->call;
    int64_t last = thread->last_walked_ns;
    int64_t silence = last == WI_UNKNOWN ? 0 : call->enter_ns - last;
    if (call->api_class == WI_API_COPY) {
        slot->copy_position = extend_run(calls, &thread->copy_run, silence)->calls;
        slot->copy_run = thread->copy_run;
    } else if (wi_api_class_issues(call->api_class) && call->api_class != WI_API_SYNC) {
        thread->copy_run = 0;
    }
    if (waits_for_device(call)) {
        thread->run = 0;
    } else if (wi_api_class_issues(call->api_class)) {
        slot->run_position = extend_run(calls, &thread->run, silence)->calls;
        slot->run = thread->run;
    } else if (thread->run) {
        slot->run = thread->run; /* stands between two of its calls, never before the first */
        slot->run_position = wi_clock_run(calls, thread->run)->calls + 1;
    }
}

static int overlap(const struct wi_burst *a, const struct wi_burst *b)
{
    return a->start_ns < b->end_ns && b->start_ns < a->end_ns;
}

/* Compares a finished burst with what the other issuing threads did. */
static void close_burst(struct wi_calls *calls, struct wi_thread *thread)
{
    for (uint32_t i = 0; i < calls->thread_count; i++) {
        const struct wi_thread *other = &calls->threads[i];
        if (other == thread || other->matrix_index >= WI_MATRIX)
            continue;
        int met = overlap(&other->burst, &thread->burst);
        for (uint32_t k = 0; k < WI_RECENT_BURSTS && !met; k++)
            met = overlap(&other->recent[k], &thread->burst);
        calls->overlaps[thread->matrix_index][other->matrix_index] += (uint64_t)met;
    }
    thread->recent[thread->bursts % WI_RECENT_BURSTS] = thread->burst;
    thread->bursts++;
}

static void note_burst(struct wi_calls *calls, struct wi_thread *thread,
                       const struct wi_host_call *call)
{
    if (!wi_api_class_issues(call->api_class))
        return;
    if (!thread->issued++ && calls->matrix_count < WI_MATRIX)
        thread->matrix_index = calls->matrix_count++;
    if (thread->matrix_index >= WI_MATRIX)
        return;
    if (thread->burst.end_ns && call->enter_ns - thread->burst.end_ns > WI_LIMIT_BURST_NS) {
        close_burst(calls, thread);
        thread->burst.end_ns = 0;
    }
    if (!thread->burst.end_ns)
        thread->burst.start_ns = call->enter_ns;
    thread->burst.end_ns = call->exit_ns;
}

/* Remembers, for a sync, the copy right before it: together they may be a read-back. */
static void note_behind(struct wi_calls *calls, struct wi_thread *thread, uint32_t slot_index)
{
    struct wi_call_slot *slot = &calls->slots[slot_index];
    if (!wi_api_class_issues(slot->call.api_class))
        return;
    if (slot->call.api_class == WI_API_SYNC && thread->last_copy != WI_NO_SLOT) {
        slot->behind = thread->last_copy;
        slot->behind_seq = calls->slots[thread->last_copy].seq;
    }
    thread->last_copy = slot->call.api_class == WI_API_COPY ? slot_index : WI_NO_SLOT;
}

void wi_clock_note(struct wi_calls *calls, struct wi_thread *thread, uint32_t slot_index)
{
    struct wi_call_slot *slot = &calls->slots[slot_index];
    const struct wi_host_call *call = &slot->call;
    slot->silence_ns = WI_UNKNOWN;
    if (thread->last_exit_ns != WI_UNKNOWN)
        slot->silence_ns = call->enter_ns - thread->last_exit_ns;
    thread->quiet_ns += slot->silence_ns > 0 ? slot->silence_ns : 0;
    thread->last_exit_ns = call->exit_ns;
    if (wi_clock_walks(call)) {
        note_runs(calls, thread, slot);
        thread->last_walked_ns = call->exit_ns;
    }
    note_burst(calls, thread, call);
    note_behind(calls, thread, slot_index);
}

int wi_clock_alternate(const struct wi_calls *calls, uint32_t thread_a, uint32_t thread_b)
{
    if (thread_a == thread_b)
        return 1;
    const struct wi_thread *a = &calls->threads[thread_a];
    const struct wi_thread *b = &calls->threads[thread_b];
    if (a->matrix_index >= WI_MATRIX || b->matrix_index >= WI_MATRIX)
        return 0;
    uint64_t met = calls->overlaps[a->matrix_index][b->matrix_index] +
                   calls->overlaps[b->matrix_index][a->matrix_index];
    return met * 100 <= (a->bursts + b->bursts) * (uint64_t)WI_LIMIT_ALTERNATE_PERCENT;
}

static struct wi_span_kept *span_at(const struct wi_thread *thread, uint32_t i)
{
    return &thread->spans[(thread->span_first + i) % WI_SPAN_SLOTS];
}

/* A span that is told after those inside it, as spans are that end with it: takes their place, so
 * that those of one kind stay in order. 1 if there was one. */
static int swallow(struct wi_thread *thread, const struct wi_host_span *span, uint8_t kind)
{
    struct wi_span_kept *first = NULL;
    for (uint32_t i = thread->span_count; i-- > 0 && span_at(thread, i)->start_ns > span->start_ns;)
        if (span_at(thread, i)->kind == kind && span_at(thread, i)->end_ns <= span->end_ns)
            first = span_at(thread, i);
    if (!first)
        return 0;
    first->start_ns = span->start_ns;
    first->end_ns = span->end_ns;
    return 1;
}

/* Spans whose names tell where in the code the thread was. */
static int tells_place(uint8_t kind)
{
    switch (kind) {
    case WI_SPAN_INPUT_WAIT:
    case WI_SPAN_INPUT_INLINE:
    case WI_SPAN_OPTIMIZER:
    case WI_SPAN_COLLECTING:
    case WI_SPAN_FRAME:
        return 1;
    default:
        return kind >= WI_SPAN_COUNT;
    }
}

static int join_span(struct wi_span_kept *last, const struct wi_span_kept *next)
{
    if (last->kind != next->kind || last->name != next->name || last->site != next->site ||
        next->start_ns - last->end_ns >= SPAN_JOIN_NS || next->start_ns < last->start_ns)
        return 0;
    last->end_ns = next->end_ns > last->end_ns ? next->end_ns : last->end_ns;
    return 1;
}

void wi_clock_span(struct wi_calls *calls, const struct wi_host_span *span, uint8_t kind)
{
    uint32_t index = wi_calls_thread(calls, span->thread);
    if (index == WI_NO_SLOT || span->end_ns <= span->start_ns)
        return;
    struct wi_thread *thread = &calls->threads[index];
    if (!thread->spans)
        thread->spans = wi_arena_alloc(calls->arena, WI_SPAN_SLOTS * sizeof(*thread->spans));
    if (!thread->spans)
        return;
    calls->spans_kept++;
    calls->spans_until_ns =
        span->end_ns > calls->spans_until_ns ? span->end_ns : calls->spans_until_ns;
    calls->loads_kept += kind == WI_SPAN_LOADING || kind == WI_SPAN_COMPILING;
    if (!span->thread)
        calls->unbound = index;
    if (kind >= WI_SPAN_LOADING && kind <= WI_SPAN_QUEUE_FULL && swallow(thread, span, kind))
        return;
    struct wi_span_kept kept = {span->start_ns, span->end_ns,
                                tells_place(kind) ? span->name : WI_NO_NAME,
                                tells_place(kind) ? span->site : WI_NO_NAME, kind};
    if (thread->span_count) {
        if (join_span(span_at(thread, thread->span_count - 1), &kept))
            return;
    }
    if (thread->span_count == WI_SPAN_SLOTS) {
        thread->span_first = (thread->span_first + 1) % WI_SPAN_SLOTS;
        thread->span_count--;
    }
    *span_at(thread, thread->span_count++) = kept;
}

int64_t wi_clock_covered_but(const struct wi_thread *thread, int kind, int but, int64_t start_ns,
                             int64_t end_ns)
{
    int64_t total = 0, from = start_ns;
    for (uint32_t i = 0; i < thread->span_count; i++) {
        const struct wi_span_kept *span = span_at(thread, i);
        if (span->kind != kind || span->end_ns <= from)
            continue;
        if (span->start_ns >= end_ns)
            break;
        int64_t a = span->start_ns > from ? span->start_ns : from;
        int64_t b = span->end_ns < end_ns ? span->end_ns : end_ns;
        if (b > a) {
            total += b - a - (but < 0 ? 0 : wi_clock_covered(thread, but, a, b));
            from = b;
        }
    }
    return total;
}

int64_t wi_clock_covered(const struct wi_thread *thread, int kind, int64_t start_ns, int64_t end_ns)
{
    return wi_clock_covered_but(thread, kind, -1, start_ns, end_ns);
}

#define NAMES_AT_ONCE 8 /* in one silence; of further ones a nested span may count twice */

/* One name may be told by two spans of the same time, as a frame and as what it means: it counts
 * once. */
void wi_clock_seen(const struct wi_thread *thread, int64_t start_ns, int64_t end_ns,
                   struct wi_seen *seen)
{
    struct {
        uint32_t name;
        int64_t until_ns;
    } told[NAMES_AT_ONCE] = {{0, 0}};
    for (uint32_t i = 0; i < thread->span_count; i++) {
        const struct wi_span_kept *span = &thread->spans[(thread->span_first + i) % WI_SPAN_SLOTS];
        if (!span->name || span->end_ns <= start_ns || span->start_ns >= end_ns)
            continue;
        int at = 0;
        while (at < NAMES_AT_ONCE - 1 && told[at].name && told[at].name != span->name)
            at++;
        int64_t a = span->start_ns > start_ns ? span->start_ns : start_ns;
        int64_t b = span->end_ns < end_ns ? span->end_ns : end_ns;
        if (told[at].name == span->name && told[at].until_ns > a)
            a = told[at].until_ns;
        wi_seen_add(seen, span->name, span->site, b - a);
        told[at].name = span->name;
        told[at].until_ns = b > a ? b : a;
    }
}
