/* The writers. Pure: a result in, text out through a wi_out; no malloc, no stdio.
 * Threads: one at a time. Both run inside the job and in the command.
 * Every string from the job (names, paths, arguments) is cleaned before it is written. */
#ifndef WI_REPORT_REPORT_H
#define WI_REPORT_REPORT_H

#include "analyze/result.h"
#include "base/out.h"
#include "model/job.h"
#include "model/names.h"

struct wi_report {
    const struct wi_job *job;
    const struct wi_result *result;
    const struct wi_names *names;
};

struct wi_text_options {
    int width;        /* columns, 40 to 100 */
    int color;        /* 1: ANSI colours */
    int verdict_line; /* 1: first a line "VERDICT <id> ..." for scripts */
    /* The NEXT line: NULL = none; else the file or folder of this report where a command would not
     * find it by itself, "" where it would. */
    const char *hints;
};

/* The report for people (docs/architecture.md shows one). */
void wi_report_text(struct wi_out *out, const struct wi_report *report,
                    const struct wi_text_options *options);
/* The document whyidle-report/1 (docs/whyidle-report-1.schema.json). */
void wi_report_json(struct wi_out *out, const struct wi_report *report);

#endif
