/* The engine's entry points: order, watermark, bounds. See engine.h.
 * Threads: one at a time. May not: do I/O, read a clock, call malloc. */
#include "analyze/engine.h"

#include <string.h>

#include "analyze/engine_state.h"
#include "analyze/limits.h"
#include "base/err.h"

#define DEFAULT_BUDGET_BYTES ((size_t)56 << 20)
#define TRIM_EVERY_OPS       4 /* a walk over the threads; each gap looks at all calls that are left */

struct wi_engine *wi_engine_create(const struct wi_engine_config *config)
{
    struct wi_arena arena;
    wi_arena_init(&arena, config->budget_bytes ? config->budget_bytes : DEFAULT_BUDGET_BYTES);
    struct wi_engine *engine = wi_arena_alloc(&arena, sizeof(*engine));
    if (!engine)
        return NULL;
    engine->arena = arena;
    engine->config = *config;
    engine->first_ns = engine->watermark_ns = WI_UNKNOWN;
    engine->ledger = wi_ledger_create(&engine->arena);
    engine->tables = wi_tables_create(&engine->arena);
    engine->repeats = wi_arena_alloc(&engine->arena, sizeof(*engine->repeats));
    engine->trials = wi_arena_alloc(&engine->arena, sizeof(*engine->trials));
    if (!engine->trials || !engine->repeats || !engine->ledger || !engine->tables ||
        wi_calls_init(&engine->calls, &engine->arena) != 0 ||
        wi_op_queue_init(&engine->queue, &engine->arena) != 0) {
        wi_engine_free(engine);
        return NULL;
    }
    return engine;
}

void wi_engine_free(struct wi_engine *engine)
{
    if (!engine)
        return;
    struct wi_arena arena = engine->arena;
    wi_arena_free(&arena);
}

/* What the other threads use of a core, as far as looks at them tell: those that call CUDA are not
 * looked at, and what child processes do to memory that they share is not known. */
static int64_t others_permille(const struct wi_engine *engine)
{
    const struct wi_host_sample *sample = &engine->samples.last;
    if (!engine->samples.count || engine->calls.thread_count > 1 || sample->children != 0 ||
        sample->busiest_permille == WI_UNKNOWN)
        return WI_UNKNOWN;
    return sample->busiest_permille * (1 + (sample->threads_busy > 0 ? sample->threads_busy : 0));
}

/* Times of one run lie within 208 days of the first: others are no times. So differences of two,
 * and sums of hundreds of differences, are numbers. */
#define RUN_LONGEST_NS (INT64_C(1) << 54)

/* From -most to most away; every event is held against it up to eight times. */
static int within(int64_t ns, int64_t from_ns, int64_t most)
{
    return (uint64_t)ns - (uint64_t)from_ns + (uint64_t)most <= 2 * (uint64_t)most;
}

static int is_time(struct wi_engine *engine, int64_t ns)
{
    if (!within(ns, 0, WI_TIME_LIMIT_NS))
        return 0;
    if (engine->first_ns == WI_UNKNOWN)
        engine->first_ns = ns;
    return within(ns, engine->first_ns, RUN_LONGEST_NS - 1);
}

static int is_interval(struct wi_engine *engine, int64_t start_ns, int64_t end_ns)
{
    return end_ns >= start_ns && is_time(engine, start_ns) && is_time(engine, end_ns);
}

void wi_engine_call(struct wi_engine *engine, const struct wi_host_call *call)
{
    if (!is_interval(engine, call->enter_ns, call->exit_ns)) {
        engine->coverage.lost[WI_LOSS_BAD_CLOCK]++;
        return;
    }
    struct wi_call_row *row =
        &engine->call_rows[call->api_class < WI_API_COUNT ? call->api_class : WI_API_OTHER];
    int64_t ns = call->exit_ns - call->enter_ns;
    row->count += 1 + call->repeat;
    row->failed += !!(call->flags & WI_CALL_FAILED);
    row->total_ns += ns;
    row->longest_ns = ns > row->longest_ns ? ns : row->longest_ns;
    engine->coverage.calls += 1 + call->repeat;
    struct wi_call_slot *slot = wi_calls_push(&engine->calls, call);
    if (!slot)
        return;
    slot->segment = wi_trials_note(engine->trials, slot->thread_index, call);
    int64_t quiet_ns = engine->calls.threads[slot->thread_index].quiet_ns;
    slot->repeated = (uint8_t)wi_repeats_note(engine->repeats, slot->thread_index, call, quiet_ns,
                                              others_permille(engine));
}

void wi_engine_op(struct wi_engine *engine, const struct wi_device_op *op)
{
    uint32_t call = wi_calls_settle(&engine->calls, op->corr);
    if (!is_interval(engine, op->start_ns, op->end_ns) ||
        (op->flags & WI_OP_BAD_TIMES && op->end_ns <= op->start_ns)) {
        wi_account_bad(engine, op);
        return;
    }
    if (wi_op_queue_push(&engine->queue, op, call) != 0) {
        wi_account_next(engine);
        wi_op_queue_push(&engine->queue, op, call);
    }
}

static void push_device(struct wi_engine *engine, const struct wi_device_info *info)
{
    struct wi_device *device = wi_account_device(engine, info->device);
    if (device)
        device->info = *info;
}

/* Ranges of the job's own: few jobs have any, so that the table comes with the first. */
static void push_mark(struct wi_engine *engine, const struct wi_host_span *span)
{
    if (!engine->marks)
        engine->marks = wi_arena_alloc(&engine->arena, sizeof(*engine->marks));
    if (engine->marks)
        wi_marks_add(engine->marks, span, wi_names_text(engine->config.names, span->name));
}

/* Frames are kept by what they say; those that say nothing as such. */
static void push_span(struct wi_engine *engine, const struct wi_host_span *span)
{
    if (!is_time(engine, span->start_ns) || !is_time(engine, span->end_ns))
        return;
    for (uint32_t i = 0; i < engine->device_count && span->kind == WI_SPAN_STEP; i++)
        if (engine->steps[i])
            wi_steps_mark(engine->steps[i], span->start_ns);
    uint8_t kind = span->kind;
    if (kind == WI_SPAN_MARK) {
        push_mark(engine, span);
        return;
    }
    if (kind == WI_SPAN_FRAME) {
        int frame = wi_frame_kind_of(wi_names_text(engine->config.names, span->name));
        kind = frame < 0 ? WI_SPAN_FRAME : (uint8_t)(WI_SPAN_COUNT + frame);
    }
    if (kind < WI_SPAN_COUNT + WI_FRAME_COUNT)
        wi_clock_span(&engine->calls, span, kind);
}

/* A recorder that stays blind says so again and again: neighbours are one interval. */
static void push_blind(struct wi_engine *engine, int64_t start_ns, int64_t end_ns)
{
    struct wi_busy_span *last = &engine->blind[(engine->blind_count - 1) % WI_BLIND_SLOTS];
    if (engine->blind_count && start_ns >= last->start_ns && start_ns <= last->end_ns) {
        start_ns = last->end_ns;
        end_ns = end_ns > start_ns ? end_ns : start_ns;
        last->end_ns = end_ns;
    } else {
        engine->blind[engine->blind_count++ % WI_BLIND_SLOTS] =
            (struct wi_busy_span){start_ns, end_ns};
    }
    engine->blind_ns += end_ns - start_ns;
}

static void push_loss(struct wi_engine *engine, const struct wi_loss *loss)
{
    if (loss->kind >= WI_LOSS_COUNT)
        return;
    engine->coverage.lost[loss->kind] += loss->count;
    int timed = is_interval(engine, loss->start_ns, loss->end_ns);
    if (timed && (loss->kind == WI_LOSS_BLIND || loss->kind == WI_LOSS_OTHER_TOOL))
        push_blind(engine, loss->start_ns, loss->end_ns);
    if (timed && loss->kind == WI_LOSS_OTHER_TOOL) /* what has not come by now went elsewhere */
        wi_calls_forgive(&engine->calls, loss->end_ns);
}

static void push_sample(struct wi_engine *engine, const struct wi_host_sample *sample)
{
    struct wi_sample_sums *sums = &engine->samples;
    if (!is_time(engine, sample->at_ns))
        return;
    sums->last = *sample;
    wi_host_sample_settle(&sums->last);
    wi_host_sums_add(&sums->run, &sums->last);
    sums->recent[sums->count++ % WI_RECENT_SAMPLES] = sums->last;
    sums->latest = NULL;
    engine->coverage.samples++;
}

static void push_place(struct wi_engine *engine, const struct wi_code_place *place)
{
    for (uint32_t i = 0; i < engine->place_count; i++)
        if (engine->places[i].site == place->site) /* several ways lead to one line */
            return;
    if (engine->place_count < WI_PLACE_SLOTS)
        engine->places[engine->place_count++] = *place;
}

void wi_engine_push(struct wi_engine *engine, const struct wi_event *given)
{
    struct wi_event known = *given, *event = &known;
    if (wi_event_settle(event) == 0)
        return;
    switch (event->kind) {
    case WI_EVENT_CALL:
        wi_engine_call(engine, &event->u.call);
        break;
    case WI_EVENT_OP:
        wi_engine_op(engine, &event->u.op);
        break;
    case WI_EVENT_DEVICE:
        push_device(engine, &event->u.device);
        break;
    case WI_EVENT_SPAN:
        push_span(engine, &event->u.span);
        break;
    case WI_EVENT_SAMPLE:
        push_sample(engine, &event->u.sample);
        break;
    case WI_EVENT_PLACE:
        push_place(engine, &event->u.place);
        break;
    case WI_EVENT_LOSS:
        push_loss(engine, &event->u.loss);
        break;
    case WI_EVENT_ADVANCE:
        wi_engine_advance(engine, event->u.at_ns);
        break;
    }
}

/* Forgets the calls that no open question needs any more. */
static void trim(struct wi_engine *engine, int64_t limit_ns)
{
    int any = 0;
    for (uint32_t i = 0; i < engine->device_count; i++) {
        const struct wi_device *device = engine->devices[i];
        if (!device->used)
            continue;
        any = 1;
        int64_t needed = device->gap_start_ns != WI_UNKNOWN ? device->gap_start_ns : device->pos_ns;
        limit_ns = needed < limit_ns ? needed : limit_ns;
    }
    if (any)
        wi_calls_trim(&engine->calls, limit_ns);
}

static void account_before(struct wi_engine *engine, int64_t limit_ns)
{
    for (int done = 1; wi_op_queue_first(&engine->queue) < limit_ns; done++) {
        wi_account_next(engine);
        if (done % TRIM_EVERY_OPS == 0)
            trim(engine, limit_ns);
    }
}

void wi_engine_advance(struct wi_engine *engine, int64_t horizon_ns)
{
    int64_t limit = horizon_ns;
    if (!is_time(engine, horizon_ns))
        return;
    if (!engine->config.ordered) {
        int64_t owed = wi_calls_owed_since(&engine->calls, horizon_ns - WI_LIMIT_OWED_NS);
        limit = owed < limit ? owed : limit;
    }
    limit -= WI_LIMIT_LOOKAHEAD_NS;
    if (engine->watermark_ns != WI_UNKNOWN && limit <= engine->watermark_ns)
        return;
    account_before(engine, limit);
    engine->watermark_ns = limit;
    trim(engine, limit);
}

void wi_engine_finish(struct wi_engine *engine)
{
    if (engine->finished)
        return;
    account_before(engine, INT64_MAX);
    wi_calls_owed_since(&engine->calls, INT64_MAX); /* what is still owed never came */
    struct wi_account account = {engine, engine->ledger, engine->tables};
    for (uint32_t i = 0; i < engine->device_count; i++) {
        struct wi_device *device = engine->devices[i];
        if (!device->used)
            continue;
        int64_t end = device->line.end_ns;
        if (!engine->config.imported && engine->calls.last_exit_ns != WI_UNKNOWN &&
            engine->calls.last_exit_ns > end)
            end = engine->calls.last_exit_ns;
        wi_account_end(&account, device, end);
    }
    engine->finished = 1;
}

static int issues(const void *user, uint32_t tid)
{
    const struct wi_calls *calls = user;
    for (uint32_t i = 0; i < calls->thread_count; i++)
        if (calls->threads[i].tid == tid)
            return calls->threads[i].issued > 0;
    return 0;
}

struct wi_steps wi_engine_steps(const struct wi_engine *engine, const struct wi_step_finder *finder,
                                int64_t window_ns)
{
    const struct wi_recurrence *said[2] = {NULL, NULL};
    for (int named = 0; named < 2 && engine->marks; named++)
        said[named] = wi_marks_step(engine->marks, named, window_ns, issues, &engine->calls);
    return wi_steps_found(finder, said[1], said[0], window_ns);
}

int64_t wi_engine_watermark(const struct wi_engine *engine)
{
    return engine->watermark_ns;
}
