/* The left edge of a kept stretch, see replay_edge.h.
 * Threads: the engine's. Pure. */
#include "analyze/replay_edge.h"

#include "analyze/limits.h"
#include "analyze/replay_links.h"
#include "base/extremes.h"

int wi_replay_hangs(const struct wi_replay_model *model, const struct wi_move *move)
{
    if (!(move->flags & WI_MOVE_OP) || move->call == WI_NO_MOVE)
        return 0;
    const struct wi_kept *call = model->moves[move->call].kept;
    return wi_move_ready(model, move) == INT64_MIN &&
           move->kept->start_ns - call->exit_ns > WI_LIMIT_LAUNCH_LATENCY_NS;
}

/* 1 if hardly any device work of the stretch starts before edge_ns. */
static int hardly_any_before(const struct wi_replay_model *model, int64_t edge_ns)
{
    int64_t before = 0, all = 0;
    for (uint32_t i = 0; i < model->count; i++) {
        const struct wi_kept *kept = model->moves[i].kept;
        int64_t ns = model->moves[i].flags & WI_MOVE_OP ? kept->end_ns - kept->start_ns : 0;
        all += ns;
        before += kept->start_ns < edge_ns ? ns : 0;
    }
    return before < all / 10;
}

/* 1 if the stream is one of those with much work in the stretch, and the last one at work: others
 * are ahead of it, and wait for it or for nobody. */
static int sets_pace(const struct wi_replay_model *model, uint16_t stream)
{
    int64_t most = 0, of[WI_STREAM_SLOTS] = {0}, end = INT64_MIN, end_of_stream = INT64_MIN;
    for (uint32_t i = 0; i < model->count; i++) {
        const struct wi_move *move = &model->moves[i];
        if (!(move->flags & WI_MOVE_OP))
            continue;
        most = wi_most(most, of[move->stream] += move->kept->end_ns - move->kept->start_ns);
        end = wi_most(end, move->kept->end_ns);
        if (move->stream == stream)
            end_of_stream = wi_most(end_of_stream, move->kept->end_ns);
    }
    return of[stream] * 2 >= most && end_of_stream == end;
}

/* The latest start among operations that hang over the left edge, NULL = none does. explained: also
 * of those that another stream's work, ending right before, explains as well. */
static const struct wi_move *latest_hanging(const struct wi_replay_model *model, int explained)
{
    const struct wi_move *latest = NULL;
    for (uint32_t i = 0; i < model->count; i++) {
        const struct wi_move *move = &model->moves[i];
        if (!wi_replay_hangs(model, move) ||
            (latest && move->kept->start_ns <= latest->kept->start_ns))
            continue;
        if (explained ||
            wi_links_ended_before(model->moves, i, WI_LIMIT_DEPENDENCY_NS) == WI_NO_MOVE)
            latest = move;
    }
    return latest;
}

void wi_replay_edge(struct wi_replay_model *model)
{
    const struct wi_move *last = latest_hanging(model, 1), *alone = latest_hanging(model, 0);
    int64_t edge = model->count ? model->moves[0].kept->start_ns : 0;
    edge = last ? wi_most(edge, last->kept->start_ns) : edge;
    uint32_t first = 0;
    while (first < model->count && model->moves[first].kept->enter_ns < edge)
        first++;
    model->first = first < model->count / 2 ? first : 0;
    model->edge_ns = INT64_MIN;
    if (model->first || !alone)
        return;
    if (hardly_any_before(model, alone->kept->start_ns) || sets_pace(model, alone->stream))
        model->edge_ns = alone->kept->start_ns;
    else if (sets_pace(model, last->stream)) /* the other one's end before it was chance */
        model->edge_ns = last->kept->start_ns;
}

int wi_replay_waits_elsewhere(const struct wi_replay_model *model)
{
    int64_t end = INT64_MIN, most = 0;
    for (uint32_t i = 0; i < model->count && model->edge_ns != INT64_MIN; i++) {
        const struct wi_move *move = &model->moves[i];
        if (!(move->flags & WI_MOVE_CALL))
            continue;
        end = wi_most(end, move->kept->exit_ns);
        if (move->kept->api_class == WI_API_SYNC)
            most = wi_most(most, move->own_ns);
    }
    return most / WI_LIMIT_REPLAY_UNEXPLAINED_PERMILLE > (end - model->edge_ns) / 1000;
}
