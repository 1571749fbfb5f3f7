/* What whyidle reports of a block, in one process and without files: the engine and the writer that
 * `whyidle report` runs, for thousands of variants.
 * Threads: one. */
#ifndef WI_TIMELINE_REPORT_H
#define WI_TIMELINE_REPORT_H

#include "timeline.h"

/* json[r] gets the document of rank r on one line, to be freed. Returns 0 or -1. */
int tl_reports(const struct tl_block *block, int64_t max_loops, char *json[TL_MAX_RANKS]);

#endif
