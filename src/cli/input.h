/* Anything that can be shown: a saved report, or a recording that the engine accounts here.
 * Threads: one at a time. */
#ifndef WI_CLI_INPUT_H
#define WI_CLI_INPUT_H

#include "analyze/engine.h"
#include "cli/report_read.h"
#include "import/import.h"

struct wi_input {
    struct wi_saved_report saved; /* saved.report is what the writers take */
    struct wi_engine *engine;     /* of a recording */
    struct wi_import_info info;   /* of a recording */
    char reason[256];             /* what job.level_reason may point to */
};

/* Reads the file. Returns 0, or a negative code with *error filled (its text names no file). In
 * either case wi_input_free() releases everything. partial: use a damaged recording's beginning. */
int wi_input_load(struct wi_input *input, const char *path, int partial,
                  struct wi_json_error *error);
void wi_input_free(struct wi_input *input);
/* "whyidle: FILE: what is wrong (at byte N)" on stderr. */
void wi_input_complain(const char *path, const struct wi_json_error *error);

#endif
