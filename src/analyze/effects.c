/* Effects of a change, see effects.h.
 * Threads: the engine's. */
#include "analyze/effects.h"

#include "analyze/remedies.h"
#include "base/err.h"

/* With fewer than this many expected among the kept stretches, their share there is chance. */
#define RARE_EXPECTED 8

static int reads_back(int subcause)
{
    return subcause == WI_SUB_READ_BACK_SYNC || subcause == WI_SUB_EXPLICIT_SYNC;
}

/* What a read-back exposes may be work on the value, which goes with it; whoever sleeps, or makes
 * or awaits an input, does that with or without the value. */
static int is_work(const struct wi_split *split)
{
    enum wi_class class = wi_subcause_class((enum wi_subcause)split->subcause[split->main]);
    return split->main != WI_PORTION_WAITING && split->main != WI_PORTION_INPUT_WAIT &&
           class != WI_CLASS_DATA_LOADING && class != WI_CLASS_NO_WORK;
}

static void split_one(struct wi_split *split, const struct wi_signature *sig,
                      const struct wi_run_evidence *run)
{
    struct wi_part parts[WI_PORTION_COUNT];
    split->total_ns = wi_ledger_total(sig);
    split->count = sig->hist.count + (sig->occurrence != 0);
    split->main = (uint8_t)wi_findings_parts(sig, run, parts);
    for (int i = 0; i < WI_PORTION_COUNT && split->total_ns > 0; i++) {
        if (parts[i].ns <= 0)
            continue;
        split->share[i] = (double)parts[i].ns / (double)split->total_ns;
        split->subcause[i] = (uint8_t)parts[i].subcause;
    }
    split->read_back = reads_back(split->subcause[split->main]) ||
                       (reads_back(sig->key.exposed_by) && is_work(split));
}

/* What launches without a label cost is what most of those with one are charged to. */
static struct wi_split launch_split(const struct wi_ledger *ledger, const struct wi_splits *splits)
{
    struct wi_split best = {.share = {1}, .subcause = {WI_SUB_LAUNCH_BOUND}};
    for (uint32_t i = 0; i < splits->slots; i++)
        if (ledger->slots[i].key.subcause == WI_SUB_LAUNCH_BOUND &&
            splits->of[i].total_ns > best.total_ns)
            best = splits->of[i];
    best.total_ns = best.total_ns > 0 ? best.total_ns : 1;
    return best;
}

/* Loaders of every framework keep about two batches for each of their processes. */
static uint32_t queue_depth_of(const struct wi_run_evidence *run)
{
    double depth = 2 * wi_sampled_mean(&run->sampled, WI_SAMPLED_CHILDREN, 1);
    return depth < 2 ? 2 : depth > WI_REPLAY_QUEUE ? WI_REPLAY_QUEUE : (uint32_t)depth;
}

int wi_splits_of(struct wi_splits *splits, struct wi_arena *arena, struct wi_ledger *ledger,
                 const struct wi_run_evidence *run, double kept_share)
{
    *splits = (struct wi_splits){.slots = WI_SIG_SLOTS + WI_SIG_OTHERS};
    splits->of = wi_arena_alloc(arena, splits->slots * sizeof(*splits->of));
    if (!splits->of)
        return WI_ERR_NOMEM;
    for (uint32_t i = 0; i < splits->slots; i++) {
        struct wi_split *split = &splits->of[i];
        split_one(split, &ledger->slots[i], run);
        split->rare = kept_share < 1 && ledger->slots[i].key.subcause == WI_UNDECIDED &&
                      (double)split->count * kept_share < RARE_EXPECTED;
        splits->makes_input |=
            split->total_ns > 0 && split->subcause[split->main] == WI_SUB_DECODE_IN_MAIN_THREAD;
        splits->rare_ns += split->rare ? split->total_ns : 0;
    }
    splits->queue_depth = queue_depth_of(run);
    splits->launch = launch_split(ledger, splits);
    return WI_OK;
}

static struct wi_effect none(void)
{
    return (struct wi_effect){.scale = 1, .rate = 1};
}

static struct wi_effect of_other_host(const struct wi_change *change)
{
    struct wi_effect effect = none();
    effect.scale = change->other_host;
    return effect;
}

/* What a change does to host time of a sub-cause; that of the thread's own work, to all of it. */
static double scale_of(const struct wi_change *change, int subcause)
{
    enum wi_class class = wi_subcause_class((enum wi_subcause)subcause);
    int own = class == WI_CLASS_HOST || class == WI_CLASS_SMALL_BATCH;
    double scale = change->host[subcause].scale;
    return own && scale == 1 ? change->other_host : scale;
}

static struct wi_effect of_cause(const struct wi_change *change, enum wi_subcause subcause)
{
    struct wi_effect effect = none();
    effect.scale = scale_of(change, (int)subcause);
    effect.stay_ns = change->host[subcause].stay_ns;
    effect.rate = change->host[subcause].rate;
    return effect;
}

static struct wi_effect of_split(const struct wi_change *change, const struct wi_split *split)
{
    if (split->total_ns <= 0)
        return none();
    enum wi_subcause main = (enum wi_subcause)split->subcause[split->main];
    struct wi_effect effect = of_cause(change, main);
    effect.scale = 1; /* exactly, if nothing of it changes */
    for (int i = 0; i < WI_PORTION_COUNT; i++)
        effect.scale -= split->share[i] * (1 - scale_of(change, split->subcause[i]));
    const struct wi_remedy *remedy = wi_remedy_of(main);
    enum wi_clock_kind clock = remedy ? remedy->clock : WI_CLOCK_FIXED;
    effect.queue = clock == WI_CLOCK_QUEUE || clock == WI_CLOCK_HERE;
    effect.here = clock == WI_CLOCK_HERE;
    /* input that the thread makes itself is work, until workers make it */
    effect.producer = effect.here ? effect.rate != 1 : clock != WI_CLOCK_FIXED;
    effect.scale = effect.scale < 0 ? 0 : effect.scale;
    effect.rare = split->rare;
    effect.read_back = split->read_back;
    if (split->read_back && change->readback_every == 1 && change->value_work_goes) {
        effect.scale = 0; /* the value is still waited for, the work behind it is not there */
        effect.stay_ns = change->host[WI_SUB_READ_BACK_SYNC].stay_ns;
    }
    return effect;
}

static int touches(const struct wi_split *split, const uint8_t *touched)
{
    int any = 0;
    for (int i = 0; i < WI_PORTION_COUNT; i++)
        any |= split->share[i] > 0 && touched[split->subcause[i]];
    return any;
}

int wi_effects_matter(const struct wi_splits *splits, const struct wi_change *change)
{
    uint8_t touched[WI_SUB_COUNT];
    for (int i = 0; i < WI_SUB_COUNT; i++)
        touched[i] = change->host[i].scale != 1 || change->host[i].rate != 1;
    /* what calls without a label are taken for */
    int any = touched[WI_SUB_ALLOCATOR] || touched[WI_SUB_PIN_PER_COPY] ||
              touches(&splits->launch, touched);
    for (uint32_t i = 0; i < splits->slots && !any; i++)
        any |= touches(&splits->of[i], touched);
    return any;
}

static int64_t changed_total(const struct wi_split *split, const struct wi_effect *effect)
{
    int64_t scaled = (int64_t)((double)split->total_ns * effect->scale / effect->rate);
    int64_t stays = effect->stay_ns * (int64_t)split->count;
    stays = stays < split->total_ns ? stays : split->total_ns;
    return scaled > stays ? scaled : stays;
}

int wi_effects_of(struct wi_effects *effects, struct wi_arena *arena,
                  const struct wi_splits *splits, const struct wi_change *change, int64_t *rare_ns)
{
    struct wi_effect *of = wi_arena_alloc(arena, (splits->slots + 1) * sizeof(*of));
    if (!of)
        return WI_ERR_NOMEM;
    *effects = (struct wi_effects){.change = change, .of = of, .queue_depth = splits->queue_depth};
    *rare_ns = 0;
    of[0] = of_other_host(change);
    for (uint32_t i = 0; i < splits->slots; i++) {
        of[i + 1] = of_split(change, &splits->of[i]);
        if (splits->of[i].rare)
            *rare_ns += changed_total(&splits->of[i], &of[i + 1]);
    }
    for (int i = 0; i < WI_API_COUNT; i++)
        effects->api[i] = of_other_host(change);
    effects->dispatch = of_split(change, &splits->launch);
    effects->api[WI_API_LAUNCH] = effects->api[WI_API_GRAPH_LAUNCH] = effects->dispatch;
    effects->api[WI_API_ALLOC] = effects->api[WI_API_FREE] = of_cause(change, WI_SUB_ALLOCATOR);
    effects->api[WI_API_PIN] = of_cause(change, WI_SUB_PIN_PER_COPY);
    return WI_OK;
}
