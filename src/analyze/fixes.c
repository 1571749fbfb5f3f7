/* Fixes and the changes that stand for them, see fixes.h.
 * Threads: any. Pure. */
#include "analyze/fixes.h"

#include "analyze/limits.h"
#include "analyze/remedies.h"

static int is_candidate(const struct wi_finding *finding)
{
    return finding->fix && finding->fix[0] &&
           wi_class_is_stall(wi_subcause_class(finding->subcause)) &&
           finding->share * 1000 >= (double)WI_LIMIT_VERDICT_PERMILLE;
}

static int is_more(double speedup, double than)
{
    return speedup * 1000 >= than * (1000 + WI_LIMIT_FIX_GAIN_PERMILLE);
}

/* In half percents of the time: what differs less is within the error of a replay. 0 where a replay
 * promises nothing: it is not known, or only how much it is at most. */
static int gain_of(const struct wi_finding *finding)
{
    const struct wi_prediction *alone = &finding->predicted;
    if (alone->withheld || alone->speedup <= 0 || !is_more(alone->speedup, 1))
        return 0;
    return (int)((1 - 1 / alone->speedup) * 200);
}

/* By what a replay promises, the largest first. What it says nothing about keeps its place: there
 * is nothing to compare it with. */
static void order_by_gain(const struct wi_result *result, int *fixes, int count)
{
    int slots[WI_FIXES], known[WI_FIXES], used = 0;
    for (int i = 0; i < count; i++) {
        int gain = gain_of(&result->findings[fixes[i]]), at = used;
        if (!gain)
            continue;
        for (; at > 0 && gain_of(&result->findings[known[at - 1]]) < gain; at--)
            known[at] = known[at - 1];
        known[at] = fixes[i];
        slots[used++] = i;
    }
    for (int i = 0; i < used; i++)
        fixes[slots[i]] = known[i];
}

int wi_fixes_candidates(const struct wi_result *result, int fixes[WI_FIXES])
{
    int count = 0, first = result->verdict.finding;
    if (first >= 0 && first < result->finding_count && is_candidate(&result->findings[first]))
        fixes[count++] = first;
    for (int i = 0; i < result->finding_count && count < WI_FIXES; i++)
        if (i != first && is_candidate(&result->findings[i]))
            fixes[count++] = i;
    order_by_gain(result, fixes, count);
    return count;
}

/* What the fixes before the last one of a set bring together. */
static double before_last(const struct wi_result *result, const struct wi_together *set)
{
    for (int i = 0; i < result->together_count; i++)
        if (result->together[i].count == set->count - 1)
            return result->together[i].predicted.speedup;
    return result->findings[set->findings[0]].predicted.speedup;
}

int wi_fix_helps(const struct wi_result *result, int finding)
{
    const struct wi_prediction *alone = &result->findings[finding].predicted;
    if (alone->withheld || alone->speedup <= 0 || is_more(alone->high, 1))
        return 1; /* also where nobody can say */
    for (int i = 0; i < result->together_count; i++) {
        const struct wi_together *set = &result->together[i];
        if (set->findings[set->count - 1] == finding)
            return is_more(set->predicted.speedup, before_last(result, set));
    }
    return 0;
}

int wi_fix_is_left_out(const struct wi_result *result, int finding)
{
    return is_candidate(&result->findings[finding]) && !wi_fix_helps(result, finding);
}

int wi_fixes_of(const struct wi_result *result, int fixes[WI_FIXES])
{
    int candidates[WI_FIXES], count = 0, all = wi_fixes_candidates(result, candidates);
    for (int i = 0; i < all; i++)
        if (wi_fix_helps(result, candidates[i]))
            fixes[count++] = candidates[i];
    return count;
}

/* 1 if the remedy is the end of this one cause, whatever else its universe is about. */
static int is_alone(const struct wi_remedy *remedy)
{
    return remedy->universe == WI_UNIVERSE_HOST_OTHER_FREE ||
           remedy->universe == WI_UNIVERSE_INPUT_READY;
}

/* Those on which a worker more would run. */
static double idle_cores(const struct wi_finding *finding)
{
    if (finding->cores_idle_permille < WI_LIMIT_WORKER_CORE_PERMILLE)
        return 0;
    return (double)finding->cores_idle_permille / 1000;
}

static void change_cause(struct wi_change *change, const struct wi_finding *finding)
{
    struct wi_host_change *host = &change->host[finding->subcause];
    if (finding->subcause == WI_SUB_DECODE_IN_MAIN_THREAD && finding->cores_idle_permille >= 0) {
        /* as many workers as there are cores without work, and one on the core that it leaves */
        host->rate = 1 + idle_cores(finding);
        return;
    }
    if (is_alone(wi_remedy_of(finding->subcause)))
        host->scale = 0;
    if (finding->subcause != WI_SUB_TOO_FEW_WORKERS)
        return;
    /* as many more workers as there are cores without work, or input that is always ready */
    if (finding->children > 0 && finding->cores_idle_permille >= 0)
        host->rate = 1 + idle_cores(finding) / (double)finding->children;
    else
        *host = (struct wi_host_change){0, 0, 1};
}

void wi_fix_change(struct wi_change *change, const struct wi_finding *const *findings, int count)
{
    for (int i = 0; i < count; i++) {
        const struct wi_remedy *remedy = wi_remedy_of(findings[i]->subcause);
        if (remedy && is_alone(remedy))
            change->universes |= 1u << remedy->universe;
        else if (remedy)
            wi_change_add(change, (enum wi_universe)remedy->universe);
    }
    for (int i = 0; i < count; i++)
        if (wi_remedy_of(findings[i]->subcause))
            change_cause(change, findings[i]);
}

int wi_fix_unlimited(struct wi_change *change, int cause)
{
    const struct wi_remedy *remedy = wi_remedy_of((enum wi_subcause)cause);
    int workers =
        remedy && (remedy->universe == WI_UNIVERSE_PRODUCER_RATE || remedy->clock == WI_CLOCK_HERE);
    if (!workers || change->host[cause].scale != 1)
        return 0;
    change->host[cause] = (struct wi_host_change){0, 0, 1};
    return 1;
}
