/* Replaying a stretch with a change, see replay.h.
 * Threads: the engine's. May not: allocate in a pass. */
#include "analyze/replay.h"

#include <string.h>

#include "analyze/limits.h"
#include "analyze/replay_device.h"
#include "base/extremes.h"

#define NEVER INT64_MIN

struct producer {
    int64_t measured_ns, arrival_ns;   /* of its latest input, as measured and as replayed */
    int64_t taken_ns[WI_REPLAY_QUEUE]; /* when its inputs were taken; ring */
    uint32_t taken;                    /* so many so far */
    int64_t apart_ns;                  /* excluded by then */
    int known;
};

struct thread_state {
    struct producer producer;
    int64_t volume_end_ns; /* of copies for their volume that were made not to block */
    uint64_t read_backs;
    int dropped;    /* the latest read-back does not wait */
    uint32_t value; /* its copy's stream + 1, 0 = none */
    uint8_t in_run; /* inside a run of copies that became one; its direction + 1 */
};

struct wi_replay_state {
    const struct wi_replay_model *model;
    const struct wi_effects *effects;
    int64_t *start_ns, *end_ns, *enter_ns, *exit_ns; /* of every move */
    int64_t ready_ns[WI_STREAM_SLOTS];
    int64_t engine_ns[WI_REPLAY_DEVICES][2], full_ns[WI_REPLAY_DEVICES];
    struct thread_state threads[WI_REPLAY_THREADS];
    struct wi_collectives collectives;
    int64_t apart_ns; /* of silences accounted apart, so far */
};

struct wi_replay_state *wi_replay_create(struct wi_arena *arena, uint32_t most_moves)
{
    struct wi_replay_state *state = wi_arena_alloc(arena, sizeof(*state));
    int64_t *times = wi_arena_alloc(arena, 4 * (size_t)(most_moves + 1) * sizeof(*times));
    if (!state || !times)
        return NULL;
    state->start_ns = times;
    state->end_ns = times + most_moves + 1;
    state->enter_ns = state->end_ns + most_moves + 1;
    state->exit_ns = state->enter_ns + most_moves + 1;
    return state;
}

static int64_t changed(const struct wi_effect *effect, int64_t ns)
{
    if (ns <= 0)
        return ns;
    return wi_most(wi_scaled(ns, effect->scale), wi_least(ns, effect->stay_ns));
}

static const struct wi_effect *silence_effect(const struct wi_effects *effects,
                                              const struct wi_move *move)
{
    int dispatch = !move->silence_sig && move->silence_ns < WI_LIMIT_RUN_SILENCE_FLOOR_NS;
    return dispatch ? &effects->dispatch : &effects->of[move->silence_sig];
}

static const struct wi_effect *call_effect(const struct wi_effects *effects,
                                           const struct wi_kept *kept)
{
    return kept->own_sig ? &effects->of[kept->own_sig] : &effects->api[kept->api_class];
}

static int64_t own_time(const struct wi_effects *effects, const struct wi_move *move)
{
    return changed(call_effect(effects, move->kept), move->own_ns);
}

/* ---- the producer of inputs */

/* The input that the call waited for arrives after the one before it, as long after as it did, or
 * as much sooner as the producer got faster; and not before there was room for it in the queue. */
static int64_t arrival(struct wi_replay_state *state, struct producer *producer,
                       const struct wi_effect *effect, const struct wi_move *move, int64_t asked_ns)
{
    int64_t measured = move->kept->enter_ns;
    int64_t arrives = asked_ns + move->silence_ns;
    uint32_t depth = state->effects->queue_depth;
    if (producer->known) {
        int64_t apart = measured - producer->measured_ns - (state->apart_ns - producer->apart_ns);
        if (effect->here)
            apart = move->silence_ns;
        apart -= (int64_t)((1 - effect->scale) * (double)move->silence_ns); /* its other causes */
        arrives = producer->arrival_ns + wi_scaled(apart, 1 / effect->rate);
        if (effect->queue && producer->taken >= depth)
            arrives =
                wi_most(arrives, producer->taken_ns[(producer->taken - depth) % WI_REPLAY_QUEUE]);
    }
    producer->known = 1;
    producer->measured_ns = measured;
    producer->apart_ns = state->apart_ns;
    producer->arrival_ns = arrives;
    producer->taken_ns[producer->taken++ % WI_REPLAY_QUEUE] = wi_most(asked_ns, arrives);
    return arrives;
}

/* Host work behind a read-back that is not there: the device does a part of it, behind the copy. */
static void move_to_device(struct wi_replay_state *state, const struct thread_state *thread,
                           int64_t host_ns)
{
    double part = state->effects->change->moved;
    if (part > 0 && thread->value && state->ready_ns[thread->value - 1] != NEVER)
        state->ready_ns[thread->value - 1] += (int64_t)((double)host_ns * part);
}

/* When the call is entered, given when its host clock was free. */
static int64_t enter_time(struct wi_replay_state *state, const struct wi_move *move,
                          int64_t free_ns)
{
    const struct wi_effect *effect = silence_effect(state->effects, move);
    struct thread_state *thread = &state->threads[move->kept->thread];
    if (move->flags & WI_MOVE_ANCHORED)
        return free_ns + move->silence_ns;
    if (effect->rare) {
        state->apart_ns += wi_most(0, move->silence_ns);
        return free_ns;
    }
    if (move->silence_ns > WI_LIMIT_SHORT_WORK_NS && thread->volume_end_ns > free_ns)
        free_ns = thread->volume_end_ns; /* it works on what was copied */
    if (effect->read_back && thread->dropped && state->effects->change->value_work_goes) {
        int64_t stays = wi_least(move->silence_ns, effect->stay_ns);
        move_to_device(state, thread, move->silence_ns - stays);
        return free_ns + stays;
    }
    if (!effect->producer || effect->scale <= 0 || (effect->scale != 1 && effect->rate == 1))
        return free_ns + changed(effect, move->silence_ns);
    int64_t arrives = arrival(state, &thread->producer, effect, move, free_ns);
    return wi_most(arrives, free_ns + wi_least(move->silence_ns, effect->stay_ns));
}

/* ---- device work */

/* Latency as measured from the entry holds some of the call's own time, which may have changed. */
static int64_t latency(const struct wi_replay_state *state, const struct wi_move *move)
{
    int64_t own = state->model->moves[move->call].own_ns;
    if (state->model->moves[move->call].waits_for != WI_NO_MOVE || own <= 0)
        return move->latency_ns;
    int64_t now = own_time(state->effects, &state->model->moves[move->call]);
    int64_t inside = wi_least(own, move->latency_ns);
    return move->latency_ns - inside + (int64_t)((double)inside * (double)now / (double)own);
}

static void run_op(struct wi_replay_state *state, uint32_t index, int64_t ns, int detached)
{
    const struct wi_move *move = &state->model->moves[index];
    uint32_t device = (uint8_t)move->kept->device % WI_REPLAY_DEVICES;
    int64_t *ready = &state->ready_ns[move->stream];
    int64_t spacing = move->spacing_ns, least = state->effects->change->spacing_ns;
    if (least > 0)
        spacing = wi_most(spacing, least); /* else kernels that overlap go on to do so */
    int64_t start = NEVER;
    if (move->call != WI_NO_MOVE)
        start = state->enter_ns[move->call] + latency(state, move);
    if (*ready != NEVER)
        start = wi_most(start, *ready + spacing);
    if (move->starts_after != WI_NO_MOVE)
        start = wi_most(start, state->end_ns[move->starts_after] + spacing);
    int64_t *engine = &state->engine_ns[device][move->kept->direction == WI_COPY_D2H];
    if (move->flags & WI_MOVE_ENGINE)
        start = wi_most(start, *engine);
    if (move->flags & WI_MOVE_FULL)
        start = wi_most(start, state->full_ns[device]);
    if (start == NEVER)
        start = move->kept->start_ns; /* nothing before it is known */
    state->start_ns[index] = start;
    state->end_ns[index] = start + ns;
    if (!detached)
        *ready = start + ns;
    if (move->kept->kind == WI_OP_COPY && wi_crosses(move->kept))
        *engine = start + ns;
    if (move->flags & WI_MOVE_FILLS)
        state->full_ns[device] = start + ns;
}

/* ---- calls */

/* The copy from the device that a call makes, or that a sync stands right behind; else NULL. */
static const struct wi_move *copy_of(const struct wi_replay_model *model,
                                     const struct wi_move *move)
{
    if (move->kept->api_class == WI_API_SYNC)
        move = move->prev == WI_NO_MOVE ? NULL : &model->moves[move->prev];
    return move && move->kept->api_class == WI_API_COPY && move->kept->direction == WI_COPY_D2H
               ? move
               : NULL;
}

/* 1 if the call no longer waits for the device. */
static int drops_wait(struct wi_replay_state *state, const struct wi_move *move)
{
    const struct wi_kept *kept = move->kept;
    struct thread_state *thread = &state->threads[kept->thread];
    int64_t every = state->effects->change->readback_every;
    if (wi_becomes_async(state->effects, kept))
        return 1;
    if (kept->api_class == WI_API_FREE) /* one that is not made does not wait either */
        return call_effect(state->effects, kept)->scale < 1;
    if (!every)
        return 0;
    if (!(move->flags & WI_MOVE_READ_BACK)) /* what the host made of the value goes back */
        return thread->dropped && kept->api_class == WI_API_COPY &&
               kept->direction == WI_COPY_H2D && kept->bytes < (uint64_t)WI_LIMIT_READ_BACK_BYTES;
    const struct wi_move *copy = copy_of(state->model, move);
    if (copy && copy->kept->bytes > (uint64_t)WI_LIMIT_READ_BACK_BYTES)
        thread->dropped = 0; /* moved for its volume, no value */
    else if (!copy || copy == move || !(copy->flags & WI_MOVE_READ_BACK)) /* else it is counted */
        thread->dropped = ++thread->read_backs % (uint64_t)every != 0;
    thread->value = copy && copy->flags & WI_MOVE_OP ? copy->stream + 1u : 0;
    return thread->dropped;
}

static void finish_call(struct wi_replay_state *state, uint32_t index)
{
    const struct wi_move *move = &state->model->moves[index];
    int64_t own = own_time(state->effects, move), enter = state->enter_ns[index];
    int64_t exit = enter + own;
    int dropped = drops_wait(state, move);
    if (dropped && move->kept->api_class == WI_API_COPY)
        exit =
            enter +
            wi_least(own, state->model->launch_own_ns > 0 ? 2 * state->model->launch_own_ns : own);
    else if (move->waits_for != WI_NO_MOVE && !dropped)
        exit = wi_most(enter, state->end_ns[move->waits_for]) + own;
    if (move->queue_behind != WI_NO_MOVE)
        exit = wi_most(exit, state->start_ns[move->queue_behind]);
    state->exit_ns[index] = exit;
}

/* Copies in a row become one: the first takes all bytes, the others nothing. 1 if that was done. */
static int coalesce(struct wi_replay_state *state, uint32_t index)
{
    const struct wi_move *move = &state->model->moves[index];
    const struct wi_kept *kept = move->kept;
    struct thread_state *thread = &state->threads[kept->thread];
    if (kept->api_class != WI_API_COPY || !wi_crosses(kept)) {
        thread->in_run = 0;
        return 0;
    }
    int64_t free_ns = move->prev == WI_NO_MOVE ? kept->enter_ns : state->exit_ns[move->prev];
    if (thread->in_run == kept->direction + 1) {
        state->enter_ns[index] = state->exit_ns[index] = free_ns;
        state->start_ns[index] = state->end_ns[index] = state->ready_ns[move->stream];
        return 1;
    }
    int64_t bytes, ns;
    thread->in_run = 0;
    if (wi_run_of_copies(state->model, index, &bytes, &ns) < 2)
        return 0;
    thread->in_run = kept->direction + 1;
    double rate = state->effects->copy_rate[kept->direction];
    if (rate > 0)
        ns = wi_least(ns, (int64_t)((double)bytes / rate));
    state->enter_ns[index] = enter_time(state, move, free_ns) + state->effects->change->pack_ns;
    if (move->flags & WI_MOVE_OP)
        run_op(state, index, ns, 0);
    finish_call(state, index);
    return 1;
}

static void run_move(struct wi_replay_state *state, uint32_t index)
{
    const struct wi_move *move = &state->model->moves[index];
    const struct wi_kept *kept = move->kept;
    if (move->flags & WI_MOVE_CALL) {
        if (state->effects->change->coalesce && coalesce(state, index))
            return;
        int64_t free_ns = move->prev == WI_NO_MOVE         ? kept->enter_ns - move->silence_ns
                          : move->flags & WI_MOVE_ANCHORED ? state->enter_ns[move->prev]
                                                           : state->exit_ns[move->prev];
        state->enter_ns[index] = enter_time(state, move, free_ns);
    }
    int detached = wi_becomes_async(state->effects, kept) && kept->direction == WI_COPY_D2H;
    if (move->flags & WI_MOVE_OP)
        run_op(state, index, wi_device_ns(state->effects, &state->collectives, kept), detached);
    if (detached && move->flags & WI_MOVE_OP)
        state->threads[kept->thread].volume_end_ns = state->end_ns[index];
    if (move->flags & WI_MOVE_CALL)
        finish_call(state, index);
}

/* ---- the pass */

static void begin(struct wi_replay_state *state, const struct wi_replay_model *model,
                  const struct wi_effects *effects)
{
    state->model = model;
    state->effects = effects;
    state->apart_ns = 0;
    memset(state->threads, 0, sizeof(state->threads));
    for (uint32_t i = 0; i < WI_REPLAY_THREADS; i++)
        state->threads[i].volume_end_ns = NEVER;
    for (uint32_t i = 0; i < WI_STREAM_SLOTS; i++)
        state->ready_ns[i] = NEVER;
    for (uint32_t i = 0; i < WI_REPLAY_DEVICES; i++)
        state->engine_ns[i][0] = state->engine_ns[i][1] = state->full_ns[i] = NEVER;
    wi_collectives_find(&state->collectives, model, effects->change);
}

/* Where the run stands after a move: everything before has returned and is done. */
static int64_t advance(const struct wi_move *move, int64_t front, int64_t exit_ns, int64_t end_ns)
{
    if (move->flags & WI_MOVE_CALL)
        front = wi_most(front, exit_ns);
    return move->flags & WI_MOVE_OP ? wi_most(front, end_ns) : front;
}

static void mark(const struct wi_replay_model *model, uint32_t marks, uint32_t index, int64_t front,
                 struct wi_replayed *out)
{
    uint32_t length = model->count - model->first;
    while (out->marks <= marks &&
           (uint64_t)(index + 1 - model->first) * marks >= (uint64_t)length * out->marks)
        out->mark_ns[out->marks++] = front;
}

void wi_replay(struct wi_replay_state *state, const struct wi_replay_model *model,
               const struct wi_effects *effects, uint32_t marks, struct wi_replayed *out)
{
    begin(state, model, effects);
    int64_t front = NEVER, cycle_ns[2] = {0, 0};
    *out = (struct wi_replayed){0};
    for (uint32_t i = 0; i < model->count; i++) {
        if (i == model->first) {
            out->start_ns = out->mark_ns[0] = wi_most(
                model->edge_ns, front == NEVER ? wi_kept_began(model->moves[i].kept) : front);
            out->marks = 1;
        }
        run_move(state, i);
        if (i == model->cycle_first)
            cycle_ns[0] = wi_most(wi_most(front, model->edge_ns), state->enter_ns[i]);
        if (i == model->cycle_last)
            cycle_ns[1] = wi_most(front, state->enter_ns[i]);
        front = advance(&model->moves[i], front, state->exit_ns[i], state->end_ns[i]);
        if (i >= model->first)
            mark(model, marks, i, front, out);
    }
    out->end_ns = front;
    if (model->cycle_first != WI_NO_MOVE) {
        out->start_ns = cycle_ns[0];
        out->end_ns = cycle_ns[1];
    }
}

struct wi_replay_times wi_replay_times(const struct wi_replay_state *state)
{
    return (struct wi_replay_times){state->enter_ns, state->exit_ns, state->start_ns,
                                    state->end_ns};
}

void wi_replay_measured(const struct wi_replay_model *model, const struct wi_effects *effects,
                        uint32_t marks, struct wi_replayed *out)
{
    int64_t front = NEVER, apart = 0, cycle_ns[2] = {0, 0};
    *out = (struct wi_replayed){0};
    for (uint32_t i = 0; i < model->count; i++) {
        const struct wi_move *move = &model->moves[i];
        if (i == model->first) {
            out->start_ns = out->mark_ns[0] =
                wi_most(model->edge_ns, front == NEVER ? wi_kept_began(move->kept) : front - apart);
            out->marks = 1;
        }
        if (move->flags & WI_MOVE_CALL && !(move->flags & WI_MOVE_ANCHORED) &&
            silence_effect(effects, move)->rare)
            apart += wi_most(0, move->silence_ns);
        if (i == model->cycle_first)
            cycle_ns[0] = wi_most(wi_most(front, model->edge_ns), move->kept->enter_ns) - apart;
        if (i == model->cycle_last)
            cycle_ns[1] = wi_most(front, move->kept->enter_ns) - apart;
        front = advance(move, front, move->kept->exit_ns, move->kept->end_ns);
        if (i >= model->first)
            mark(model, marks, i, front - apart, out);
    }
    out->end_ns = front - apart;
    if (model->cycle_first != WI_NO_MOVE) {
        out->start_ns = cycle_ns[0];
        out->end_ns = cycle_ns[1];
    }
}
