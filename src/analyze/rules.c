/* The rules and the advice, expanded from their tables; see rules.h.
 * Threads: any. Pure. */
#include "analyze/rules.h"

#include <stddef.h>

#include "analyze/limits.h"
#include "base/attr.h"

static const struct wi_rule RULES[] = {
#define RULE(rule_id, portion, condition, sub, text) {#rule_id, WI_SUB_##sub, text},
#include "analyze/rules.def"
#undef RULE
};

static const struct wi_rule OVERRIDES[] = {
#define OVERRIDE(rule_id, decided, condition, sub, text, share) {#rule_id, WI_SUB_##sub, text},
#include "analyze/overrides.def"
#undef OVERRIDE
};

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

/* How long the thread was on a core may not be known: then what it had none for is all it wanted.
 */
static double without_core(const struct wi_evidence *e)
{
    double wanted = e->issuer_runnable + (e->issuer_run > 0 ? e->issuer_run : 0);
    return wanted > 0 && e->issuer_runnable > 0 ? e->issuer_runnable / wanted : 0;
}
#define WITHOUT_CORE without_core(e)

const struct wi_rule *wi_override_match(const struct wi_evidence *e, double *share)
{
    int at = -1;
    *share = 0;
#define OVERRIDE(id, decided, condition, sub, text, part)                                          \
    at++;                                                                                          \
    if (e->subcause == (int)WI_SUB_##decided && (condition)) {                                     \
        *share = (part);                                                                           \
        return &OVERRIDES[at];                                                                     \
    }
#include "analyze/overrides.def"
#undef OVERRIDE
    return NULL;
}

/* By switch: an array of addresses is relocated in every process that has the preload. */
struct wi_advice wi_advice_for(enum wi_subcause subcause)
{
    switch (subcause) {
#define ADVICE(sub, seen_text, fix_text)                                                           \
    case WI_SUB_##sub:                                                                             \
        return (struct wi_advice){seen_text, fix_text};
#include "analyze/advice.def"
#undef ADVICE
    default:
        return (struct wi_advice){NULL, NULL};
    }
}
