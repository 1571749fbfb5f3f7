/* whyidle run: the job under the preload, then one report on stderr.
 * Threads: main. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/job_run.h"
#include "cli/merge_view.h"
#include "cli/places.h"
#include "cli/show.h"
#include "report/human.h"
#include "report/layout.h"

/* A process that was killed, or left by _exit or exec, has left its rolling report: the wrapper
 * knows how it ended. Returns 1 if the primary report is such a one. */
static int note_the_end(struct wi_job_run *run)
{
    int rolling = 0;
    for (int i = 0; i < run->reports.count; i++) {
        struct wi_saved_report *saved = &run->reports.inputs[i].saved;
        int is_child = saved->job.pid == run->child.pid;
        if (saved->job.end != WI_JOB_RUNNING ||
            (!is_child && saved->job.pid > 0 && kill((pid_t)saved->job.pid, 0) == 0))
            continue;
        int killed = is_child && WIFSIGNALED(run->child.status);
        saved->job.end = killed ? WI_JOB_SIGNALED : WI_JOB_EXITED;
        saved->job.status = killed     ? WTERMSIG(run->child.status)
                            : is_child ? WEXITSTATUS(run->child.status)
                                       : WI_UNKNOWN_STATUS;
        rolling |= i == run->reports.primary;
    }
    return rolling;
}

/* "whyidle: the job was killed; data to 2.1 s before the end" */
static void tell_rolling(const struct wi_job_run *run, const struct wi_report *report)
{
    char text[64];
    struct wi_out out;
    int64_t last = report->result->watermark_ns;
    if (last == WI_UNKNOWN || last < report->result->end_ns)
        last = report->result->end_ns;
    wi_out_mem(&out, text, sizeof(text));
    wi_human_ns(&out, run->ended_ns > last ? run->ended_ns - last : 0);
    wi_out_finish(&out);
    fprintf(stderr, "whyidle: the job %s; data to %s before the end\n",
            report->job->end == WI_JOB_SIGNALED ? "was killed" : "left no final report", text);
}

/* WHYIDLE_PRINT: rank0 (default), all, none. */
static int print_is(const char *word)
{
    const char *value = getenv("WHYIDLE_PRINT");
    return value && !strcmp(value, word);
}

/* Of several ranks, who waits for whom: one report alone cannot tell. */
static void tell_ranks(const struct wi_job_run *run)
{
    struct wi_merge merge;
    struct wi_phrase phrase;
    if (run->reports.count < 2 || wi_merge_make(&merge, &run->reports) != 0)
        return;
    if (merge.compared) {
        wi_merge_sentence(wi_phrase_begin(&phrase), &merge);
        fprintf(stderr, "whyidle: %s (whyidle merge %s)\n", wi_phrase_end(&phrase), run->folder);
    }
    wi_merge_free(&merge);
}

static void print_report(const struct wi_args *args, const struct wi_job_run *run, int rolling)
{
    const struct wi_report *primary = wi_job_reports_primary(&run->reports);
    fputc('\n', stderr);
    if (rolling)
        tell_rolling(run, primary);
    wi_show_text(STDERR_FILENO, primary, args, run->elsewhere ? run->folder : "");
    for (int i = 0; i < run->reports.count && print_is("all"); i++) {
        if (i == run->reports.primary)
            continue;
        fputc('\n', stderr);
        wi_show_text(STDERR_FILENO, &run->reports.inputs[i].saved.report, args, NULL);
    }
    for (int i = 0; i < run->reports.count && run->reports.count > 1; i++)
        wi_show_line(STDERR_FILENO, &run->reports.inputs[i].saved.report, run->reports.paths[i]);
    tell_ranks(run);
}

/* "whyidle: the job failed (signal 11); its report: whyidle report FOLDER" */
static void tell_failure(const struct wi_job_run *run)
{
    int by = WIFSIGNALED(run->child.status);
    fprintf(stderr, "whyidle: the job failed (%s %d); its report: whyidle report %s\n",
            by ? "signal" : "status",
            by ? WTERMSIG(run->child.status) : WEXITSTATUS(run->child.status), run->folder);
}

static void tell(const struct wi_args *args, struct wi_job_run *run)
{
    const char *json = wi_args_value(args, WI_OPT_JSON, NULL);
    const struct wi_report *primary = wi_job_reports_primary(&run->reports);
    int rolling = note_the_end(run);
    if (primary && json)
        wi_save_json(json, primary);
    else if (json)
        fprintf(stderr, "whyidle: --json %s: there is no report to write\n", json);
    if (wi_args_has(args, WI_OPT_QUIET) || print_is("none"))
        return;
    if (!primary)
        wi_job_no_cuda(run);
    else if (wi_job_failed(run))
        tell_failure(run);
    else
        print_report(args, run, rolling);
}

int wi_cmd_run(const struct wi_args *args)
{
    static struct wi_job_run run;
    if (args->rest_count == 0) {
        fprintf(stderr, "whyidle run: no program given (see: whyidle help run)\n");
        return WI_EXIT_USAGE;
    }
    const char *json = wi_args_value(args, WI_OPT_JSON, NULL);
    if (json && !wi_can_write(json)) {
        fprintf(stderr, "whyidle run: --json %s: cannot be written: %s; the job was not started\n",
                json, strerror(errno));
        return WI_EXIT_USAGE;
    }
    int err = wi_job_run(&run, args->rest, NULL);
    if (err)
        return err;
    tell(args, &run);
    wi_job_free(&run);
    wi_child_end_like(&run.child);
}
