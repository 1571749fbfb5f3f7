/* The reports of one job's folder: which one to show in full, and the others.
 * Threads: main. */
#ifndef WI_CLI_JOB_REPORTS_H
#define WI_CLI_JOB_REPORTS_H

#include <limits.h>

#include "cli/input.h"

#define WI_LEFT_TOLD 8

struct wi_job_reports {
    struct wi_input *inputs; /* those that could be read */
    char **paths;            /* of inputs, in the same order */
    int count;
    int primary; /* of the lowest rank; without ranks, of the process with most device work */
    int damaged; /* files that could not be read */
    struct wi_damaged {
        char path[PATH_MAX];
        struct wi_json_error error; /* what is wrong with it */
    } left[WI_LEFT_TOLD];           /* the first of them */
    char folder[PATH_MAX];          /* where they lie */
    int jobs;    /* folders of jobs beside it, itself included; 0 = not looked at */
    int strange; /* files in it that have no name of a report */
};

/* Reads every report below `folder`. Returns the number read. */
int wi_job_reports_load(struct wi_job_reports *reports, const char *folder);
/* The same; where `folder` holds no report but the folders of jobs, of the newest of them. */
int wi_job_reports_find(struct wi_job_reports *reports, const char *folder);
/* Says on stderr what was left out of `given`, if anything was, and how to see it; command: the
 * word of the command that shows reports. */
void wi_job_reports_tell(const struct wi_job_reports *reports, const char *given,
                         const char *command);
void wi_job_reports_free(struct wi_job_reports *reports);
/* Says on stderr what is wrong with the files that could not be read. */
void wi_job_reports_complain(const struct wi_job_reports *reports);
/* The report to show; NULL if there is none. */
const struct wi_report *wi_job_reports_primary(const struct wi_job_reports *reports);

#endif
