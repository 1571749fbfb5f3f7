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

int wi_job_reports_load(struct wi_job_reports *reports, const char *folder)
{
    int names = 0;
    memset(reports, 0, sizeof(*reports));
    char **list = wi_list_reports(folder, &names);
    reports->inputs = calloc(names > 0 ? (size_t)names : 1, sizeof(*reports->inputs));
    reports->paths = list;
    for (int i = 0; i < names; i++) {
        struct wi_input *input = &reports->inputs[reports->count];
        if (!reports->inputs || wi_input_load(input, list[i], 0, &reports->error) != 0) {
            if (reports->inputs)
                wi_input_free(input);
            reports->damaged++;
            snprintf(reports->damaged_path, sizeof(reports->damaged_path), "%s", list[i]);
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
