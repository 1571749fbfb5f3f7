/* The fixes that a report tells, and the changes that stand for them.
 * Threads: any. Pure. */
#ifndef WI_ANALYZE_FIXES_H
#define WI_ANALYZE_FIXES_H

#include "analyze/change.h"
#include "analyze/result.h"

/* The findings whose fixes are looked at: the verdict's and the next ones, in the order in which
 * they are told: by what a replay promises; where it promises nothing, the verdict's first, then as
 * the findings stand. Returns how many. */
int wi_fixes_candidates(const struct wi_result *result, int fixes[WI_FIXES]);
/* 0 if a replay says that the fix of the finding gains nothing, neither alone nor after those that
 * stand before it. */
int wi_fix_helps(const struct wi_result *result, int finding);
/* 1 if the finding is a stall worth a fix, and only that it does not help speaks against it. */
int wi_fix_is_left_out(const struct wi_result *result, int finding);
/* Those of the candidates that help, as they are told. Returns how many. */
int wi_fixes_of(const struct wi_result *result, int fixes[WI_FIXES]);
/* Adds what stands for the fixes of all these findings; those without a remedy add nothing. What is
 * said of one cause alone stands before what a universe does to its neighbours. */
void wi_fix_change(struct wi_change *change, const struct wi_finding *const *findings, int count);
/* Where idle cores limit what more workers bring to a cause: the cause gone instead, returns 1. */
int wi_fix_unlimited(struct wi_change *change, int cause);

#endif
