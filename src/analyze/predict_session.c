/* Replaying several changes side by side, see predict_session.h and docs/predictions.md.
 * Threads: the engine's. */
#include "analyze/predict_session.h"

#include <math.h>

#include "analyze/charge.h"
#include "analyze/limits.h"
#include "base/err.h"
#include "base/extremes.h"

/* A change, one a little weaker and one a little stronger: a fix seldom brings all of it. */
#define SOFTER 0.1
/* The launching thread's other time, once other processes work beside it: up to this factor between
 * two real runs of one training, with and without loader workers. */
#define BESIDE_WORKERS 1.3
/* Host and device clocks, and one run to the next, differ by this much even where nothing changes.
 */
#define LEAST_MARGIN 0.01
/* PCIe 3.0 x16, the slowest link of a card in use, moves this much from page-locked memory. */
#define USUAL_COPY_RATE 12.0
/* Where the link is known copies from page-locked memory move seven to nine tenths of what it can
 * do; where it is not, four times as much on PCIe 5.0. */
#define SHARE_OF_LINK  0.75
#define FASTER_OF_LINK 1.2
#define FASTER_UNKNOWN 4.0
#define SCRATCH_BYTES  ((size_t)24 << 20)

static const struct wi_reservoir *reservoir_of(const struct wi_session *s)
{
    return &s->engine->calls.reservoir;
}

static double kept_share(const struct wi_reservoir *reservoir)
{
    return reservoir->candidate <= WI_BLOCKS ? 1 : (double)WI_BLOCKS / (double)reservoir->candidate;
}

int wi_session_begin(struct wi_session *s, struct wi_engine *engine, struct wi_arena *arena,
                     uint32_t room)
{
    *s = (struct wi_session){.engine = engine,
                             .arena = arena,
                             .link_rate = wi_copy_link_rate(&engine->samples.last),
                             .plan_room = room};
    s->plans = wi_arena_alloc(arena, room * sizeof(*s->plans));
    if (!s->plans)
        return WI_ERR_NOMEM;
    int64_t end_ns = INT64_MIN;
    for (uint32_t i = 0; i < engine->device_count; i++)
        if (engine->devices[i]->used && engine->devices[i]->pos_ns > end_ns)
            end_ns = engine->devices[i]->pos_ns;
    struct wi_run_evidence run = wi_findings_run(engine->ledger, &engine->calls, end_ns);
    return wi_splits_of(&s->splits, arena, engine->ledger, &run, kept_share(reservoir_of(s)));
}

uint32_t wi_session_add(struct wi_session *s, const struct wi_change *change)
{
    if (s->plan_count == s->plan_room)
        return UINT32_MAX;
    struct wi_plan *plan = &s->plans[s->plan_count];
    plan->change = *change;
    plan->idle = NULL;
    if (wi_effects_of(&plan->effects, s->arena, &s->splits, &plan->change, &plan->rare_ns) != 0)
        return UINT32_MAX;
    return s->plan_count++;
}

/* ---- the replays */

static void set_rates(const struct wi_session *s, struct wi_effects *effects,
                      const struct wi_replay_model *model)
{
    double usual = s->link_rate > 0 ? SHARE_OF_LINK * s->link_rate : USUAL_COPY_RATE;
    for (int i = 0; i < WI_COPY_COUNT; i++) {
        double rate = model->copy_rate[i];
        if (effects->change->async_copies)
            rate = effects->change->copy_rate > 0 ? effects->change->copy_rate
                   : rate > 0                     ? rate
                                                  : usual * effects->change->unseen_rate;
        effects->copy_rate[i] = rate;
    }
}

/* How far the replay of what happened misses it, part by part. */
static void note_errors(struct wi_session *s, const struct wi_replayed *real,
                        const struct wi_replayed *base)
{
    for (uint32_t i = 1; i < real->marks && i < base->marks; i++) {
        int64_t took = real->mark_ns[i] - real->mark_ns[i - 1];
        int64_t said = base->mark_ns[i] - base->mark_ns[i - 1];
        if (took <= 0)
            continue;
        double off = (double)(said - took) / (double)took;
        wi_hist_add(&s->errors, (int64_t)((off < 0 ? -off : off) * 1e6)); /* in millionths */
    }
}

static uint32_t marks_for(const struct wi_session *s, int64_t length_ns)
{
    int64_t step = 0;
    for (uint32_t i = 0; i < s->engine->device_count; i++)
        if (s->engine->steps[i]) {
            struct wi_steps steps = wi_engine_steps(s->engine, s->engine->steps[i], length_ns);
            step = steps.count && steps.median_ns > step ? steps.median_ns : step;
        }
    int64_t marks = step ? length_ns / step : 10;
    return marks < 10 ? 10 : marks > (int64_t)WI_REPLAY_MARKS ? WI_REPLAY_MARKS : (uint32_t)marks;
}

/* The window of a recording that was imported begins with its first operation: what the host did
 * before is not in it. */
static void begin_at_device(const struct wi_session *s, struct wi_replay_model *model,
                            uint32_t block)
{
    int64_t first_ns = INT64_MAX;
    for (uint32_t i = 0; i < model->count; i++)
        if (model->moves[i].flags & WI_MOVE_OP && model->moves[i].kept->start_ns < first_ns)
            first_ns = model->moves[i].kept->start_ns;
    if (s->engine->config.imported && reservoir_of(s)->blocks[block].id == 1 && !model->first &&
        model->edge_ns == INT64_MIN && first_ns != INT64_MAX)
        model->edge_ns = first_ns;
}

/* Plans from..to - 1 over one block; the first pass, with plan 0, also looks at how well that meets
 * what happened. */
static int replay_block(struct wi_session *s, struct wi_arena *scratch, uint32_t block,
                        uint32_t from, uint32_t to)
{
    const struct wi_reservoir *reservoir = reservoir_of(s);
    uint32_t count = reservoir->blocks[block].count, place = block * WI_BLOCK_RECORDS;
    const struct wi_kept *records = &reservoir->records[place];
    struct wi_replay_model model;
    int err = wi_replay_model(&model, scratch, &s->engine->calls, records, count, place);
    if (!err)
        begin_at_device(s, &model, block);
    if (!err && model.waits_elsewhere && reservoir->blocks[block].id > 1)
        return WI_OK; /* it shows no work of its own; there are others, or were */
    struct wi_replay_state *state = err ? NULL : wi_replay_create(scratch, count);
    struct wi_replayed *got = wi_arena_alloc(scratch, 2 * sizeof(*got));
    if (!state || !got)
        return WI_ERR_NOMEM;
    wi_replay_measured(&model, &s->plans[0].effects, 1, &got[0]);
    uint32_t marks = marks_for(s, got[0].end_ns - got[0].start_ns);
    wi_replay_measured(&model, &s->plans[0].effects, marks, &got[0]);
    for (uint32_t i = from; i < to; i++) {
        set_rates(s, &s->plans[i].effects, &model);
        wi_replay(state, &model, &s->plans[i].effects, marks, &got[1]);
        s->plans[i].replayed_ns += got[1].end_ns - got[1].start_ns;
        if (s->plans[i].idle &&
            wi_replay_idle(s->plans[i].idle, scratch, &model, state, &got[1], &s->splits) != 0)
            return WI_ERR_NOMEM;
        if (!i)
            note_errors(s, &got[0], &got[1]);
    }
    if (from)
        return WI_OK;
    s->measured_ns += got[0].end_ns - got[0].start_ns;
    for (int i = 0; i <= WI_OP_GRAPH; i++)
        s->unexplained_ns[i] += model.unexplained_ns[i];
    s->replay.calls += count - model.first;
    for (uint32_t i = model.first; i < model.count; i++)
        s->operations += !!(model.moves[i].flags & WI_MOVE_OP);
    return WI_OK;
}

int wi_session_replay(struct wi_session *s, uint32_t from, uint32_t to)
{
    const struct wi_reservoir *reservoir = reservoir_of(s);
    struct wi_arena scratch;
    int err = WI_OK;
    wi_arena_init(&scratch, SCRATCH_BYTES);
    for (uint32_t block = 0; block < WI_BLOCKS && !err && reservoir->records; block++) {
        if (reservoir->blocks[block].count < (uint32_t)WI_LIMIT_REPLAY_LEAST_CALLS)
            continue;
        err = replay_block(s, &scratch, block, from, to);
        wi_arena_reset(&scratch);
    }
    wi_arena_free(&scratch);
    return err;
}

/* ---- what may be said */

static const char *unexplained_reason(const struct wi_session *s)
{
    static const char *const REASONS[] = {
        [WI_OP_KERNEL] = "kernels start late for a reason that was not recorded",
        [WI_OP_COPY] = "copies start late for a reason that was not recorded",
        [WI_OP_MEMSET] = "memory sets start late for a reason that was not recorded",
        [WI_OP_GRAPH] = "graphs start late for a reason that was not recorded"};
    int most = 0;
    for (int i = 1; i <= WI_OP_GRAPH; i++)
        if (s->unexplained_ns[i] > s->unexplained_ns[most])
            most = i;
    return REASONS[most];
}

/* A run that is kept whole, of which only a part stood between the cycles of its stretches. */
static int covers_too_little(const struct wi_session *s)
{
    const struct wi_engine *engine = s->engine;
    int64_t start = engine->calls.first_enter_ns, end = engine->calls.last_exit_ns;
    if (engine->config.imported || kept_share(reservoir_of(s)) < 1 || start == WI_UNKNOWN)
        return 0;
    return s->measured_ns * 2 < end - start;
}

/* Work without its call starts when it did, whatever changes. */
static int matches_too_little(const struct wi_session *s)
{
    const struct wi_coverage *coverage = &s->engine->coverage;
    return coverage->ops_matched * 2 < coverage->ops;
}

void wi_session_judge(struct wi_session *s)
{
    int64_t unexplained = 0, error = wi_hist_quantile(&s->errors, 500);
    for (int i = 0; i <= WI_OP_GRAPH; i++)
        unexplained += s->unexplained_ns[i];
    s->replay.covered_ns = s->measured_ns;
    s->replay.error = error == WI_UNKNOWN || error < 512 ? 0 : (double)error / 1e6;
    if (s->measured_ns > 0) /* delays side by side can add up to more */
        s->replay.unexplained =
            (double)wi_least(unexplained, s->measured_ns) / (double)s->measured_ns;
    if (s->engine->config.host_only)
        s->replay.withheld = "device times were not recorded, only host calls";
    else if (!reservoir_of(s)->records)
        s->replay.withheld = "there was no memory to keep stretches of the run";
    else if (s->measured_ns <= 0)
        s->replay.withheld = "there are too few calls to replay";
    else if (!s->operations)
        s->replay.withheld = "no device times have arrived";
    else if (matches_too_little(s))
        s->replay.withheld = "less than half of the device's work was matched to its calls";
    else if (covers_too_little(s))
        s->replay.withheld = "less than half of the run could be replayed";
    else if (s->replay.error * 1000 > WI_LIMIT_REPLAY_ERROR_PERMILLE)
        s->replay.withheld = "replaying the run misses its own steps by more than 5 %";
    else if (s->replay.unexplained * 1000 > WI_LIMIT_REPLAY_UNEXPLAINED_PERMILLE)
        s->replay.withheld = unexplained_reason(s);
}

double wi_session_whole_run(const struct wi_session *s, const struct wi_plan *plan)
{
    double window = (double)s->measured_ns;
    if (s->splits.rare_ns) {
        const struct wi_engine *engine = s->engine;
        int64_t first = engine->calls.first_enter_ns, last = engine->calls.last_exit_ns;
        window = (double)(last - first - s->splits.rare_ns);
    }
    double scale = window / (double)s->plans[0].replayed_ns;
    return (double)plan->replayed_ns * scale + (double)plan->rare_ns;
}

static double speedup_of(const struct wi_session *s, uint32_t plan)
{
    double after = wi_session_whole_run(s, &s->plans[plan]);
    return after > 0
               ? wi_session_whole_run(s, &s->plans[0]) / after * s->plans[plan].change.requests
               : 0;
}

static double between(double value, double low, double high)
{
    return value < low ? low : value > high ? high : value;
}

/* A faster device alone makes a run at most as many times as fast as it makes a kernel. */
static double most_times(const struct wi_change *change)
{
    double scale = change->kernel_scale * change->any_kernel_scale;
    int alone = change->universes == 1u << WI_UNIVERSE_GPU_2X;
    return alone && scale > 0 && scale < 1 ? 1 / scale : INFINITY;
}

struct wi_prediction wi_session_prediction(const struct wi_session *s, int universe,
                                           const uint32_t plans[3])
{
    struct wi_prediction out = {.universe = universe,
                                .step_before_ns = WI_UNKNOWN,
                                .step_after_ns = WI_UNKNOWN,
                                .withheld = s->replay.withheld};
    if (out.withheld)
        return out;
    double margin = s->replay.error > LEAST_MARGIN ? s->replay.error : LEAST_MARGIN;
    double most = most_times(&s->plans[plans[1]].change);
    out.speedup = between(speedup_of(s, plans[1]), 0, most);
    double weak = speedup_of(s, plans[0]), strong = speedup_of(s, plans[2]);
    out.low = between(weak, 0, out.speedup) / (1 + margin);
    out.high = between((strong > out.speedup ? strong : out.speedup) * (1 + margin), 0, most);
    out.before_ns = (int64_t)wi_session_whole_run(s, &s->plans[0]);
    out.after_ns = out.speedup > 0 ? (int64_t)((double)out.before_ns / out.speedup) : 0;
    return out;
}

/* ---- weaker and stronger */

static double soften(double scale, double by)
{
    return scale < 1 ? between(scale + by * (1 - scale), 0, 1) : scale;
}

static void soften_change(struct wi_change *change, double by)
{
    for (int i = 0; i < WI_SUB_COUNT; i++) {
        struct wi_host_change *host = &change->host[i];
        host->scale = soften(host->scale, by);
        host->stay_ns = (int64_t)((double)host->stay_ns * (1 + 2.5 * by));
        host->rate = 1 + (host->rate - 1) * (1 - by);
    }
    int faster_gpu = (change->universes >> WI_UNIVERSE_GPU_2X) & 1;
    if (by > 0 || !faster_gpu) /* no kernel gains more than the device does */
        change->kernel_scale = soften(change->kernel_scale, by);
    change->underfilled_scale = soften(change->underfilled_scale, by);
    if (change->any_kernel_scale < 1 && (by > 0 || !faster_gpu))
        change->any_kernel_scale = soften(change->any_kernel_scale, by);
    else if (change->any_kernel_scale > 1)
        change->any_kernel_scale = 1 + (change->any_kernel_scale - 1) * (1 + by);
    /* loaders start all at once, or one after the other */
    struct wi_host_change *start = &change->host[WI_SUB_LOADER_RECREATION];
    if (change->partly_serial && start->scale > 1)
        start->scale = by > 0 ? 2 * start->scale - 1 : 1;
    if (change->readback_every && by > 0) /* a value that is not read back is worked on elsewhere */
        change->moved = by;
    change->copy_rate *= 1 - by;
    change->unseen_rate *= 1 - by;
    change->pack_ns = (int64_t)((double)change->pack_ns * (1 + 2.5 * by));
}

void wi_session_variants(const struct wi_session *s, const struct wi_change *change,
                         struct wi_change out[3])
{
    out[0] = out[1] = out[2] = *change;
    if (change->guessed) {
        /* from little of what nobody has seen to all that it could be */
        out[0].underfilled_scale = (1 + change->underfilled_scale) / 2;
        out[2].underfilled_scale = change->underfilled_scale / 4;
        return;
    }
    soften_change(&out[0], SOFTER);
    soften_change(&out[2], -SOFTER);
    out[2].unseen_rate = change->unseen_rate * (s->link_rate > 0 ? FASTER_OF_LINK : FASTER_UNKNOWN);
    const struct wi_host_change *inline_input = &change->host[WI_SUB_DECODE_IN_MAIN_THREAD];
    if (s->splits.makes_input && (inline_input->scale != 1 || inline_input->rate != 1))
        out[0].other_host = BESIDE_WORKERS;
}

int wi_session_add_nothing(struct wi_session *s)
{
    struct wi_change nothing;
    wi_change_none(&nothing);
    return wi_session_add(s, &nothing) == UINT32_MAX ? WI_ERR_NOMEM : WI_OK;
}
