/* From signatures to findings, see findings.h.
 * Threads: the engine's. Pure. */
#include "analyze/findings.h"

#include "analyze/advice.h"
#include "analyze/limits.h"
#include "analyze/rules.h"

/* Adds ns of a signature to a sub-cause. main: it is the larger part, so that lengths follow it. */
static void add(struct wi_cause_sum *sum, const struct wi_signature *sig, int64_t ns, int main,
                const char *rule)
{
    sum->ns += ns;
    if (sig->key.exposed_by >= 0)
        sum->exposed_ns[sig->key.exposed_by] += ns;
    if (main) {
        wi_hist_merge(&sum->hist, &sig->hist);
        sum->bytes += sig->bytes;
        sum->copies += sig->copies;
        wi_sampled_merge(&sum->sampled, &sig->sampled);
        wi_seen_merge(&sum->seen, &sig->seen);
    }
    if (ns > sum->largest_ns) {
        sum->largest_ns = ns;
        sum->largest = sig;
        sum->rule = rule;
    }
}

struct wi_run_evidence wi_findings_run(struct wi_ledger *ledger, const struct wi_calls *calls,
                                       int64_t end_ns)
{
    struct wi_run_evidence run = {.blocked_launches = -1, .end_ns = end_ns};
    const struct wi_signature *sig;
    for (uint32_t i = 0; (sig = wi_ledger_at(ledger, i)); i++)
        wi_sampled_merge(&run.sampled, &sig->sampled);
    if (calls->launches_joined >= (uint64_t)WI_LIMIT_STEADY_COUNT)
        run.blocked_launches = (double)calls->launches_blocked / (double)calls->launches_joined;
    return run;
}

/* A decided signature, unless the evidence says better of a part of it. */
static void divide_decided(const struct wi_signature *sig, const struct wi_run_evidence *run,
                           struct wi_part *parts)
{
    struct wi_evidence evidence = wi_evidence_of(sig, WI_PORTION_UNSEEN, run);
    int64_t total = wi_ledger_total(sig);
    double share;
    const struct wi_rule *better = wi_override_match(&evidence, &share);
    int64_t moved = better ? (int64_t)((double)total * share + 0.5) : 0;
    if (moved > 0)
        parts[WI_PORTION_RUNNABLE] = (struct wi_part){moved, better->subcause, better->id};
    parts[WI_PORTION_UNSEEN] =
        (struct wi_part){total - moved, (enum wi_subcause)sig->key.subcause, "direct"};
}

int wi_findings_parts(const struct wi_signature *sig, const struct wi_run_evidence *run,
                      struct wi_part parts[WI_PORTION_COUNT])
{
    int main = 0;
    for (int i = 0; i < WI_PORTION_COUNT; i++)
        parts[i] = (struct wi_part){0, WI_SUB_UNDETERMINED, NULL};
    if (sig->key.subcause != WI_UNDECIDED)
        divide_decided(sig, run, parts);
    for (int i = 0; i < WI_PORTION_COUNT && sig->key.subcause == WI_UNDECIDED; i++) {
        if (!sig->portion_ns[i])
            continue;
        struct wi_evidence evidence = wi_evidence_of(sig, i, run);
        const struct wi_rule *match = wi_rule_match(&evidence);
        parts[i] = (struct wi_part){sig->portion_ns[i], match->subcause, match->id};
    }
    for (int i = 1; i < WI_PORTION_COUNT; i++)
        if (parts[i].ns > parts[main].ns)
            main = i;
    return main;
}

/* 1 if no part before this one has its cause: an occurrence counts once. */
static int is_new(const struct wi_part *parts, int portion)
{
    for (int i = 0; i < portion; i++)
        if (parts[i].ns && parts[i].subcause == parts[portion].subcause)
            return 0;
    return 1;
}

static int same_place(const struct wi_sig_key *a, const struct wi_sig_key *b)
{
    return a->site_before == b->site_before && a->site_after == b->site_after &&
           a->api_before == b->api_before && a->api_after == b->api_after;
}

/* How often each cause was seen, and how often where its largest part lies. */
static void count(struct wi_ledger *ledger, int32_t device, const struct wi_run_evidence *run,
                  struct wi_cause_sum *sums)
{
    struct wi_signature *sig;
    for (uint32_t i = 0; (sig = wi_ledger_at(ledger, i)); i++) {
        struct wi_part parts[WI_PORTION_COUNT];
        if (sig->key.device != device)
            continue;
        wi_findings_parts(sig, run, parts);
        for (int portion = 0; portion < WI_PORTION_COUNT; portion++) {
            struct wi_cause_sum *sum = &sums[parts[portion].subcause];
            if (!parts[portion].ns || !is_new(parts, portion))
                continue;
            sum->count += sig->hist.count;
            if (sum->largest && same_place(&sig->key, &sum->largest->key))
                sum->place_count += sig->hist.count;
        }
    }
}

/* A cause that is the larger part nowhere: what was seen meanwhile is that of its largest part. */
static void know_by_largest(struct wi_cause_sum *sum)
{
    if (!sum->largest || sum->hist.count)
        return;
    wi_sampled_merge(&sum->sampled, &sum->largest->sampled);
    wi_seen_merge(&sum->seen, &sum->largest->seen);
}

void wi_findings_sum(struct wi_ledger *ledger, int32_t device, const struct wi_run_evidence *run,
                     struct wi_cause_sum *sums)
{
    struct wi_signature *sig;
    for (uint32_t i = 0; (sig = wi_ledger_at(ledger, i)); i++) {
        struct wi_part parts[WI_PORTION_COUNT];
        if (sig->key.device != device)
            continue;
        int main = wi_findings_parts(sig, run, parts);
        for (int portion = 0; portion < WI_PORTION_COUNT; portion++)
            if (parts[portion].ns)
                add(&sums[parts[portion].subcause], sig, parts[portion].ns, portion == main,
                    parts[portion].rule);
    }
    for (int i = 0; i < WI_SUB_COUNT; i++)
        know_by_largest(&sums[i]);
    count(ledger, device, run, sums);
}

static int64_t mean_or_unknown(const struct wi_sampled *sampled, enum wi_sampled_field field,
                               double scale)
{
    double mean = wi_sampled_mean(sampled, field, -1);
    return mean < 0 ? WI_UNKNOWN : (int64_t)(mean * scale + 0.5);
}

static void fill_samples(struct wi_finding *finding, const struct wi_cause_sum *sum)
{
    const struct wi_sampled *sampled = &sum->sampled;
    finding->children = mean_or_unknown(sampled, WI_SAMPLED_CHILDREN, 1);
    finding->child_cpu_permille = mean_or_unknown(sampled, WI_SAMPLED_CHILD_CPU, 1000);
    finding->cores_idle_permille = mean_or_unknown(sampled, WI_SAMPLED_CORES_IDLE, 1000);
    finding->cores_others_permille = mean_or_unknown(sampled, WI_SAMPLED_CORES_OTHERS, 1000);
    finding->cores_allowed = mean_or_unknown(sampled, WI_SAMPLED_CORES_ALLOWED, 1);
}

/* Host work counts as exposed when something exposes more than half of it. Waiting for input does
 * not: it would not be hidden behind the device's work without the read-back. */
static void fill_exposer(struct wi_finding *finding, const struct wi_cause_sum *sum)
{
    finding->exposed_by = -1;
    if (wi_subcause_class(finding->subcause) != WI_CLASS_HOST)
        return;
    for (int i = 0; i < WI_SUB_COUNT; i++)
        if (sum->exposed_ns[i] * 2 > sum->ns)
            finding->exposed_by = i;
    if (finding->exposed_by >= 0 && sum->largest) {
        finding->exposed_api = sum->largest->key.api_before;
        finding->exposed_site = sum->largest->key.site_before;
    }
}

/* A place is named if it is most of what was seen, and enough was seen to speak for the rest. */
static void fill_seen(struct wi_finding *finding, const struct wi_cause_sum *sum)
{
    const struct wi_seen_place *most = wi_seen_most(&sum->seen);
    finding->seen_ns = WI_UNKNOWN;
    if (!most)
        return;
    int64_t sure_ns = most->ns - most->over_ns, seen_ns = wi_seen_total(&sum->seen);
    if (sure_ns < seen_ns / 100 * WI_LIMIT_PLACE_PERCENT ||
        seen_ns < finding->ns / 100 * WI_LIMIT_SEEN_PERCENT)
        return;
    finding->seen_in = most->name;
    finding->waits_at = most->site;
    finding->seen_ns = sure_ns < finding->ns ? sure_ns : finding->ns;
}

static void fill_calls(struct wi_finding *finding, const struct wi_cause_sum *sum)
{
    finding->count = sum->count;
    finding->place_count = sum->place_count;
    finding->median_ns = wi_hist_quantile(&sum->hist, 500);
    finding->p95_ns = wi_hist_quantile(&sum->hist, 950);
    finding->longest_ns = sum->hist.count ? sum->hist.longest_ns : WI_UNKNOWN;
    finding->bytes = sum->bytes;
    finding->copies = sum->copies;
    if (sum->largest) {
        finding->site_before = sum->largest->key.site_before;
        finding->site_after = sum->largest->key.site_after;
        finding->api_before = sum->largest->key.api_before;
        finding->api_after = sum->largest->key.api_after;
        finding->range = wi_ledger_main_range(sum->largest);
    }
}

static const struct wi_kernel_row *emptiest_kernel(const struct wi_tables *tables, int32_t device)
{
    const struct wi_kernel_row *worst = NULL;
    for (uint32_t i = 1; i < tables->kernel_count; i++) {
        const struct wi_kernel_row *row = &tables->kernels[i];
        if (row->device == device && row->underfilled_ns &&
            (!worst || row->underfilled_ns > worst->underfilled_ns))
            worst = row;
    }
    return worst;
}

/* Under-filled time is a finding only if one kernel is worth a rewrite; 1 if it is. */
static int fill_kernel(struct wi_finding *finding, const struct wi_tables *tables,
                       int64_t window_ns)
{
    const struct wi_kernel_row *row = emptiest_kernel(tables, finding->device);
    if (!row || row->underfilled_ns < window_ns / 1000 * WI_LIMIT_KERNEL_FINDING_PERMILLE ||
        row->total_ns / (int64_t)row->count < WI_LIMIT_KERNEL_FINDING_RUN_NS)
        return 0;
    finding->kernel = row->name;
    finding->count = finding->place_count = row->count;
    finding->median_ns = finding->p95_ns = finding->longest_ns = WI_UNKNOWN;
    return 1;
}

static int covered_well(const struct wi_coverage *coverage)
{
    uint64_t lost = 0;
    for (int i = 0; i < WI_LOSS_COUNT; i++)
        lost += i == WI_LOSS_MARKS ? 0 : coverage->lost[i];
    return coverage->ops_matched * 1000 >= coverage->ops * (uint64_t)WI_LIMIT_COVERED_PERMILLE &&
           lost * 1000 <= coverage->ops;
}

/* Nobody is sure of a cause that is not known, however often it was seen. */
static enum wi_confidence confidence_of(const struct wi_finding *finding,
                                        const struct wi_coverage *coverage)
{
    if (finding->count < 2)
        return WI_CONF_LOW;
    if (!wi_subcause_is_known(finding->subcause) ||
        finding->count < (uint64_t)WI_LIMIT_STEADY_COUNT || !covered_well(coverage))
        return WI_CONF_MEDIUM;
    return WI_CONF_HIGH;
}

static void sort_by_ns(struct wi_finding *findings, int count)
{
    for (int i = 1; i < count; i++) {
        struct wi_finding one = findings[i];
        int at = i;
        for (; at > 0 && findings[at - 1].ns < one.ns; at--)
            findings[at] = findings[at - 1];
        findings[at] = one;
    }
}

int wi_findings_of(const struct wi_device_result *device, const struct wi_cause_sum *sums,
                   const struct wi_tables *tables, const struct wi_coverage *coverage,
                   struct wi_finding *out)
{
    int64_t window = device->window_end_ns - device->window_start_ns;
    int count = 0;
    for (int sub = 0; sub < WI_SUB_COUNT; sub++) {
        int64_t ns = device->subcause_ns[sub];
        if (sub == WI_SUB_COMPUTE || !ns || ns < window / 1000 * WI_LIMIT_FINDING_PERMILLE)
            continue;
        struct wi_finding *finding = &out[count];
        *finding = (struct wi_finding){.subcause = (enum wi_subcause)sub,
                                       .device = device->info.device,
                                       .ns = ns,
                                       .share = (double)ns / (double)window,
                                       .rule = sums[sub].rule ? sums[sub].rule : "direct"};
        fill_calls(finding, &sums[sub]);
        fill_samples(finding, &sums[sub]);
        fill_seen(finding, &sums[sub]);
        fill_exposer(finding, &sums[sub]);
        if (sub == WI_SUB_UNDER_FILLED && !fill_kernel(finding, tables, window))
            continue;
        finding->seen = wi_advice_seen(finding);
        finding->fix = wi_advice_for(finding->subcause).fix;
        finding->confidence = confidence_of(finding, coverage);
        count++;
    }
    sort_by_ns(out, count);
    return count;
}
