/* What the fixes that are told bring together, and what goes with one that saves more than its own
 * cause took; see predict.h. Threads: the engine's. */
#include "analyze/fixes.h"
#include "analyze/predict.h"
#include "analyze/predict_session.h"
#include "base/err.h"

/* One replay of nothing, one of each fix, three of each set of them. */
#define MOST_PLANS (1u + WI_FIXES + 3u * (WI_FIXES - 1))
#define WORK_BYTES ((size_t)4 << 20)
/* Of the time. What a fix saves beyond the share of its cause is told from here on: twice what the
 * range of a replay is off at least. */
#define BEYOND 0.02
/* A cause that is told takes this part of what is saved beyond. */
#define WORTH_TELLING 0.2

_Static_assert(WI_SUB_COUNT <= 64, "sets of causes are bits of 64");

struct fixes {
    struct wi_session *session;
    const struct wi_result *result;
    struct wi_predicted *predicted;
    const struct wi_finding *findings[WI_FIXES]; /* told, predicted, each of another cause */
    uint32_t alone[WI_FIXES];                    /* plan; 0 = nothing to look for */
    struct wi_idle idle[1 + WI_FIXES];           /* without a change, and with each fix */
    int count;
};

static uint64_t bit(enum wi_subcause subcause)
{
    return UINT64_C(1) << subcause;
}

/* Those of the fixes that a replay says something about. */
static int predicted_fixes(const struct wi_result *result, int fixes[WI_FIXES])
{
    int all[WI_FIXES], told = wi_fixes_candidates(result, all), count = 0;
    uint64_t seen = 0;
    for (int i = 0; i < told; i++) {
        const struct wi_finding *finding = &result->findings[all[i]];
        if (finding->predicted.withheld || finding->predicted.speedup <= 0 ||
            seen & bit(finding->subcause))
            continue;
        seen |= bit(finding->subcause);
        fixes[count++] = all[i];
    }
    return count;
}

static double beyond(const struct wi_finding *finding)
{
    return 1 - 1 / finding->predicted.speedup - finding->share;
}

static int add_alone(struct fixes *f)
{
    struct wi_change change;
    f->idle[0].device = WI_NO_DEVICE;
    for (int i = 0; i < f->count; i++) {
        if (beyond(f->findings[i]) < BEYOND)
            continue;
        if (f->idle[0].device == WI_NO_DEVICE)
            f->idle[0].device = f->findings[i]->device;
        f->session->plans[0].idle = &f->idle[0];
        wi_change_none(&change);
        wi_fix_change(&change, &f->findings[i], 1);
        f->alone[i] = wi_session_add(f->session, &change);
        if (f->alone[i] == UINT32_MAX)
            return WI_ERR_NOMEM;
        f->idle[1 + i].device = f->findings[i]->device;
        f->session->plans[f->alone[i]].idle = &f->idle[1 + i];
    }
    return WI_OK;
}

/* The first `count` fixes, a little weaker and stronger. */
static int add_together(struct fixes *f, int count, uint32_t plans[3])
{
    struct wi_change change, variants[3];
    wi_change_none(&change);
    wi_fix_change(&change, f->findings, count);
    wi_session_variants(f->session, &change, variants);
    for (int i = 0; i < count; i++)
        wi_fix_unlimited(&variants[2], (int)f->findings[i]->subcause);
    for (int i = 0; i < 3; i++)
        if ((plans[i] = wi_session_add(f->session, &variants[i])) == UINT32_MAX)
            return WI_ERR_NOMEM;
    return WI_OK;
}

/* ---- what goes with a fix */

/* Puts a cause among those that are kept, the largest first. */
static void keep_also(struct wi_prediction *p, enum wi_subcause subcause, int64_t ns)
{
    int at = p->also_count < WI_ALSO ? p->also_count++ : WI_ALSO;
    for (; at > 0 && p->also[at - 1].ns < ns; at--)
        if (at < WI_ALSO)
            p->also[at] = p->also[at - 1];
    if (at < WI_ALSO)
        p->also[at] = (struct wi_also){subcause, ns};
}

/* The part of a cause that goes, 0 to 1, of the share of the window that it was charged. */
static double share_gone(const struct wi_device_result *device, int cause,
                         const struct wi_idle *without, const struct wi_idle *with)
{
    double window = (double)(device->window_end_ns - device->window_start_ns);
    if (without->ns[cause] <= 0 || with->ns[cause] >= without->ns[cause])
        return 0;
    double part = 1 - (double)with->ns[cause] / (double)without->ns[cause];
    return part * (double)device->subcause_ns[cause] / window;
}

static const struct wi_device_result *device_of(const struct wi_result *result, int32_t id)
{
    int at = 0;
    while (at + 1 < result->device_count && result->devices[at].info.device != id)
        at++;
    return &result->devices[at];
}

static void find_also(struct fixes *f, const struct wi_finding *finding,
                      const struct wi_idle *without, const struct wi_idle *with)
{
    struct wi_prediction *p = &f->predicted->of_cause[finding->subcause];
    const struct wi_device_result *device = device_of(f->result, finding->device);
    double least = WORTH_TELLING * beyond(finding),
           replayed = (double)f->session->plans[0].replayed_ns;
    p->own_ns = (int64_t)((double)without->ns[finding->subcause] / replayed * (double)p->before_ns);
    for (int i = 0; i < WI_SUB_COUNT; i++) {
        double gone = i == WI_SUB_COMPUTE ? (double)(without->busy_ns - with->busy_ns) / replayed
                                          : share_gone(device, i, without, with);
        if (i != (int)finding->subcause && gone >= least)
            keep_also(p, (enum wi_subcause)i, (int64_t)(gone * (double)p->before_ns));
    }
}

/* The idle time of the run as it was, of another device: one pass more. */
static int look_at(struct fixes *f, int32_t device)
{
    f->idle[0] = (struct wi_idle){.device = device};
    uint32_t plan = f->session->plan_count;
    int err = wi_session_add_nothing(f->session);
    if (err)
        return err;
    f->session->plans[plan].idle = &f->idle[0];
    err = wi_session_replay(f->session, plan, plan + 1);
    f->session->plan_count = plan;
    return err;
}

static int explain(struct fixes *f)
{
    int err = WI_OK;
    for (int i = 0; i < f->count && !err; i++) {
        if (!f->alone[i])
            continue;
        if (f->idle[0].device != f->findings[i]->device)
            err = look_at(f, f->findings[i]->device);
        if (!err)
            find_also(f, f->findings[i], &f->idle[0], &f->idle[1 + i]);
    }
    return err;
}

/* ---- all of it */

static int replay_fixes(struct fixes *f)
{
    uint32_t plans[WI_FIXES - 1][3];
    int err = add_alone(f);
    for (int i = 0; i + 2 <= f->count && !err; i++)
        err = add_together(f, i + 2, plans[i]);
    err = err ? err : wi_session_replay(f->session, 0, f->session->plan_count);
    if (err)
        return err;
    wi_session_judge(f->session);
    uint64_t causes = f->count ? bit(f->findings[0]->subcause) : 0;
    for (int i = 0; i + 2 <= f->count; i++) {
        causes |= bit(f->findings[i + 1]->subcause);
        f->predicted->together[i].causes = causes;
        f->predicted->together[i].predicted = wi_session_prediction(f->session, -1, plans[i]);
    }
    return explain(f);
}

static int replay_in(struct wi_engine *engine, struct wi_arena *arena,
                     const struct wi_result *result)
{
    int fixes[WI_FIXES];
    struct fixes *f = wi_arena_alloc(arena, sizeof(*f));
    struct wi_session *session = wi_arena_alloc(arena, sizeof(*session));
    if (!f || !session)
        return WI_ERR_NOMEM;
    *f = (struct fixes){.session = session, .result = result, .predicted = &engine->predicted};
    f->count = predicted_fixes(result, fixes);
    int any = f->count > 1;
    for (int i = 0; i < f->count; i++) {
        f->findings[i] = &result->findings[fixes[i]];
        any |= beyond(f->findings[i]) >= BEYOND;
    }
    if (!any)
        return WI_OK;
    int err = wi_session_begin(session, engine, arena, MOST_PLANS + 1);
    err = err ? err : wi_session_add_nothing(session);
    return err ? err : replay_fixes(f);
}

/* The sets of fixes that this report tells, of those that were replayed. */
static void tell_together(const struct wi_predicted *predicted, struct wi_result *result)
{
    int fixes[WI_FIXES], count = predicted_fixes(result, fixes);
    uint64_t causes = count ? bit(result->findings[fixes[0]].subcause) : 0;
    for (int i = 1; i < count; i++) {
        causes |= bit(result->findings[fixes[i]].subcause);
        if (predicted->together[i - 1].causes != causes)
            return;
        struct wi_together *out = &result->together[result->together_count++];
        *out =
            (struct wi_together){.count = i + 1, .predicted = predicted->together[i - 1].predicted};
        for (int k = 0; k <= i; k++)
            out->findings[k] = fixes[k];
        wi_predict_steps(result, result->findings[fixes[i]].device, &out->predicted);
    }
}

int wi_predict_fixes(struct wi_engine *engine, struct wi_result *result)
{
    struct wi_predicted *predicted = &engine->predicted;
    int err = WI_OK;
    if (!predicted->calls || predicted->replay.withheld)
        return WI_OK;
    if (!predicted->fixes_known++) {
        struct wi_arena work;
        wi_arena_init(&work, WORK_BYTES);
        err = replay_in(engine, &work, result);
        wi_arena_free(&work);
    }
    for (int i = 0; i < result->finding_count; i++) {
        const struct wi_prediction *of = &predicted->of_cause[result->findings[i].subcause];
        result->findings[i].predicted.own_ns = of->own_ns;
        result->findings[i].predicted.also_count = of->also_count;
        for (int k = 0; k < of->also_count; k++)
            result->findings[i].predicted.also[k] = of->also[k];
    }
    tell_together(predicted, result);
    return err;
}
