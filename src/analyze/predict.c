/* Predictions, see predict.h and docs/predictions.md.
 * Threads: the engine's. */
#include "analyze/predict.h"

#include "analyze/fixes.h"
#include "analyze/predict_session.h"
#include "analyze/remedies.h"
#include "base/err.h"

/* A change of less than this in a replay is none. */
#define NOTHING 0.002
/* A report in between predicts anew when the run has this many times the calls of last time, and
 * not while it is young: all of them together cost well below half a percent of a core. */
#define GROWN    4
#define YOUNG_NS INT64_C(30000000000)
/* 41 KiB for each plan, and the splits of all signatures. */
#define WORK_BYTES ((size_t)12 << 20)
#define MOST_PLANS (3u * (WI_UNIVERSE_COUNT + WI_SUB_COUNT) + 1)
/* More requests than this in a pass fill the device anyway, and keep the first one waiting. */
#define MOST_BATCH 8
/* Of the device's memory; the rest is for fragments and peaks. */
#define USABLE_MEMORY 0.9

int wi_predict_change(struct wi_engine *engine, struct wi_arena *arena,
                      const struct wi_change *change, struct wi_prediction *out)
{
    struct wi_session *s = wi_arena_alloc(arena, sizeof(*s));
    struct wi_change variants[3];
    uint32_t plans[3] = {1, 2, 3};
    if (!s)
        return WI_ERR_NOMEM;
    int err = wi_session_begin(s, engine, arena, 4);
    err = err ? err : wi_session_add_nothing(s);
    wi_session_variants(s, change, variants);
    for (int i = 0; i < 3 && !err; i++)
        err = wi_session_add(s, &variants[i]) == UINT32_MAX ? WI_ERR_NOMEM : WI_OK;
    err = err ? err : wi_session_replay(s, 0, s->plan_count);
    if (err)
        return err;
    wi_session_judge(s);
    int universe = -1;
    for (int i = 0; i < WI_UNIVERSE_COUNT; i++)
        if (change->universes == 1u << i)
            universe = i;
    *out = wi_session_prediction(s, universe, plans);
    return WI_OK;
}

/* ---- the predictions of a report */

int wi_predict_batch(const struct wi_result *result, int32_t device)
{
    int64_t total = 0, free_bytes = result->host.gpu_memory_free_bytes;
    for (int i = 0; i < result->device_count; i++)
        if (result->devices[i].info.device == device)
            total = (int64_t)result->devices[i].info.memory_bytes;
    if (free_bytes <= 0 || total <= free_bytes)
        return 0; /* also where it is not known */
    double fits = USABLE_MEMORY * (double)total / (double)(total - free_bytes);
    return fits < 2 ? 1 : fits > MOST_BATCH ? MOST_BATCH : (int)fits;
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
static int may_matter(const struct wi_session *s, const struct wi_change *change)
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

static int want(struct wi_session *s, struct wanted *wanted, uint32_t *count, int universe,
                int subcause, const struct wi_change *change)
{
    uint32_t plan = may_matter(s, change) ? wi_session_add(s, change) : 0;
    wanted[(*count)++] = (struct wanted){universe, subcause, {plan, plan, plan}};
    return plan == UINT32_MAX ? WI_ERR_NOMEM : WI_OK;
}

/* Weaker and stronger variants of those changes that do anything to this run: most do not. */
static int want_variants(struct wi_session *s, struct wanted *wanted, uint32_t count)
{
    double before = wi_session_whole_run(s, &s->plans[0]);
    int err = WI_OK;
    for (uint32_t i = 0; i < count && !err; i++) {
        const struct wi_plan *plan = &s->plans[wanted[i].plans[1]];
        struct wi_change variants[3];
        double off = wi_session_whole_run(s, plan) / before - 1;
        wi_session_variants(s, &plan->change, variants);
        int limited = wanted[i].subcause >= 0 && wi_fix_unlimited(&variants[2], wanted[i].subcause);
        if (off < NOTHING && off > -NOTHING && !limited)
            continue;
        wanted[i].plans[0] = wi_session_add(s, &variants[0]);
        wanted[i].plans[2] = wi_session_add(s, &variants[2]);
        if (wanted[i].plans[0] == UINT32_MAX || wanted[i].plans[2] == UINT32_MAX)
            err = WI_ERR_NOMEM;
    }
    return err;
}

static int want_all(struct wi_session *s, const struct wi_result *result, struct wanted *wanted,
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
        if (!remedy || done[finding->subcause]++ || remedy->universe == WI_UNIVERSE_REQUESTS ||
            remedy->universe == WI_UNIVERSE_BATCHED) /* memory for a batch is no batch that waits */
            continue;
        wi_change_none(&change);
        wi_fix_change(&change, &finding, 1);
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
            why = "how many requests would come together is not known";
        predicted->of_cause[i] = silent(why);
    }
}

static int predict_in(struct wi_engine *engine, struct wi_arena *arena,
                      const struct wi_result *result)
{
    struct wi_predicted *predicted = &engine->predicted;
    struct wanted *wanted =
        wi_arena_alloc(arena, (WI_UNIVERSE_COUNT + WI_SUB_COUNT) * sizeof(*wanted));
    struct wi_session *s = wi_arena_alloc(arena, sizeof(*s));
    uint32_t count = 0;
    if (!wanted || !s)
        return WI_ERR_NOMEM;
    int err = wi_session_begin(s, engine, arena, MOST_PLANS);
    err = err ? err : wi_session_add_nothing(s);
    err = err ? err : want_all(s, result, wanted, &count);
    uint32_t exact = s->plan_count;
    err = err ? err : wi_session_replay(s, 0, exact);
    if (!err)
        wi_session_judge(s);
    if (!err && !s->replay.withheld) {
        err = want_variants(s, wanted, count);
        err = err ? err : wi_session_replay(s, exact, s->plan_count);
    }
    if (err)
        return err;
    forget(predicted);
    predicted->replay = s->replay;
    predicted->calls = engine->calls.pushed;
    for (uint32_t i = 0; i < count; i++) {
        if (wanted[i].universe >= 0)
            predicted->of_universe[wanted[i].universe] =
                wi_session_prediction(s, wanted[i].universe, wanted[i].plans);
        else
            predicted->of_cause[wanted[i].subcause] = wi_session_prediction(
                s, wi_remedy_of((enum wi_subcause)wanted[i].subcause)->universe, wanted[i].plans);
    }
    return WI_OK;
}

/* The plans take more room than a report, and nothing of them is needed afterwards. */
static int predict_anew(struct wi_engine *engine, const struct wi_result *result)
{
    struct wi_arena work;
    wi_arena_init(&work, WORK_BYTES);
    int err = predict_in(engine, &work, result);
    wi_arena_free(&work);
    return err;
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

void wi_predict_steps(const struct wi_result *result, int32_t device,
                      struct wi_prediction *prediction)
{
    int64_t step_ns = step_of(result, device);
    if (prediction->withheld || step_ns == WI_UNKNOWN || prediction->speedup <= 0)
        return;
    prediction->step_before_ns = step_ns;
    prediction->step_after_ns = (int64_t)((double)step_ns / prediction->speedup);
}

/* What a finding is worth: the share of the time that its fix saves, but no more than its own: a
 * fix may bring other things with it, which are not this cause's. paced: requests set the pace, no
 * fix changes the time of the run, and what it saves is told as latency and capacity. */
static double worth_of(const struct wi_finding *finding, int paced)
{
    const struct wi_prediction *predicted = &finding->predicted;
    if (paced || predicted->withheld || predicted->speedup <= 0)
        return finding->share;
    double saved = 1 - 1 / predicted->high;
    return saved < finding->share ? saved : finding->share;
}

/* Findings that are worth the same within half a percent of the time stand by their own time: what
 * differs less is within the error of a replay. */
static int goes_before(const struct wi_finding *a, const struct wi_finding *b, int paced)
{
    int worth_a = (int)(worth_of(a, paced) * 200), worth_b = (int)(worth_of(b, paced) * 200);
    return worth_a != worth_b ? worth_a > worth_b : a->ns > b->ns;
}

static void order_by_worth(struct wi_result *result)
{
    int paced = 0;
    for (int i = 0; i < result->finding_count; i++)
        paced |= wi_subcause_class(result->findings[i].subcause) == WI_CLASS_NO_WORK;
    for (int i = 1; i < result->finding_count; i++) {
        struct wi_finding one = result->findings[i];
        int at = i;
        for (; at > 0 && goes_before(&one, &result->findings[at - 1], paced); at--)
            result->findings[at] = result->findings[at - 1];
        result->findings[at] = one;
    }
}

static int is_grown(const struct wi_engine *engine)
{
    const struct wi_calls *calls = &engine->calls;
    return calls->first_enter_ns != WI_UNKNOWN &&
           calls->last_exit_ns - calls->first_enter_ns >= YOUNG_NS &&
           calls->pushed >= GROWN * engine->predicted.calls;
}

/* Until something was predicted. */
static void wait_for_more(struct wi_predicted *predicted)
{
    forget(predicted);
    predicted->replay.withheld = "nothing is predicted before the job ends or has run for 30 s";
    for (int i = 0; i < WI_UNIVERSE_COUNT; i++)
        predicted->of_universe[i].withheld = predicted->replay.withheld;
    for (int i = 0; i < WI_SUB_COUNT; i++)
        predicted->of_cause[i].withheld = predicted->replay.withheld;
}

int wi_predict_result(struct wi_engine *engine, struct wi_arena *arena, struct wi_result *result)
{
    struct wi_predicted *predicted = &engine->predicted;
    int due = engine->finished || is_grown(engine);
    int err = due ? predict_anew(engine, result) : WI_OK;
    if (err)
        return err;
    if (!predicted->calls && !engine->finished)
        wait_for_more(predicted);
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
        wi_predict_steps(result, WI_NO_DEVICE, out);
    }
    for (int i = 0; i < result->finding_count; i++) {
        struct wi_finding *finding = &result->findings[i];
        finding->predicted = predicted->of_cause[finding->subcause];
        wi_predict_steps(result, finding->device, &finding->predicted);
    }
    order_by_worth(result);
    return WI_OK;
}
