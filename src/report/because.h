/* The fix of a finding in the words of the job's framework, and the arithmetic behind it.
 * Threads: the owner of the writer. May not: allocate, use stdio. */
#ifndef WI_REPORT_BECAUSE_H
#define WI_REPORT_BECAUSE_H

#include "model/dialect.h"
#include "report/report.h"

/* What the job says of itself, else what the names of its program and kernels show. */
enum wi_dialect wi_report_dialect(const struct wi_report *report);
/* The template of the fix: the engine's own text is replaced by one that fits this job better; a
 * text from elsewhere stands. NULL if there is none. */
const char *wi_fix_of(const struct wi_report *report, const struct wi_finding *finding);
/* Writes the arithmetic; nothing where figures for it are missing. */
void wi_put_because(struct wi_out *out, const struct wi_report *report,
                    const struct wi_finding *finding);

#endif
