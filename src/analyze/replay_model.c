/* From kept records to a model that can be replayed, see replay_model.h (docs/predictions.md).
 * Threads: the engine's. Allocates from the arena of the report. */
#include "analyze/replay_model.h"

#include <string.h>

#include "analyze/hist.h"
#include "analyze/limits.h"
#include "analyze/replay_cycles.h"
#include "analyze/replay_edge.h"
#include "analyze/replay_links.h"
#include "analyze/replay_order.h"
#include "base/err.h"
#include "base/extremes.h"

/* Where nothing in the stretch shows it: a launch into an empty queue starts within 3 to 20 us. */
#define USUAL_LATENCY_NS 4000
/* Where every launch waited for room in the queue: with room, it takes 2 to 10 us. */
#define USUAL_LAUNCH_NS 5000

struct builder {
    struct wi_replay_model *model;
    struct wi_replay_links *links;
    int launches_block;            /* a debugging switch makes every launch wait */
    struct wi_hist launches, deep; /* durations of those with room in the queue, and without */
    struct wi_hist latency, spacing;
    int64_t usual_latency_ns, usual_spacing_ns;
};

static int is_launch(const struct wi_kept *kept)
{
    return kept->api_class == WI_API_LAUNCH || kept->api_class == WI_API_GRAPH_LAUNCH;
}

static int64_t call_ns(const struct wi_kept *kept)
{
    return kept->exit_ns - kept->enter_ns;
}

/* The host clock: the call that this one continues, and the silence since. */
static void set_clock(struct builder *b, struct wi_move *move)
{
    move->prev = wi_links_clock(b->links, move->kept);
    if (move->prev != WI_NO_MOVE) {
        move->silence_ns = move->kept->enter_ns - b->model->moves[move->prev].kept->exit_ns;
        return;
    }
    move->prev = wi_links_latest_call(b->links);
    move->flags |= WI_MOVE_ANCHORED;
    if (move->prev != WI_NO_MOVE)
        move->silence_ns = move->kept->enter_ns - b->model->moves[move->prev].kept->enter_ns;
}

/* The operations that this one comes after by the rules of streams, engines and full kernels: those
 * that it did come after. */
static void set_order(struct builder *b, struct wi_move *move, uint32_t index)
{
    const struct wi_kept *kept = move->kept;
    move->stream = wi_links_stream(b->links, kept);
    move->stream_prev = wi_links_last_in(b->links, move->stream);
    move->starts_after = wi_links_dependency(b->links, move->stream, kept);
    uint32_t other = wi_links_legacy(b->links, kept);
    if (other != WI_NO_MOVE &&
        (move->starts_after == WI_NO_MOVE ||
         wi_move_end(b->model, other) > wi_move_end(b->model, move->starts_after)))
        move->starts_after = other;
    if (move->starts_after != WI_NO_MOVE &&
        wi_move_end(b->model, move->starts_after) > kept->start_ns + WI_LIMIT_CLOCK_ERROR_NS)
        move->starts_after = WI_NO_MOVE;
    uint32_t engine = wi_links_engine(b->links, kept);
    if (wi_links_uses_engine(kept) &&
        wi_move_end(b->model, engine) <= kept->start_ns + WI_LIMIT_CLOCK_ERROR_NS)
        move->flags |= WI_MOVE_ENGINE;
    if (wi_links_fills(kept)) {
        move->flags |= WI_MOVE_FILLS;
        if (wi_move_end(b->model, wi_links_full(b->links, kept)) <=
            kept->start_ns + WI_LIMIT_CLOCK_ERROR_NS)
            move->flags |= WI_MOVE_FULL;
    }
    if (move->stream_prev != WI_NO_MOVE) {
        b->model->moves[move->stream_prev].stream_next = index;
        move->ordinal = b->model->moves[move->stream_prev].ordinal + 1;
    }
    wi_links_op(b->links, move->stream, index, kept);
}

/* Waiting calls return after the end of an operation: their own one, or the latest that they can
 * have waited for. */
static void set_wait(struct builder *b, struct wi_move *move, uint32_t index)
{
    const struct wi_kept *kept = move->kept;
    int own_op =
        move->flags & WI_MOVE_OP && kept->exit_ns + WI_LIMIT_CLOCK_ERROR_NS >= kept->end_ns;
    move->own_ns = call_ns(kept);
    if (kept->api_class == WI_API_COPY) {
        int blocks = kept->flags & WI_CALL_BLOCKING || kept->memory & WI_KEPT_PAGEABLE;
        if (blocks && own_op)
            move->waits_for = index;
    } else if (is_launch(kept)) {
        if (own_op && b->launches_block)
            move->waits_for = index;
    } else if (kept->api_class == WI_API_SYNC || kept->api_class == WI_API_FREE ||
               kept->api_class == WI_API_QUERY) {
        move->waits_for = wi_links_awaited(b->links, b->model->moves, kept);
    }
    if (move->waits_for == WI_NO_MOVE)
        return;
    int64_t done = wi_move_end(b->model, move->waits_for);
    int waited = done > kept->enter_ns;
    if (!waited && kept->api_class != WI_API_SYNC)
        move->waits_for = WI_NO_MOVE; /* a query or a free that found the device done */
    move->own_ns = wi_most(0, kept->exit_ns - wi_most(done, kept->enter_ns));
    if (kept->api_class == WI_API_SYNC ||
        (kept->api_class == WI_API_COPY && kept->direction == WI_COPY_D2H))
        move->flags |= WI_MOVE_READ_BACK;
}

/* Launches that may have waited for room in the queue, and what the others cost: once the device is
 * the limit most have waited, and the usual launch is one of them. */
static void look_at_launches(struct builder *b)
{
    for (uint32_t i = b->model->first; i < b->model->count; i++) {
        struct wi_move *move = &b->model->moves[i];
        if (!(move->flags & WI_MOVE_CALL) || !is_launch(move->kept))
            continue;
        uint32_t behind = WI_NO_MOVE;
        if (move->flags & WI_MOVE_OP && move->waits_for == WI_NO_MOVE)
            behind = wi_links_started_by(b->links, b->model->moves, move);
        if (behind != WI_NO_MOVE &&
            move->ordinal - b->model->moves[behind].ordinal >= WI_LIMIT_QUEUE_DEPTH)
            move->queue_behind = behind;
        wi_hist_add(move->queue_behind == WI_NO_MOVE ? &b->launches : &b->deep,
                    call_ns(move->kept));
    }
    int64_t own = wi_hist_quantile(&b->launches, 500);
    if (b->launches.count < (uint64_t)WI_LIMIT_RUN_CALLS && b->deep.count)
        own = wi_least(wi_hist_quantile(&b->deep, 100), USUAL_LAUNCH_NS);
    b->model->launch_own_ns = own == WI_UNKNOWN ? 0 : own;
}

/* A launch that lasts because the queue is full waits for the device: only the usual cost is own.
 */
static void set_queue_full(const struct builder *b, struct wi_move *move)
{
    if (move->queue_behind == WI_NO_MOVE)
        return;
    if (move->own_ns > b->model->launch_own_ns * WI_LIMIT_QUEUE_FULL_FACTOR)
        move->own_ns = b->model->launch_own_ns;
    else
        move->queue_behind = WI_NO_MOVE;
}

static void add_move(struct builder *b, const struct wi_kept *kept, uint32_t call)
{
    uint32_t index = b->model->count++;
    struct wi_move *move = &b->model->moves[index];
    *move = (struct wi_move){.kept = kept,
                             .prev = WI_NO_MOVE,
                             .call = call,
                             .stream_prev = WI_NO_MOVE,
                             .stream_next = WI_NO_MOVE,
                             .starts_after = WI_NO_MOVE,
                             .waits_for = WI_NO_MOVE,
                             .queue_behind = WI_NO_MOVE,
                             .silence_sig = kept->silence_sig};
    if (kept->enter_ns != WI_UNKNOWN) {
        move->flags |= WI_MOVE_CALL;
        move->call = index;
        set_clock(b, move);
    }
    if (kept->start_ns != WI_UNKNOWN) {
        move->flags |= WI_MOVE_OP;
        set_order(b, move, index);
    }
    if (kept->enter_ns != WI_UNKNOWN) {
        set_wait(b, move, index);
        wi_links_call(b->links, index, kept);
    }
}

/* First look at latencies and spacings: those where only one of the two can have counted. */
static void look_at_starts(struct builder *b)
{
    for (uint32_t i = 0; i < b->model->count; i++) {
        const struct wi_move *move = &b->model->moves[i];
        if (!(move->flags & WI_MOVE_OP) || move->call == WI_NO_MOVE)
            continue;
        const struct wi_kept *call = b->model->moves[move->call].kept;
        int64_t ready = wi_move_ready(b->model, move), start = move->kept->start_ns;
        if (ready == INT64_MIN)
            continue; /* it may have been queued behind work that is not in the stretch */
        if (ready <= call->enter_ns && i == move->call && is_launch(call))
            wi_hist_add(&b->latency, wi_most(0, start - call->enter_ns));
        else if (ready > call->exit_ns)
            wi_hist_add(&b->spacing, wi_most(0, start - ready));
    }
    int64_t latency = wi_hist_quantile(&b->latency, 500);
    int64_t spacing = wi_hist_quantile(&b->spacing, 500);
    b->usual_latency_ns = latency == WI_UNKNOWN ? USUAL_LATENCY_NS : latency;
    b->usual_spacing_ns = spacing == WI_UNKNOWN ? 0 : spacing;
}

/* Nothing of the model says why the operation starts so late: the delay stays as it was, unless
 * another stream's work ended right before. Returns the part that is not explained. */
static int64_t explain_delay(struct builder *b, struct wi_move *move, uint32_t index,
                             int64_t delay_ns, int64_t usual_ns, int64_t bound_ns)
{
    if (delay_ns - usual_ns <= bound_ns)
        return 0;
    uint32_t other = wi_links_ended_before(b->model->moves, index, WI_LIMIT_DEPENDENCY_NS);
    if (other == WI_NO_MOVE)
        return delay_ns - usual_ns;
    move->starts_after = other;
    return 0;
}

/* Splits the start of an operation into latency behind its call and spacing behind what it follows:
 * the one that counted is as measured, the other as usual but never later than measured. */
static void set_start(struct builder *b, uint32_t index)
{
    struct wi_move *move = &b->model->moves[index];
    int64_t ready = wi_move_ready(b->model, move), start = move->kept->start_ns, unexplained = 0;
    int hung = wi_replay_hangs(b->model, move);
    if (move->call == WI_NO_MOVE) { /* its call is not known: it follows what came before it */
        move->spacing_ns = ready == INT64_MIN ? 0 : start - ready;
        return;
    }
    const struct wi_kept *call = b->model->moves[move->call].kept;
    int64_t behind_call = wi_most(0, start - call->enter_ns);
    int64_t behind_ready = ready == INT64_MIN ? 0 : start - ready;
    /* ready while the call was still being made: what counted is what the start is close to */
    int queued = ready != INT64_MIN &&
                 (ready >= call->exit_ns || (ready > call->enter_ns + b->usual_latency_ns &&
                                             behind_ready <= WI_LIMIT_QUEUED_SPACING_NS));
    if (queued) {
        unexplained = explain_delay(b, move, index, behind_ready, b->usual_spacing_ns,
                                    WI_LIMIT_QUEUED_SPACING_NS);
        behind_ready = start - wi_move_ready(b->model, move);
        move->spacing_ns = behind_ready;
        move->latency_ns = wi_least(b->usual_latency_ns, behind_call);
    } else {
        int64_t issued = wi_most(0, start - wi_most(call->exit_ns, call->enter_ns));
        unexplained =
            explain_delay(b, move, index, issued, b->usual_latency_ns, WI_LIMIT_LAUNCH_LATENCY_NS);
        move->latency_ns = unexplained || issued <= WI_LIMIT_LAUNCH_LATENCY_NS
                               ? behind_call
                               : wi_least(b->usual_latency_ns, behind_call);
        int64_t follows = wi_move_ready(b->model, move); /* anew: it may depend on more by now */
        move->spacing_ns = follows == INT64_MIN ? 0 : start - follows;
        if (issued <= WI_LIMIT_LAUNCH_LATENCY_NS || unexplained)
            move->spacing_ns = wi_least(b->usual_spacing_ns, wi_most(0, move->spacing_ns));
    }
    if (index >= b->model->first && !(hung && b->model->edge_ns != INT64_MIN))
        b->model->unexplained_ns[move->kept->kind] += unexplained;
}

static void note_copy_rates(struct wi_replay_model *model)
{
    for (uint32_t i = 0; i < model->count; i++) {
        const struct wi_kept *kept = model->moves[i].kept;
        if (!(model->moves[i].flags & WI_MOVE_OP) || kept->kind != WI_OP_COPY ||
            kept->memory & WI_KEPT_PAGEABLE || kept->bytes < (uint64_t)WI_LIMIT_READ_BACK_BYTES ||
            kept->end_ns <= kept->start_ns)
            continue;
        double rate = (double)kept->bytes / (double)(kept->end_ns - kept->start_ns);
        double *best = &model->copy_rate[kept->direction < WI_COPY_COUNT ? kept->direction : 0];
        *best = rate > *best ? rate : *best;
    }
}

static int build(struct builder *b, struct wi_arena *arena, const struct wi_kept *records,
                 uint32_t count, uint32_t first_place)
{
    const uint32_t *order = wi_replay_order(arena, records, count, first_place);
    uint32_t *move_of = wi_arena_alloc(arena, count * sizeof(*move_of));
    if (!order || !move_of)
        return WI_ERR_NOMEM;
    for (uint32_t i = 0; i < count; i++) {
        const struct wi_kept *kept = &records[order[i]];
        uint32_t call = WI_NO_MOVE;
        if (kept->enter_ns == WI_UNKNOWN && kept->target)
            call = move_of[kept->target - 1 - first_place];
        move_of[order[i]] = b->model->count;
        add_move(b, kept, call);
    }
    look_at_starts(b);
    wi_replay_edge(b->model);
    look_at_launches(b);
    for (uint32_t i = 0; i < b->model->count; i++) {
        if (b->model->moves[i].flags & WI_MOVE_OP)
            set_start(b, i);
        if (b->model->moves[i].flags & WI_MOVE_CALL)
            set_queue_full(b, &b->model->moves[i]);
    }
    b->model->waits_elsewhere = wi_replay_waits_elsewhere(b->model);
    note_copy_rates(b->model);
    int err = wi_links_labels(arena, b->model->moves, b->model->count);
    wi_replay_cycles(b->model);
    return err;
}

int wi_replay_model(struct wi_replay_model *model, struct wi_arena *arena,
                    const struct wi_calls *calls, const struct wi_kept *records, uint32_t count,
                    uint32_t first_place)
{
    memset(model, 0, sizeof(*model));
    struct builder *b = wi_arena_alloc(arena, sizeof(*b));
    model->moves = wi_arena_alloc(arena, (count ? count : 1) * sizeof(*model->moves));
    if (!b || !model->moves)
        return WI_ERR_NOMEM;
    b->model = model;
    b->links = wi_links_create(arena, calls, model->moves);
    b->launches_block =
        calls->launches_joined >= (uint64_t)WI_LIMIT_STEADY_COUNT &&
        calls->launches_blocked * 10 >= calls->launches_joined * 9; /* as the override says */
    return b->links ? build(b, arena, records, count, first_place) : WI_ERR_NOMEM;
}
