/* Rows of the merged view, see merge_view.h.
 * Threads: one at a time. */
#include "cli/merge_view.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/limits.h"
#include "base/err.h"
#include "report/headline.h"

static int compare(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

/* WI_UNKNOWN ranks last. */
static int by_rank(const void *a, const void *b)
{
    const struct wi_merge_row *left = a, *right = b;
    const struct wi_job *l = left->report->job, *r = right->report->job;
    int order = compare(l->rank == WI_UNKNOWN, r->rank == WI_UNKNOWN);
    order = order ? order : compare(l->rank, r->rank);
    order = order ? order : compare(l->pid, r->pid);
    order = order ? order : strcmp(left->path, right->path);
    return order ? order : compare(left->device->info.device, right->device->info.device);
}

static int add_rows(struct wi_merge *merge, const struct wi_job_reports *reports)
{
    int most = 0;
    for (int i = 0; i < reports->count; i++)
        most += wi_used_devices(&reports->inputs[i].saved.report);
    merge->rows = calloc((size_t)most + 1, sizeof(*merge->rows));
    if (!merge->rows)
        return WI_ERR_NOMEM;
    for (int i = 0; i < reports->count; i++) {
        const struct wi_report *report = &reports->inputs[i].saved.report;
        for (int d = 0; d < report->result->device_count; d++) {
            if (!report->result->devices[d].used)
                continue;
            merge->rows[merge->row_count++] =
                (struct wi_merge_row){.report = report,
                                      .device = &report->result->devices[d],
                                      .path = reports->paths[i],
                                      .waited_ns = WI_UNKNOWN,
                                      .comm_wait_ns = WI_UNKNOWN};
        }
    }
    qsort(merge->rows, (size_t)merge->row_count, sizeof(*merge->rows), by_rank);
    return 0;
}

/* Rows are sorted by rank: a rank with several reports stands in neighbouring rows. */
static void count_ranks(struct wi_merge *merge)
{
    int64_t world = WI_UNKNOWN, seen = 0;
    for (int i = 0; i < merge->row_count; i++) {
        const struct wi_job *job = merge->rows[i].report->job;
        const struct wi_job *before = i ? merge->rows[i - 1].report->job : NULL;
        if (job->rank == WI_UNKNOWN)
            break;
        if (job->world != WI_UNKNOWN && (world == WI_UNKNOWN || job->world > world))
            world = job->world;
        if (!before || before->rank != job->rank)
            seen++;
        else if (before != job)
            merge->doubled_ranks++;
    }
    merge->missing_ranks = world == WI_UNKNOWN ? WI_UNKNOWN : world > seen ? world - seen : 0;
}

int wi_merge_make(struct wi_merge *merge, const struct wi_job_reports *reports)
{
    memset(merge, 0, sizeof(*merge));
    merge->own_mhz = merge->others_mhz = WI_UNKNOWN;
    int err = add_rows(merge, reports);
    if (!err)
        err = wi_merge_match(merge);
    if (err) {
        wi_merge_free(merge);
        return err;
    }
    count_ranks(merge);
    wi_merge_blame(merge);
    return 0;
}

void wi_merge_free(struct wi_merge *merge)
{
    free(merge->rows);
    free(merge->matches);
    free(merge->members);
    memset(merge, 0, sizeof(*merge));
}

int64_t wi_merge_window_ns(const struct wi_merge_row *row)
{
    return wi_window_ns(row->device);
}

int64_t wi_merge_subcause_ns(const struct wi_merge_row *row, enum wi_subcause subcause)
{
    int64_t moved = row->comm_wait_ns == WI_UNKNOWN ? 0 : row->comm_wait_ns;
    int64_t ns = row->device->subcause_ns[subcause];
    return subcause == WI_SUB_COMM_WAIT            ? ns + moved
           : subcause == WI_SUB_EXPOSED_COLLECTIVE ? ns - moved
                                                   : ns;
}

static double mean_share(const struct wi_merge *merge, enum wi_subcause subcause)
{
    double sum = 0;
    for (int i = 0; i < merge->row_count; i++) {
        int64_t window = wi_merge_window_ns(&merge->rows[i]);
        if (window > 0)
            sum += (double)wi_merge_subcause_ns(&merge->rows[i], subcause) / (double)window;
    }
    return merge->row_count ? sum / merge->row_count : 0;
}

const char *wi_merge_verdict(const struct wi_merge *merge, double *share)
{
    int largest = -1;
    *share = 0;
    for (int i = 0; i < WI_SUB_COUNT; i++) {
        double here = mean_share(merge, (enum wi_subcause)i);
        if (!wi_class_is_stall(wi_subcause_class((enum wi_subcause)i)) || here <= *share)
            continue;
        *share = here;
        largest = i;
    }
    if (!merge->row_count)
        return "inconclusive";
    if (largest >= 0 && *share * 1000 >= (double)WI_LIMIT_VERDICT_PERMILLE)
        return wi_subcause_id((enum wi_subcause)largest);
    double compute = mean_share(merge, WI_SUB_COMPUTE);
    if (compute * 1000 < (double)WI_LIMIT_LIMITED_BY_GPU_PERMILLE)
        return "none";
    *share = compute;
    return "compute";
}
