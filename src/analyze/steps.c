/* Steps without markers, see steps.h.
 * Threads: the engine's. May not: allocate. */
#include "analyze/steps.h"

#include <stddef.h>

#include "analyze/limits.h"

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    return hash ^ (hash >> 29);
}

static uint64_t signature_of(const struct wi_device_op *op)
{
    uint64_t hash = mix(op->kind + 1u, op->kind == WI_OP_COPY ? op->direction : op->name);
    for (int i = 0; i < 3; i++)
        hash = mix(hash, op->grid[i]);
    return hash;
}

static void note_outlier(struct wi_recurrence *seen, int64_t period_ns)
{
    if (seen->count < (uint64_t)WI_LIMIT_RUN_CALLS ||
        period_ns <= seen->median_ns * WI_LIMIT_STEP_OUTLIER_FACTOR)
        return;
    if (seen->outliers++) {
        double every = (double)(seen->count - seen->last_outlier), before = seen->every_mean;
        seen->every_mean += (every - before) / (double)(seen->outliers - 1);
        seen->every_m2 += (every - before) * (every - seen->every_mean);
    }
    seen->last_outlier = seen->count;
    seen->outlier_extra_ns += period_ns - seen->median_ns;
}

void wi_recurrence_note(struct wi_recurrence *seen, int64_t start_ns, uint64_t ops, int64_t idle_ns)
{
    if (seen->count) {
        int64_t period = start_ns - seen->last_ns;
        double before = seen->ops_mean;
        seen->ops_mean += ((double)ops - before) / (double)seen->count;
        seen->ops_m2 += ((double)ops - before) * ((double)ops - seen->ops_mean);
        note_outlier(seen, period);
        if (!seen->median_ns)
            seen->median_ns = period;
        else if (period > seen->median_ns)
            seen->median_ns += seen->median_ns / 8 + 1; /* frugal median */
        else if (period < seen->median_ns)
            seen->median_ns -= seen->median_ns / 8;
        wi_hist_add(&seen->periods, period);
    } else {
        seen->first_ns = start_ns;
    }
    seen->count++;
    seen->last_ns = start_ns;
    seen->idle_ns += idle_ns;
}

static struct wi_pair *pair_of(struct wi_step_finder *finder, uint64_t key)
{
    uint32_t at = (uint32_t)(key >> 40) % WI_PAIR_SLOTS;
    for (uint32_t i = 0; i < WI_PAIR_SLOTS; i++, at = (at + 1) % WI_PAIR_SLOTS) {
        struct wi_pair *pair = &finder->table[at];
        if (pair->key == key)
            return pair;
        if (pair->key)
            continue;
        if (finder->pairs == WI_PAIR_SLOTS - WI_PAIR_SLOTS / 8) /* leave room for short probes */
            return NULL;
        finder->pairs++;
        pair->key = key;
        return pair;
    }
    return NULL;
}

void wi_steps_op(struct wi_step_finder *finder, const struct wi_device_op *op, int64_t idle_ns)
{
    uint64_t signature = signature_of(op);
    finder->ops++;
    if (finder->latest && signature != finder->latest) { /* repeats of one operation mark nothing */
        struct wi_pair *pair = pair_of(finder, mix(mix(1, finder->latest), signature) | 1);
        if (pair) {
            wi_recurrence_note(&pair->seen, op->start_ns, finder->ops - pair->last_op, idle_ns);
            pair->last_op = finder->ops;
        }
    }
    finder->latest = signature;
}

void wi_steps_mark(struct wi_step_finder *finder, int64_t start_ns)
{
    wi_recurrence_note(&finder->marks, start_ns, 1, 0);
}

int wi_recurrence_covers(const struct wi_recurrence *seen, int64_t window_ns)
{
    return seen->count >= (uint64_t)WI_LIMIT_STEPS_LEAST &&
           seen->last_ns - seen->first_ns >= window_ns / 100 * WI_LIMIT_STEP_COVER_PERCENT;
}

/* Even enough, often enough and over enough of the window to be once a step. */
static int may_be_step(const struct wi_recurrence *seen, int64_t window_ns)
{
    if (!wi_recurrence_covers(seen, window_ns))
        return 0;
    double variance = seen->ops_m2 / (double)(seen->count - 1);
    double bound = seen->ops_mean * (double)WI_LIMIT_STEP_DEVIATION_PERCENT / 100;
    return variance <= bound * bound;
}

/* Counts that differ by the step at either end, or by 2 %, are the same number of steps. */
static int same_count(uint64_t a, uint64_t b)
{
    uint64_t apart = a > b ? a - b : b - a;
    return apart <= 1 || apart * 50 <= a;
}

static int votes_for(const struct wi_step_finder *finder, uint64_t count, int64_t window_ns)
{
    int votes = 0;
    for (uint32_t i = 0; i < WI_PAIR_SLOTS; i++)
        votes += finder->table[i].key && same_count(count, finder->table[i].seen.count) &&
                 may_be_step(&finder->table[i].seen, window_ns);
    return votes;
}

static const struct wi_recurrence *anchor_of(const struct wi_step_finder *finder, int64_t window_ns)
{
    const struct wi_recurrence *best = NULL;
    int best_votes = 0;
    for (uint32_t i = 0; i < WI_PAIR_SLOTS; i++) {
        const struct wi_recurrence *seen = &finder->table[i].seen;
        if (!finder->table[i].key || !may_be_step(seen, window_ns))
            continue;
        int votes = votes_for(finder, seen->count, window_ns);
        if (votes > best_votes || (votes == best_votes && seen->idle_ns > best->idle_ns)) {
            best = seen;
            best_votes = votes;
        }
    }
    return best;
}

static struct wi_steps steps_of(const struct wi_recurrence *seen, int marked)
{
    struct wi_steps steps = {.median_ns = WI_UNKNOWN, .p95_ns = WI_UNKNOWN};
    if (!seen || seen->count < (uint64_t)WI_LIMIT_STEPS_LEAST)
        return steps;
    steps.count = seen->count;
    steps.marked = marked;
    steps.start_ns = seen->first_ns;
    steps.last_ns = seen->last_ns;
    steps.median_ns = wi_hist_quantile(&seen->periods, 500);
    steps.p95_ns = wi_hist_quantile(&seen->periods, 950);
    steps.outliers = seen->outliers;
    steps.outlier_extra_ns = seen->outlier_extra_ns;
    double bound = seen->every_mean * (double)WI_LIMIT_STEP_DEVIATION_PERCENT / 100;
    if (seen->outliers >= 3 && seen->every_m2 / (double)(seen->outliers - 1) <= bound * bound)
        steps.outlier_every = (uint64_t)(seen->every_mean + 0.5);
    return steps;
}

struct wi_steps wi_steps_found(const struct wi_step_finder *finder,
                               const struct wi_recurrence *named, const struct wi_recurrence *other,
                               int64_t window_ns)
{
    if (finder->marks.count || named)
        return steps_of(finder->marks.count ? &finder->marks : named, 1);
    const struct wi_recurrence *anchor = anchor_of(finder, window_ns);
    return anchor ? steps_of(anchor, 0) : steps_of(other, 1);
}
