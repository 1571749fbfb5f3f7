/* whyidle check: gates on a report, or on a job that it runs, for CI.
 * Threads: main. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/ci_files.h"
#include "cli/commands.h"
#include "cli/gpu_here.h"
#include "cli/job_run.h"
#include "cli/places.h"
#include "report/headline.h"
#include "report/layout.h"

/* What the gates are held against. */
struct subject {
    const char *name;
    const struct wi_report *primary; /* NULL: there is no report */
    int job_failed;
    struct wi_job_run *run;        /* of "-- PROGRAM", else NULL */
    struct wi_job_reports reports; /* of a folder */
    struct wi_input input;         /* of a file */
};

static int usage(const char *problem)
{
    fprintf(stderr, "whyidle check: %s (see: whyidle help check)\n", problem);
    return WI_EXIT_USAGE;
}

static int load_file(struct subject *subject, int partial)
{
    struct wi_json_error error;
    if (wi_input_load(&subject->input, subject->name, partial, &error) != 0) {
        wi_input_complain(subject->name, &error);
        return WI_EXIT_USAGE;
    }
    subject->primary = &subject->input.saved.report;
    return 0;
}

/* latest: nobody named a folder, so that of several jobs the newest is meant. */
static int load_folder(struct subject *subject, int latest)
{
    wi_job_reports_find(&subject->reports, subject->name);
    if (latest)
        subject->reports.jobs = 0;
    subject->primary = wi_job_reports_primary(&subject->reports);
    wi_job_reports_tell(&subject->reports, subject->name, "check");
    if (subject->reports.damaged > 0)
        return WI_EXIT_USAGE;
    if (!subject->primary) {
        fprintf(stderr, "whyidle: %s: no report in this folder (make one: whyidle PROGRAM)\n",
                subject->name);
        return WI_EXIT_USAGE;
    }
    return 0;
}

static int run_job(struct subject *subject, char **argv)
{
    static struct wi_job_run run;
    int err = wi_job_run(&run, argv, NULL);
    if (err)
        return WI_EXIT_USAGE; /* there was no job that could have failed */
    if (run.reports.damaged > 0) {
        wi_job_reports_complain(&run.reports);
        return WI_EXIT_USAGE;
    }
    subject->run = &run;
    subject->reports = run.reports;
    subject->primary = wi_job_reports_primary(&run.reports);
    subject->job_failed = wi_child_exit(&run.child) != 0;
    return 0;
}

/* The job behind a saved report may have failed as well: then its figures are those of a failure.
 */
static int saved_failure(const struct wi_report *report)
{
    const struct wi_job *job = report->job;
    return job->end == WI_JOB_SIGNALED ||
           (job->end == WI_JOB_EXITED && job->status != WI_UNKNOWN_STATUS && job->status != 0);
}

/* 1 if there was no GPU work at all, by device or by call. */
static int no_work(const struct subject *subject)
{
    const struct wi_report *report = subject->primary;
    return !report || (wi_used_devices(report) == 0 && report->result->coverage.calls == 0);
}

/* 1 if that is for want of a GPU. Where there is one, a job that nothing was seen of may have lost
 * the library on its way (or was seen from outside only), and must not pass as skipped. */
static int no_gpu(const struct subject *subject)
{
    struct wi_gpu_here gpu;
    if (!subject->run)
        return subject->primary->job->level != 'D';
    wi_gpu_ask(&gpu);
    return gpu.devices == 0;
}

static void judge(struct wi_gates *gates, const struct subject *subject, const struct wi_args *args)
{
    int skip = !strcmp(wi_args_value(args, WI_OPT_NO_GPU, "inconclusive"), "skip");
    if (no_work(subject)) {
        int skipped = skip && no_gpu(subject);
        wi_gates_set(gates, skipped ? WI_SKIPPED : WI_UNSURE,
                     skipped ? "there is no GPU" : "no GPU work was seen");
        return;
    }
    if (subject->reports.count == 0)
        wi_gates_judge(gates, subject->primary);
    for (int i = 0; i < subject->reports.count; i++)
        wi_gates_judge(gates, &subject->reports.inputs[i].saved.report);
}

static void print_gates(const struct wi_gates *gates)
{
    for (int i = 0; i < gates->count; i++) {
        char text[256];
        wi_gate_sentence(&gates->gates[i], text, sizeof(text));
        printf("%-12s  %s: %s\n", wi_outcome_word(gates->gates[i].outcome), gates->gates[i].name,
               text);
    }
}

static int conclude(struct subject *subject, const struct wi_args *args)
{
    static struct wi_gates gates;
    static const int STATUSES[] = {WI_EXIT_OK, WI_EXIT_OK, WI_EXIT_INCONCLUSIVE, WI_EXIT_GATE};
    const char *junit = wi_args_value(args, WI_OPT_JUNIT, NULL), *headline = NULL;
    struct wi_phrase phrase;
    if (subject->primary) {
        wi_headline_text(wi_phrase_begin(&phrase), subject->primary);
        headline = wi_phrase_end(&phrase);
        subject->job_failed |= !subject->run && saved_failure(subject->primary);
    }
    wi_gates_make(&gates, args);
    if (subject->job_failed)
        wi_gates_set(&gates, WI_UNSURE, "the job itself failed");
    else
        judge(&gates, subject, args);
    print_gates(&gates);
    if (headline)
        printf("%s\n", headline);
    wi_markdown_append(&gates, subject->name, headline);
    if (junit && wi_junit_write(junit, &gates, subject->name) != 0)
        return WI_EXIT_USAGE;
    return subject->job_failed ? WI_EXIT_JOB : STATUSES[wi_gates_outcome(&gates)];
}

int wi_cmd_check(const struct wi_args *args)
{
    static struct subject subject;
    static struct wi_gates gates;
    static char latest[PATH_MAX];
    struct stat status;
    int err;
    if (wi_gates_make(&gates, args) == 0)
        return usage("no gate given, for example --max-stall 20");
    if (args->rest_count == 0 && args->dashes)
        return usage("no program given behind --");
    if (args->rest_count == 0 && (wi_read_folder(latest) != 0 || access(latest, F_OK) != 0))
        return usage("no report and no program given, and none was made here");
    const char *junit = wi_args_value(args, WI_OPT_JUNIT, NULL);
    if (args->dashes && junit && !wi_can_write(junit)) { /* before a job has run for it */
        fprintf(stderr, "whyidle check: --junit %s: cannot be written: %s\n", junit,
                strerror(errno));
        return WI_EXIT_USAGE;
    }
    subject.name = args->rest_count > 0 ? args->rest[0] : latest;
    if (args->dashes)
        err = run_job(&subject, args->rest);
    else if (stat(subject.name, &status) == 0 && S_ISDIR(status.st_mode))
        err = load_folder(&subject, args->rest_count == 0);
    else
        err = load_file(&subject, wi_args_has(args, WI_OPT_PARTIAL));
    return err ? err : conclude(&subject, args);
}
