/* The rules and the advice, expanded from their tables; see rules.h.
 * Threads: any. Pure. */
#include "analyze/rules.h"

#include "analyze/limits.h"
#include <stddef.h>

#include "base/attr.h"

static const struct wi_rule RULES[] = {
#define RULE(rule_id, portion, condition, sub, text) {#rule_id, WI_SUB_##sub, text},
#include "analyze/rules.def"
#undef RULE
};

static const struct wi_advice ADVICE_ROWS[] = {
#define ADVICE(sub, seen_text, fix_text, sample_name)                                              \
    {WI_SUB_##sub, seen_text, fix_text, sample_name},
#include "analyze/advice.def"
#undef ADVICE
};

struct wi_evidence wi_evidence_of(const struct wi_signature *sig, int portion,
                                  const struct wi_sample_means *run)
{
    struct wi_sample_means seen = {sig->sample_weight, sig->children, sig->child_cpu,
                                   sig->child_disk};
    if (!(seen.weight > 0) && run)
        seen = *run;
    double total = (double)wi_ledger_total(sig);
    uint64_t count = sig->hist.count ? sig->hist.count : 1;
    struct wi_evidence evidence = {.portion = portion,
                                   .mean_ns = (int64_t)(total / (double)count),
                                   .before_first_op = !!(sig->key.flags & WI_SIG_BEFORE_FIRST_OP),
                                   .before_input = !!(sig->key.flags & WI_SIG_BEFORE_INPUT),
                                   .before_copy = !!(sig->key.flags & WI_SIG_BEFORE_COPY),
                                   .after_read_back_of_it =
                                       !!(sig->key.flags & WI_SIG_AFTER_READ_BACK),
                                   .children = -1,
                                   .child_cpu = -1,
                                   .child_disk = -1};
    for (int kind = 0; kind < WI_SPAN_COUNT; kind++)
        evidence.span[kind] = total > 0 ? (double)sig->span_ns[kind] / total : 0;
    if (seen.weight > 0) {
        evidence.children = seen.children / seen.weight;
        evidence.child_cpu = seen.child_cpu / seen.weight / 1000;
        evidence.child_disk = seen.child_disk / seen.weight / 1000;
    }
    return evidence;
}

#define WI_PORTION_ANY e->portion

/* One line a rule: the index of the first whose portion and condition hold. */
const struct wi_rule *wi_rule_match(const struct wi_evidence *e)
{
    int at = -1;
#define RULE(id, wanted, condition, sub, text)                                                     \
    at++;                                                                                          \
    if (e->portion == (int)WI_PORTION_##wanted && (condition))                                     \
        return &RULES[at];
#include "analyze/rules.def"
#undef RULE
    return &RULES[WI_ARRAY_LEN(RULES) - 1];
}

const struct wi_advice *wi_advice_for(enum wi_subcause subcause)
{
    for (size_t i = 0; i < WI_ARRAY_LEN(ADVICE_ROWS); i++)
        if (ADVICE_ROWS[i].subcause == subcause)
            return &ADVICE_ROWS[i];
    return NULL;
}
