/* The reports of one job's folder, see job_reports.h.
 * Threads: main. */
#include "cli/job_reports.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/places.h"

/* 1 if a is the better one to show. */
static int better(const struct wi_report *a, const struct wi_report *b)
{
    int a_ranked = a->job->rank != WI_UNKNOWN, b_ranked = b->job->rank != WI_UNKNOWN;
    if (a_ranked != b_ranked)
        return a_ranked;
    if (a_ranked && a->job->rank != b->job->rank)
        return a->job->rank < b->job->rank;
    return a->result->coverage.ops > b->result->coverage.ops;
}

static void leave(struct wi_job_reports *reports, const char *path,
                  const struct wi_json_error *error)
{
    int at = reports->damaged++;
    if (at >= WI_LEFT_TOLD)
        return;
    snprintf(reports->left[at].path, sizeof(reports->left[at].path), "%s", path);
    reports->left[at].error = *error;
}

int wi_job_reports_load(struct wi_job_reports *reports, const char *folder)
{
    int names = 0;
    memset(reports, 0, sizeof(*reports));
    snprintf(reports->folder, sizeof(reports->folder), "%s", folder);
    reports->strange = wi_count_strange(folder);
    char **list = wi_list_reports(folder, &names);
    reports->inputs = calloc(names > 0 ? (size_t)names : 1, sizeof(*reports->inputs));
    reports->paths = list;
    for (int i = 0; i < names; i++) {
        struct wi_input *input = &reports->inputs[reports->count];
        struct wi_json_error error = {.text = "out of memory", .offset = -1};
        if (!reports->inputs || wi_input_load(input, list[i], 0, &error) != 0) {
            if (reports->inputs)
                wi_input_free(input);
            leave(reports, list[i], &error);
            free(list[i]);
            continue;
        }
        list[reports->count] = list[i];
        if (better(&input->saved.report, &reports->inputs[reports->primary].saved.report))
            reports->primary = reports->count;
        reports->count++;
    }
    return reports->count;
}

int wi_job_reports_find(struct wi_job_reports *reports, const char *folder)
{
    char newest[PATH_MAX];
    int jobs = wi_count_jobs(folder);
    if (wi_job_reports_load(reports, folder) == 0 && reports->damaged == 0 &&
        wi_latest_job(folder, newest) == 0) {
        wi_job_reports_free(reports);
        wi_job_reports_load(reports, newest);
        reports->jobs = jobs;
    }
    return reports->count;
}

void wi_job_reports_complain(const struct wi_job_reports *reports)
{
    for (int i = 0; i < reports->damaged && i < WI_LEFT_TOLD; i++)
        wi_input_complain(reports->left[i].path, &reports->left[i].error);
    if (reports->damaged > WI_LEFT_TOLD)
        fprintf(stderr, "whyidle: %s: %d more files like these\n", reports->folder,
                reports->damaged - WI_LEFT_TOLD);
}

void wi_job_reports_tell(const struct wi_job_reports *reports, const char *given,
                         const char *command)
{
    wi_job_reports_complain(reports);
    if (reports->damaged > 0 && reports->count > 0)
        fprintf(stderr, "whyidle: %s: %d of %d reports read, %d left out\n", reports->folder,
                reports->count, reports->count + reports->damaged, reports->damaged);
    if (reports->strange > 0 && reports->count > 0)
        fprintf(stderr,
                "whyidle: %s: %d other file%s left out, as *.json are reports; a recording alone: "
                "whyidle report FILE\n",
                reports->folder, reports->strange, reports->strange == 1 ? "" : "s");
    if (reports->jobs > 1 && reports->count > 0)
        fprintf(stderr,
                "whyidle: %s holds %d jobs; this is the latest, %s; another: whyidle %s %s/JOB\n",
                given, reports->jobs, reports->folder, command, given);
}

void wi_job_reports_free(struct wi_job_reports *reports)
{
    for (int i = 0; i < reports->count; i++)
        wi_input_free(&reports->inputs[i]);
    wi_free_list(reports->paths, reports->count);
    free(reports->inputs);
    memset(reports, 0, sizeof(*reports));
}

const struct wi_report *wi_job_reports_primary(const struct wi_job_reports *reports)
{
    return reports->count > 0 ? &reports->inputs[reports->primary].saved.report : NULL;
}
