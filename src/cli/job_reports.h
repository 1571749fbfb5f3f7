/* The reports of one job's folder: which one to show in full, and the others.
 * Threads: main. */
#ifndef WI_CLI_JOB_REPORTS_H
#define WI_CLI_JOB_REPORTS_H

#include <limits.h>

#include "cli/input.h"

struct wi_job_reports {
    struct wi_input *inputs; /* those that could be read */
    char **paths;            /* of inputs, in the same order */
    int count;
    int primary; /* of the lowest rank; without ranks, of the process with most device work */
    int damaged; /* files that could not be read */
    char damaged_path[PATH_MAX]; /* of the last of them */
    struct wi_json_error error;  /* and what is wrong with it */
};

/* Reads every report below `folder`. Returns the number read. */
int wi_job_reports_load(struct wi_job_reports *reports, const char *folder);
void wi_job_reports_free(struct wi_job_reports *reports);
/* The report to show; NULL if there is none. */
const struct wi_report *wi_job_reports_primary(const struct wi_job_reports *reports);

#endif
