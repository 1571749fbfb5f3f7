/* Writes the merged view of a job's ranks.
 * Threads: main. */
#ifndef WI_CLI_MERGE_SHOW_H
#define WI_CLI_MERGE_SHOW_H

#include "cli/merge_view.h"
#include "report/layout.h"

/* For people: the answer, a table with the ranks as rows, the collectives, what it rests on.
 * verdict_line: begin with "VERDICT <id> straggler=<rank, or -> comm-wait=<percent>". */
void wi_merge_text(struct wi_layout *layout, const struct wi_merge *merge,
                   const struct wi_job_reports *reports, int verdict_line);
/* The document whyidle-merge/1; docs/merge.md has its keys. */
void wi_merge_json(struct wi_out *out, const struct wi_merge *merge,
                   const struct wi_job_reports *reports);

#endif
