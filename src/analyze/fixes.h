/* The fixes that a report tells, and the changes that stand for them.
 * Threads: any. Pure. */
#ifndef WI_ANALYZE_FIXES_H
#define WI_ANALYZE_FIXES_H

#include "analyze/change.h"
#include "analyze/result.h"

/* The findings whose fixes are told, as they are told: that of the verdict first, then by what they
 * save. Returns how many. */
int wi_fixes_of(const struct wi_result *result, int fixes[WI_FIXES]);
/* Adds what stands for the fixes of all these findings; those without a remedy add nothing. What is
 * said of one cause alone stands before what a universe does to its neighbours. */
void wi_fix_change(struct wi_change *change, const struct wi_finding *const *findings, int count);
/* Where idle cores limit what more workers bring to a cause: the cause gone instead, returns 1. */
int wi_fix_unlimited(struct wi_change *change, int cause);

#endif
