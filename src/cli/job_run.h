/* A job under the preload: its environment, its folder, and what it left there.
 * Threads: main. */
#ifndef WI_CLI_JOB_RUN_H
#define WI_CLI_JOB_RUN_H

#include <limits.h>

#include "cli/child.h"
#include "cli/job_reports.h"

struct wi_job_run {
    struct wi_child child;
    char library[PATH_MAX];
    char folder[PATH_MAX];      /* WHYIDLE_JOB_DIR: made by the job when it has something */
    char preload[PATH_MAX * 2]; /* LD_PRELOAD */
    char wrapper[24];           /* WHYIDLE_WRAPPER_PID */
    const char *env[2 * 6 + 1];
    int elsewhere; /* 1: in the temporary folder, where `whyidle report` looks only if it has to */
    struct wi_job_reports reports;
    long long ended_ns; /* CLOCK_REALTIME */
    int nowhere;        /* no folder can be written to: there will be no report */
};

/* Prepares and runs argv. extra_env: NAME, VALUE, ..., NULL on top, may be NULL, at most 2 pairs.
 * Returns 0 if the job ran (run->reports is loaded), else an exit status after one line on stderr.
 */
int wi_job_run(struct wi_job_run *run, char **argv, const char *const *extra_env);
/* Did the job fail by itself? Not if somebody ended it from outside. */
int wi_job_failed(const struct wi_job_run *run);
/* Was it ended from outside, by a signal such as SIGTERM? */
int wi_job_interrupted(const struct wi_job_run *run);
/* One line on stderr: no process used CUDA, the usual reason, the command that helps. */
void wi_job_no_cuda(const struct wi_job_run *run);
void wi_job_free(struct wi_job_run *run);

#endif
