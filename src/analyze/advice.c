/* Advice by finding and framework, see advice.h.
 * Threads: any. Pure. */
#include "analyze/advice.h"

#include <stddef.h>
#include <string.h>

#include "analyze/rules.h"
#include "base/attr.h"

static const struct {
    enum wi_subcause subcause;
    enum wi_dialect dialect;
    const char *fix;
} FIXES[] = {
#define DIALECT_FIX(sub, dialect, fix) {WI_SUB_##sub, WI_DIALECT_##dialect, fix},
#include "analyze/advice_dialects.def"
#undef DIALECT_FIX
};

static const struct wi_advice_check CHECKS[] = {
#define ADVICE_CHECK(sub, what, check, not_when) {WI_SUB_##sub, what, check, not_when},
#include "analyze/advice_checks.def"
#undef ADVICE_CHECK
};

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
    const struct wi_advice *general = wi_advice_for(f->subcause);
#define SEEN_IF(sub, rule_id, text)                                                                \
    if (f->subcause == WI_SUB_##sub && f->rule && !strcmp(f->rule, #rule_id))                      \
        return text;
#include "analyze/advice_seen.def"
#undef SEEN_IF
    return general ? general->seen : NULL;
}

const char *wi_advice_in(enum wi_subcause subcause, enum wi_dialect dialect)
{
    for (size_t i = 0; i < WI_ARRAY_LEN(FIXES); i++)
        if (FIXES[i].subcause == subcause && FIXES[i].dialect == dialect)
            return FIXES[i].fix;
    return NULL;
}

const char *wi_advice_fix(const struct wi_finding *finding, enum wi_dialect dialect)
{
    const struct wi_advice *general = wi_advice_for(finding->subcause);
    const char *fix = by_case(finding);
    fix = fix ? fix : wi_advice_in(finding->subcause, dialect);
    return fix ? fix : general ? general->fix : NULL;
}

const struct wi_advice_check *wi_advice_check_for(enum wi_subcause subcause)
{
    for (size_t i = 0; i < WI_ARRAY_LEN(CHECKS); i++)
        if (CHECKS[i].subcause == subcause)
            return &CHECKS[i];
    return NULL;
}
