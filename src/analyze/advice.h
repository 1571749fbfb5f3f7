/* What to change, in the words of a framework and in the light of what was seen; how to check it
 * and when it will not help. The general row of each sub-cause is wi_advice_for() of rules.h.
 * Threads: any. Pure. */
#ifndef WI_ANALYZE_ADVICE_H
#define WI_ANALYZE_ADVICE_H

#include "analyze/result.h"
#include "model/dialect.h"

struct wi_advice_check {
    const char *what, *check, *not_when; /* not_when: "-" if it always helps */
};

/* The fix that fits a finding: by what was seen, else in the dialect, else in general; NULL if the
 * sub-cause has none. */
const char *wi_advice_fix(const struct wi_finding *finding, enum wi_dialect dialect);
/* What was seen, as the rule that decided says it, else in general; NULL if the sub-cause has none.
 */
const char *wi_advice_seen(const struct wi_finding *finding);
/* The fix of one dialect, NULL where it does not differ from the general one. */
const char *wi_advice_in(enum wi_subcause subcause, enum wi_dialect dialect);
/* NULL in all if there is none. */
struct wi_advice_check wi_advice_check_for(enum wi_subcause subcause);

#endif
