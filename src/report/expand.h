/* Expands the {placeholders} of a finding's texts (placeholders.def).
 * Threads: the owner of the writer. May not: allocate, use stdio. */
#ifndef WI_REPORT_EXPAND_H
#define WI_REPORT_EXPAND_H

#include "analyze/result.h"
#include "base/out.h"
#include "model/names.h"

/* Writes text with every {placeholder} replaced; unknown ones stay as they are, "{{" gives "{". A
 * clause (up to "; ") of which no figure is known is left out: it would tell nothing. Returns the
 * number of unknown placeholders. text may be NULL (writes nothing). */
int wi_expand(struct wi_out *out, const char *text, const struct wi_finding *finding,
              const struct wi_names *names);
/* The number of placeholders in text that are not in the table. */
int wi_expand_check(const char *text);

#endif
