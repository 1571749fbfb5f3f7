/* Predictions, see predict.h and docs/predictions.md.
 * Threads: the engine's. */
#include "analyze/predict.h"

#include <string.h>

#include "analyze/effects.h"
#include "analyze/engine_state.h"
#include "analyze/limits.h"
#include "analyze/remedies.h"
#include "analyze/replay.h"
#include "base/err.h"

/* A change, one a little weaker and one a little stronger: a fix seldom brings all of it. */
#define SOFTER 0.1
/* The launching thread's other time, once other processes work beside it: up to this factor between
 * two real runs of one training, with and without loader workers. */
#define BESIDE_WORKERS 1.3
/* Host and device clocks, and one run to the next, differ by this much even where nothing changes.
 */
#define LEAST_MARGIN 0.01
/* A change of less than this in a replay is none. */
#define NOTHING 0.002
/* A report in between predicts anew when the run has this many times the calls of last time: all of
 * them together cost a fraction of a percent of the run. */
#define GROWN 4
/* PCIe 3.0 x16, the slowest link of a card in use, moves this much from page-locked memory. */
#define USUAL_COPY_RATE 12.0
#define SCRATCH_BYTES   ((size_t)24 << 20)
#define MOST_PLANS      (3u * (WI_UNIVERSE_COUNT + WI_SUB_COUNT) + 1)

struct plan {
    struct wi_change change;
    struct wi_effects effects;
    int64_t rare_ns;
    int64_t replayed_ns;
};

struct session {
    struct wi_engine *engine;
    struct wi_arena *arena;
    struct wi_splits splits;
    struct plan *plans; /* [0] changes nothing */
    uint32_t plan_count, plan_room;
    struct wi_replay replay;
    int64_t measured_ns, unexplained_ns[WI_OP_GRAPH + 1];
    struct wi_hist errors; /* of equal parts, in permyriads */
};

static const struct wi_reservoir *reservoir_of(const struct session *s)
{
    return &s->engine->calls.reservoir;
}

static double kept_share(const struct wi_reservoir *reservoir)
{
    return reservoir->candidate <= WI_BLOCKS ? 1 : (double)WI_BLOCKS / (double)reservoir->candidate;
}

static int begin(struct session *s, struct wi_engine *engine, struct wi_arena *arena, uint32_t room)
{
    *s = (struct session){.engine = engine, .arena = arena, .plan_room = room};
    s->plans = wi_arena_alloc(arena, room * sizeof(*s->plans));
    if (!s->plans)
        return WI_ERR_NOMEM;
    struct wi_run_evidence run = wi_findings_run(engine->ledger, &engine->calls);
    return wi_splits_of(&s->splits, arena, engine->ledger, &run, kept_share(reservoir_of(s)));
}

/* Adds a change to replay; its index, or UINT32_MAX without memory. */
static uint32_t add_plan(struct session *s, const struct wi_change *change)
{
    struct plan *plan = &s->plans[s->plan_count];
    plan->change = *change;
    if (s->plan_count == s->plan_room ||
        wi_effects_of(&plan->effects, s->arena, &s->splits, &plan->change, &plan->rare_ns) != 0)
        return UINT32_MAX;
    return s->plan_count++;
}

/* ---- the replays */

static void set_rates(struct wi_effects *effects, const struct wi_replay_model *model)
{
    for (int i = 0; i < WI_COPY_COUNT; i++) {
        double rate = model->copy_rate[i];
        if (effects->change->async_copies)
            rate = effects->change->copy_rate > 0 ? effects->change->copy_rate
                   : rate > 0                     ? rate
                                                  : USUAL_COPY_RATE;
        effects->copy_rate[i] = rate;
    }
}

/* How far the replay of what happened misses it, part by part. */
static void note_errors(struct session *s, const struct wi_replayed *real,
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

static uint32_t marks_for(const struct session *s, int64_t length_ns)
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

/* Plans from..to - 1 over one block; the first pass, with plan 0, also looks at how well that meets
 * what happened. */
static int replay_block(struct session *s, struct wi_arena *scratch, uint32_t block, uint32_t from,
                        uint32_t to)
{
    const struct wi_reservoir *reservoir = reservoir_of(s);
    uint32_t count = reservoir->blocks[block].count, place = block * WI_BLOCK_RECORDS;
    const struct wi_kept *records = &reservoir->records[place];
    struct wi_replay_model model;
    int err = wi_replay_model(&model, scratch, &s->engine->calls, records, count, place);
    struct wi_replay_state *state = err ? NULL : wi_replay_create(scratch, count);
    struct wi_replayed *got = wi_arena_alloc(scratch, 2 * sizeof(*got));
    if (!state || !got)
        return WI_ERR_NOMEM;
    wi_replay_measured(&model, &s->plans[0].effects, 1, &got[0]);
    uint32_t marks = marks_for(s, got[0].end_ns - got[0].start_ns);
    wi_replay_measured(&model, &s->plans[0].effects, marks, &got[0]);
    for (uint32_t i = from; i < to; i++) {
        set_rates(&s->plans[i].effects, &model);
        wi_replay(state, &model, &s->plans[i].effects, marks, &got[1]);
        s->plans[i].replayed_ns += got[1].end_ns - got[1].start_ns;
        if (!i)
            note_errors(s, &got[0], &got[1]);
    }
    if (from)
        return WI_OK;
    s->measured_ns += got[0].end_ns - got[0].start_ns;
    for (int i = 0; i <= WI_OP_GRAPH; i++)
        s->unexplained_ns[i] += model.unexplained_ns[i];
    s->replay.calls += count - model.first;
    return WI_OK;
}

static int replay_all(struct session *s, uint32_t from, uint32_t to)
{
    const struct wi_reservoir *reservoir = reservoir_of(s);
    int err = WI_OK;
    for (uint32_t block = 0; block < WI_BLOCKS && !err && reservoir->records; block++) {
        if (reservoir->blocks[block].count < (uint32_t)WI_LIMIT_REPLAY_LEAST_CALLS)
            continue;
        struct wi_arena scratch;
        wi_arena_init(&scratch, SCRATCH_BYTES);
        err = replay_block(s, &scratch, block, from, to);
        wi_arena_free(&scratch);
    }
    return err;
}

/* ---- what may be said */

static const char *unexplained_reason(const struct session *s)
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

static void judge(struct session *s)
{
    int64_t unexplained = 0, error = wi_hist_quantile(&s->errors, 500);
    for (int i = 0; i <= WI_OP_GRAPH; i++)
        unexplained += s->unexplained_ns[i];
    s->replay.covered_ns = s->measured_ns;
    s->replay.error = error == WI_UNKNOWN || error < 512 ? 0 : (double)error / 1e6;
    if (s->measured_ns > 0)
        s->replay.unexplained = (double)unexplained / (double)s->measured_ns;
    if (s->engine->config.host_only)
        s->replay.withheld = "device times were not recorded, only host calls";
    else if (!reservoir_of(s)->records)
        s->replay.withheld = "there was no memory to keep stretches of the run";
    else if (s->measured_ns <= 0)
        s->replay.withheld = "there are too few calls to replay";
    else if (s->replay.error * 1000 > WI_LIMIT_REPLAY_ERROR_PERMILLE)
        s->replay.withheld = "replaying the run misses its own steps by more than 5 %";
    else if (s->replay.unexplained * 1000 > WI_LIMIT_REPLAY_UNEXPLAINED_PERMILLE)
        s->replay.withheld = unexplained_reason(s);
}

/* Time of the whole run with a plan: the kept stretches stand for all but what is accounted apart.
 */
static double whole_run(const struct session *s, const struct plan *plan)
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

static double speedup_of(const struct session *s, uint32_t plan)
{
    double after = whole_run(s, &s->plans[plan]);
    return after > 0 ? whole_run(s, &s->plans[0]) / after * s->plans[plan].change.requests : 0;
}

static double between(double value, double low, double high)
{
    return value < low ? low : value > high ? high : value;
}

/* weak, exact, strong: plans. */
static struct wi_prediction prediction_of(const struct session *s, int universe,
                                          const uint32_t plans[3])
{
    struct wi_prediction out = {.universe = universe,
                                .step_before_ns = WI_UNKNOWN,
                                .step_after_ns = WI_UNKNOWN,
                                .withheld = s->replay.withheld};
    if (out.withheld)
        return out;
    double margin = s->replay.error > LEAST_MARGIN ? s->replay.error : LEAST_MARGIN;
    out.speedup = speedup_of(s, plans[1]);
    double weak = speedup_of(s, plans[0]), strong = speedup_of(s, plans[2]);
    out.low = between(weak, 0, out.speedup) / (1 + margin);
    out.high = (strong > out.speedup ? strong : out.speedup) * (1 + margin);
    out.before_ns = (int64_t)whole_run(s, &s->plans[0]);
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
    change->kernel_scale = soften(change->kernel_scale, by);
    change->underfilled_scale = soften(change->underfilled_scale, by);
    if (change->any_kernel_scale < 1)
        change->any_kernel_scale = soften(change->any_kernel_scale, by);
    else
        change->any_kernel_scale = 1 + (change->any_kernel_scale - 1) * (1 + by);
    change->copy_rate *= 1 - by;
    change->pack_ns = (int64_t)((double)change->pack_ns * (1 + 2.5 * by));
}

/* The change as it is (1), a weaker (0) and a stronger one (2). */
static void variants_of(const struct session *s, const struct wi_change *change,
                        struct wi_change out[3])
{
    out[0] = out[1] = out[2] = *change;
    soften_change(&out[0], SOFTER);
    soften_change(&out[2], -SOFTER);
    const struct wi_host_change *inline_input = &change->host[WI_SUB_DECODE_IN_MAIN_THREAD];
    if (s->splits.makes_input && (inline_input->scale != 1 || inline_input->rate != 1))
        out[0].other_host = BESIDE_WORKERS;
}

static int add_nothing(struct session *s)
{
    struct wi_change nothing;
    wi_change_none(&nothing);
    return add_plan(s, &nothing) == UINT32_MAX ? WI_ERR_NOMEM : WI_OK;
}

int wi_predict_change(struct wi_engine *engine, struct wi_arena *arena,
                      const struct wi_change *change, struct wi_prediction *out)
{
    struct session *s = wi_arena_alloc(arena, sizeof(*s));
    struct wi_change variants[3];
    uint32_t plans[3] = {1, 2, 3};
    if (!s)
        return WI_ERR_NOMEM;
    int err = begin(s, engine, arena, 4);
    err = err ? err : add_nothing(s);
    variants_of(s, change, variants);
    for (int i = 0; i < 3 && !err; i++)
        err = add_plan(s, &variants[i]) == UINT32_MAX ? WI_ERR_NOMEM : WI_OK;
    err = err ? err : replay_all(s, 0, s->plan_count);
    if (err)
        return err;
    judge(s);
    int universe = -1;
    for (int i = 0; i < WI_UNIVERSE_COUNT; i++)
        if (change->universes == 1u << i)
            universe = i;
    *out = prediction_of(s, universe, plans);
    return WI_OK;
}

/* ---- the predictions of a report */

/* The change that stands for the fix of one finding. */
static void change_for(const struct wi_finding *finding, const struct wi_remedy *remedy,
                       struct wi_change *change)
{
    wi_change_none(change);
    change->universes = 1u << remedy->universe;
    if (remedy->universe == WI_UNIVERSE_HOST_OTHER_FREE ||
        remedy->universe == WI_UNIVERSE_INPUT_READY) {
        change->host[finding->subcause].scale = 0; /* this cause alone */
        return;
    }
    wi_change_add(change, (enum wi_universe)remedy->universe);
    if (finding->subcause != WI_SUB_TOO_FEW_WORKERS)
        return;
    /* as many more workers as there are cores without work, or input that is always ready */
    if (finding->children > 0 && finding->cores_idle_permille > 0)
        change->host[finding->subcause].rate =
            1 + (double)finding->cores_idle_permille / 1000 / (double)finding->children;
    else
        change->host[finding->subcause].scale = 0;
}

struct wanted {
    int universe, subcause; /* one of them, the other -1 */
    uint32_t plans[3];
};

static int copies_of(const struct wi_tables *tables, int direction)
{
    int any = 0;
    for (uint32_t i = 0; i < tables->copy_count; i++)
        any |= tables->copies[i].count > 0 &&
               (direction < 0 || tables->copies[i].direction == direction);
    return any;
}

/* 0 if there is nothing in the run that the change is about: no replay is needed to say so. */
static int may_matter(const struct session *s, const struct wi_change *change)
{
    const struct wi_tables *tables = s->engine->tables;
    const struct wi_call_row *syncs = &s->engine->call_rows[WI_API_SYNC];
    int copies = change->async_copies || change->coalesce || change->link_factor != 1;
    int kernels = change->kernel_scale != 1 || change->underfilled_scale != 1 ||
                  change->any_kernel_scale != 1 || change->spacing_ns;
    return kernels || (copies && copies_of(tables, -1)) ||
           (change->readback_every && (copies_of(tables, WI_COPY_D2H) || syncs->count)) ||
           (change->least_collectives && tables->collectives.count) || change->other_host != 1 ||
           wi_effects_matter(&s->splits, change);
}

static int want(struct session *s, struct wanted *wanted, uint32_t *count, int universe,
                int subcause, const struct wi_change *change)
{
    uint32_t plan = may_matter(s, change) ? add_plan(s, change) : 0;
    wanted[(*count)++] = (struct wanted){universe, subcause, {plan, plan, plan}};
    return plan == UINT32_MAX ? WI_ERR_NOMEM : WI_OK;
}

/* Weaker and stronger variants of those changes that do anything to this run: most do not. */
static int want_variants(struct session *s, struct wanted *wanted, uint32_t count)
{
    double before = whole_run(s, &s->plans[0]);
    int err = WI_OK;
    for (uint32_t i = 0; i < count && !err; i++) {
        const struct plan *plan = &s->plans[wanted[i].plans[1]];
        struct wi_change variants[3];
        double off = whole_run(s, plan) / before - 1;
        if (off < NOTHING && off > -NOTHING)
            continue;
        variants_of(s, &plan->change, variants);
        wanted[i].plans[0] = add_plan(s, &variants[0]);
        wanted[i].plans[2] = add_plan(s, &variants[2]);
        err = wanted[i].plans[2] == UINT32_MAX ? WI_ERR_NOMEM : WI_OK;
    }
    return err;
}

static int want_all(struct session *s, const struct wi_result *result, struct wanted *wanted,
                    uint32_t *count)
{
    int done[WI_SUB_COUNT] = {0}, err = WI_OK;
    struct wi_change change;
    for (int i = 0; i < WI_UNIVERSE_COUNT && !err; i++) {
        if (i == WI_UNIVERSE_BATCHED)
            continue; /* it needs a figure that nobody has seen */
        wi_change_none(&change);
        wi_change_add(&change, (enum wi_universe)i);
        err = want(s, wanted, count, i, -1, &change);
    }
    for (int i = 0; i < result->finding_count && !err; i++) {
        const struct wi_finding *finding = &result->findings[i];
        const struct wi_remedy *remedy = wi_remedy_of(finding->subcause);
        if (!remedy || done[finding->subcause]++ || remedy->universe == WI_UNIVERSE_BATCHED ||
            remedy->universe == WI_UNIVERSE_REQUESTS)
            continue;
        change_for(finding, remedy, &change);
        err = want(s, wanted, count, -1, finding->subcause, &change);
    }
    return err;
}

static struct wi_prediction silent(const char *why)
{
    return (struct wi_prediction){
        .universe = -1, .step_before_ns = WI_UNKNOWN, .step_after_ns = WI_UNKNOWN, .withheld = why};
}

static void forget(struct wi_predicted *predicted)
{
    *predicted = (struct wi_predicted){0};
    for (int i = 0; i < WI_UNIVERSE_COUNT; i++)
        predicted->of_universe[i] = silent("it depends on how many requests come together");
    for (int i = 0; i < WI_SUB_COUNT; i++) {
        const struct wi_remedy *remedy = wi_remedy_of((enum wi_subcause)i);
        const char *why = "what a fix of this would bring is not something that a replay shows";
        if (remedy && remedy->universe == WI_UNIVERSE_REQUESTS)
            why = "no fix in the job makes requests come";
        else if (remedy && remedy->universe == WI_UNIVERSE_BATCHED)
            why = "it depends on how many requests come together";
        predicted->of_cause[i] = silent(why);
    }
}

static int predict_anew(struct wi_engine *engine, struct wi_arena *arena,
                        const struct wi_result *result)
{
    struct wi_predicted *predicted = &engine->predicted;
    struct wanted *wanted =
        wi_arena_alloc(arena, (WI_UNIVERSE_COUNT + WI_SUB_COUNT) * sizeof(*wanted));
    struct session *s = wi_arena_alloc(arena, sizeof(*s));
    uint32_t count = 0;
    if (!wanted || !s)
        return WI_ERR_NOMEM;
    int err = begin(s, engine, arena, MOST_PLANS);
    err = err ? err : add_nothing(s);
    err = err ? err : want_all(s, result, wanted, &count);
    uint32_t exact = s->plan_count;
    err = err ? err : replay_all(s, 0, exact);
    if (!err)
        judge(s);
    if (!err && !s->replay.withheld) {
        err = want_variants(s, wanted, count);
        err = err ? err : replay_all(s, exact, s->plan_count);
    }
    if (err)
        return err;
    forget(predicted);
    predicted->replay = s->replay;
    predicted->calls = engine->calls.pushed;
    for (uint32_t i = 0; i < count; i++) {
        if (wanted[i].universe >= 0)
            predicted->of_universe[wanted[i].universe] =
                prediction_of(s, wanted[i].universe, wanted[i].plans);
        else
            predicted->of_cause[wanted[i].subcause] = prediction_of(
                s, wi_remedy_of((enum wi_subcause)wanted[i].subcause)->universe, wanted[i].plans);
    }
    return WI_OK;
}

/* Mean length of a step of the device, WI_UNKNOWN without steps. */
static int64_t step_of(const struct wi_result *result, int32_t device)
{
    for (int i = 0; i < result->device_count; i++) {
        const struct wi_steps *steps = &result->devices[i].steps;
        if (result->devices[i].used && steps->count > 1 &&
            (device == WI_NO_DEVICE || result->devices[i].info.device == device))
            return (steps->last_ns - steps->start_ns) / (int64_t)(steps->count - 1);
    }
    return WI_UNKNOWN;
}

static void set_step(struct wi_prediction *prediction, int64_t step_ns)
{
    if (prediction->withheld || step_ns == WI_UNKNOWN || prediction->speedup <= 0)
        return;
    prediction->step_before_ns = step_ns;
    prediction->step_after_ns = (int64_t)((double)step_ns / prediction->speedup);
}

/* What a finding is worth: the share of the time that its fix saves, but no more than its own: a
 * fix may bring other things with it, which are not this cause's. */
static double worth_of(const struct wi_finding *finding)
{
    const struct wi_prediction *predicted = &finding->predicted;
    if (predicted->withheld || predicted->speedup <= 0)
        return finding->share;
    double saved = 1 - 1 / predicted->speedup;
    return saved < finding->share ? saved : finding->share;
}

static void order_by_worth(struct wi_result *result)
{
    for (int i = 1; i < result->finding_count; i++) {
        struct wi_finding one = result->findings[i];
        int at = i;
        for (; at > 0 && worth_of(&result->findings[at - 1]) < worth_of(&one); at--)
            result->findings[at] = result->findings[at - 1];
        result->findings[at] = one;
    }
}

int wi_predict_result(struct wi_engine *engine, struct wi_arena *arena, struct wi_result *result)
{
    struct wi_predicted *predicted = &engine->predicted;
    int due = engine->finished || engine->calls.pushed >= GROWN * predicted->calls;
    int err = due ? predict_anew(engine, arena, result) : WI_OK;
    if (err)
        return err;
    result->replay = predicted->replay;
    result->predictions = wi_arena_alloc(arena, WI_UNIVERSE_COUNT * sizeof(*result->predictions));
    if (!result->predictions)
        return WI_ERR_NOMEM;
    for (int i = 0; i < WI_UNIVERSE_COUNT; i++) {
        if (i == WI_UNIVERSE_BATCHED)
            continue;
        struct wi_prediction *out = &result->predictions[result->prediction_count++];
        *out = predicted->of_universe[i];
        out->universe = i;
        set_step(out, step_of(result, WI_NO_DEVICE));
    }
    for (int i = 0; i < result->finding_count; i++) {
        struct wi_finding *finding = &result->findings[i];
        finding->predicted = predicted->of_cause[finding->subcause];
        set_step(&finding->predicted, step_of(result, finding->device));
    }
    order_by_worth(result);
    return WI_OK;
}
