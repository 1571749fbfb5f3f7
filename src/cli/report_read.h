/* Reads a document whyidle-report/1 back into the structs it was written from, so that the same
 * writers show it. Threads: one at a time. */
#ifndef WI_CLI_REPORT_READ_H
#define WI_CLI_REPORT_READ_H

#include "base/arena.h"
#include "cli/json_doc.h"
#include "report/report.h"

/* A report read from a file. Everything hangs in `arena` and `names`. */
struct wi_saved_report {
    struct wi_arena arena;
    struct wi_names *names;
    struct wi_job job;
    struct wi_result result;
    struct wi_report report; /* points to the three above */
};

/* Prepares an empty report; 0 or WI_ERR_NOMEM. */
int wi_saved_report_init(struct wi_saved_report *saved);
void wi_saved_report_free(struct wi_saved_report *saved);
/* Fills the report from the document data[0..len). Returns 0, or a negative code with *error
 * filled: another schema, a missing key, a value of the wrong type, sums that do not hold. */
int wi_report_read(struct wi_saved_report *saved, const unsigned char *data, size_t len,
                   struct wi_json_error *error);

#endif
