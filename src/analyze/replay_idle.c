/* Idle time of a replayed pass by cause, see replay_idle.h.
 * Threads: the engine's. */
#include "analyze/replay_idle.h"

#include "analyze/limits.h"
#include "analyze/replay_order.h"
#include "base/err.h"

struct sweep {
    struct wi_idle *idle;
    const struct wi_replay_model *model;
    const struct wi_splits *splits;
    struct wi_replay_times times;
    int64_t from_ns, to_ns; /* what counts */
};

/* sig: as in struct wi_kept, 0 = without a label: then it is what launches without one are, or of
 * `otherwise`. */
static void add(struct sweep *s, int64_t ns, uint32_t sig, int launches, enum wi_subcause otherwise)
{
    const struct wi_split *split = sig ? &s->splits->of[sig - 1] : NULL;
    if ((!split || split->total_ns <= 0) && launches)
        split = &s->splits->launch;
    if (!split || split->total_ns <= 0) {
        s->idle->ns[otherwise] += ns;
        return;
    }
    for (int i = 0; i < WI_PORTION_COUNT; i++)
        s->idle->ns[split->subcause[i]] += (int64_t)((double)ns * split->share[i]);
}

static int is_launch(const struct wi_kept *kept)
{
    return kept->api_class == WI_API_LAUNCH || kept->api_class == WI_API_GRAPH_LAUNCH;
}

/* What time inside a call without a label is taken for; the same as in effects.c. */
static enum wi_subcause cause_of_call(const struct wi_kept *kept)
{
    switch (kept->api_class) {
    case WI_API_ALLOC:
    case WI_API_FREE:
        return WI_SUB_ALLOCATOR;
    case WI_API_PIN:
        return WI_SUB_PIN_PER_COPY;
    default:
        return WI_SUB_UNDETERMINED;
    }
}

/* The idle time from `from_ns` on that the call `at` ended: back along its host clock. */
static void charge(struct sweep *s, int64_t from_ns, int64_t now_ns, uint32_t at)
{
    while (at != WI_NO_MOVE && now_ns > from_ns) {
        const struct wi_move *move = &s->model->moves[at];
        int64_t enter = s->times.enter_ns[at] > from_ns ? s->times.enter_ns[at] : from_ns;
        if (now_ns > enter) {
            add(s, now_ns - enter, move->kept->own_sig, is_launch(move->kept),
                cause_of_call(move->kept));
            now_ns = enter;
        }
        if (move->prev == WI_NO_MOVE)
            break;
        int anchored = move->flags & WI_MOVE_ANCHORED;
        int64_t left = anchored ? s->times.enter_ns[move->prev] : s->times.exit_ns[move->prev];
        left = left > from_ns ? left : from_ns;
        if (now_ns > left) {
            int dispatch = now_ns - left < WI_LIMIT_RUN_SILENCE_FLOOR_NS;
            add(s, now_ns - left, move->silence_sig, dispatch, WI_SUB_UNDETERMINED);
            now_ns = left;
        }
        at = move->prev;
    }
    if (now_ns > from_ns)
        s->idle->ns[WI_SUB_UNDETERMINED] += now_ns - from_ns;
}

static int64_t within(const struct sweep *s, int64_t ns)
{
    return ns < s->from_ns ? s->from_ns : ns > s->to_ns ? s->to_ns : ns;
}

static int is_of(const struct sweep *s, uint32_t at)
{
    const struct wi_move *move = &s->model->moves[at];
    return move->flags & WI_MOVE_OP && move->kept->device == (int8_t)s->idle->device;
}

/* The device's operations in the order of their starts; *count gets how many. */
static const uint32_t *by_start(struct wi_arena *arena, const struct sweep *s, uint32_t *count)
{
    struct wi_order_key *keys = wi_arena_alloc(arena, s->model->count * sizeof(*keys));
    *count = 0;
    if (!keys)
        return NULL;
    for (uint32_t i = 0; i < s->model->count; i++)
        if (is_of(s, i))
            keys[(*count)++] = (struct wi_order_key){s->times.start_ns[i], s->times.end_ns[i], i};
    return wi_order(arena, keys, *count);
}

int wi_replay_idle(struct wi_idle *idle, struct wi_arena *arena,
                   const struct wi_replay_model *model, const struct wi_replay_state *state,
                   const struct wi_replayed *replayed, const struct wi_splits *splits)
{
    struct sweep s = {
        idle, model, splits, wi_replay_times(state), replayed->start_ns, replayed->end_ns};
    uint32_t count;
    const uint32_t *order = by_start(arena, &s, &count);
    if (!order)
        return WI_ERR_NOMEM;
    int64_t front = s.from_ns;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = order[i];
        int64_t start = within(&s, s.times.start_ns[at]), end = within(&s, s.times.end_ns[at]);
        if (start > front)
            charge(&s, front, start, model->moves[at].call);
        front = front > start ? front : start;
        if (end > front) {
            idle->busy_ns += end - front;
            front = end;
        }
    }
    return WI_OK;
}
