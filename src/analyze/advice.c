/* Advice by finding and framework, see advice.h.
 * Threads: any. Pure. */
#include "analyze/advice.h"

#include <stddef.h>
#include <string.h>

#include "analyze/limits.h"
#include "analyze/rules.h"
#include "base/attr.h"

static const char *by_case(const struct wi_finding *f)
{
#define FIX_IF(sub, condition, fix)                                                                \
    if (f->subcause == WI_SUB_##sub && (condition))                                                \
        return fix;
#include "analyze/advice_cases.def"
#undef FIX_IF
    return NULL;
}

const char *wi_advice_seen(const struct wi_finding *f)
{
#define SEEN_IF(sub, rule_id, text)                                                                \
    if (f->subcause == WI_SUB_##sub && f->api_after != WI_NO_NAME && f->rule &&                    \
        !strcmp(f->rule, #rule_id))                                                                \
        return text;
#include "analyze/advice_seen.def"
#undef SEEN_IF
    return wi_advice_for(f->subcause).seen;
}

const char *wi_advice_in(enum wi_subcause subcause, enum wi_dialect dialect)
{
#define DIALECT_FIX(sub, dialect_id, fix)                                                          \
    if (subcause == WI_SUB_##sub && dialect == WI_DIALECT_##dialect_id)                            \
        return fix;
#include "analyze/advice_dialects.def"
#undef DIALECT_FIX
    return NULL;
}

const char *wi_advice_fix(const struct wi_finding *finding, enum wi_dialect dialect)
{
    const char *fix = by_case(finding);
    fix = fix ? fix : wi_advice_in(finding->subcause, dialect);
    return fix ? fix : wi_advice_for(finding->subcause).fix;
}

/* By switch: an array of addresses is relocated in every process that has the preload. */
struct wi_advice_check wi_advice_check_for(enum wi_subcause subcause)
{
    switch (subcause) {
#define ADVICE_CHECK(sub, what, check, not_when)                                                   \
    case WI_SUB_##sub:                                                                             \
        return (struct wi_advice_check){what, check, not_when};
#include "analyze/advice_checks.def"
#undef ADVICE_CHECK
    default:
        return (struct wi_advice_check){NULL, NULL, NULL};
    }
}
