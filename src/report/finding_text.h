/* One finding in the text report: what was seen, where, what to change and why.
 * Threads: the owner of the writer. May not: allocate, use stdio. */
#ifndef WI_REPORT_FINDING_TEXT_H
#define WI_REPORT_FINDING_TEXT_H

#include "report/layout.h"
#include "report/report.h"

/* "too few loader workers (data-loading/too-few-workers)" */
void wi_put_cause(struct wi_out *out, const struct wi_finding *f);
/* The lines below the headline: cause, what was seen, where, what exposes it. */
void wi_text_first(struct wi_layout *layout, const struct wi_report *report,
                   const struct wi_finding *f);
/* What was seen of it, where, in which function, and what exposes it: as far as it is known. */
void wi_text_evidence(struct wi_layout *layout, const struct wi_report *report,
                      const struct wi_finding *f);
/* The block "FIX number"; of another finding than the verdict's with its cause and evidence;
 * of the verdict's with its cause, where another fix stands before it. */
void wi_text_fix(struct wi_layout *layout, const struct wi_report *report,
                 const struct wi_finding *f, int number);

#endif
