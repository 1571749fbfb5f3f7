/* Which ranks the others wait for, and why, see merge_view.h.
 * Threads: one at a time. */
#include <string.h>

#include "analyze/limits.h"
#include "base/attr.h"
#include "cli/merge_view.h"
#include "model/collective.h"
#include "report/human.h"

/* Stragglers cause at least this part of the waiting; ranks that take turns cause less each. */
#define MOST_OF_IT 0.75
/* Where less than this part of it is the own of any rank, the ranks delay one another in turn. */
#define OWN_PART 0.25
/* A reason must be as long as this part of what the others wait, on average. */
#define EXPLAINS 0.5
/* A clock slows down every kernel: this many kernels, this part of their time, alike to 10 %. */
#define CLOCK_KERNELS 3
#define CLOCK_COVERS  0.8
#define CLOCK_ALIKE   0.1
#define CLOCK_LEAST   1.05 /* clocks of healthy devices of one kind differ by a few percent */
#define MOST_KERNELS  64

/* 1 if some collectives have other ranks than others. */
static int groups_differ(const struct wi_merge *merge)
{
    for (int i = 0; i < merge->match_count; i++)
        if (merge->matches[i].compared && merge->matches[i].ranks < merge->row_count)
            return 1;
    return 0;
}

/* What a row answers for. A rank that waits in one group comes late to the next: what it waited
 * itself is passed on, and not its own. */
static double blame(const struct wi_merge_row *row, int net)
{
    double caused = (double)row->caused_ns;
    if (net && row->waited_ns != WI_UNKNOWN)
        caused -= (double)row->waited_ns;
    return caused > 0 ? caused : 0;
}

static double blame_of_all(const struct wi_merge *merge, int net)
{
    double sum = 0;
    for (int i = 0; i < merge->row_count; i++)
        sum += blame(&merge->rows[i], net);
    return sum;
}

/* Marks the row that caused most of those not marked yet; -1 if none caused anything. */
static int mark_next(struct wi_merge *merge, int net)
{
    int most = -1;
    for (int i = 0; i < merge->row_count; i++) {
        const struct wi_merge_row *row = &merge->rows[i];
        if (!row->straggler && blame(row, net) > 0 &&
            (most < 0 || blame(row, net) > blame(&merge->rows[most], net)))
            most = i;
    }
    if (most >= 0)
        merge->rows[most].straggler = 1;
    return most;
}

/* The fewest ranks that cause most of the waiting, if they are at most half of all. */
static void mark_stragglers(struct wi_merge *merge)
{
    int net = groups_differ(merge) && blame_of_all(merge, 1) >= OWN_PART * blame_of_all(merge, 0);
    double sum = 0, caused = blame_of_all(merge, net);
    int at, marked = 0;
    while (sum < MOST_OF_IT * caused && (at = mark_next(merge, net)) >= 0) {
        sum += blame(&merge->rows[at], net);
        marked++;
    }
    merge->in_turn = 2 * marked > merge->row_count;
    merge->stragglers = merge->in_turn ? 0 : marked;
    for (int i = 0; i < merge->row_count && merge->in_turn; i++)
        merge->rows[i].straggler = 0;
}

/* Mean time of a sub-cause over the stragglers, or over the others. */
static double mean(const struct wi_merge *merge, enum wi_subcause subcause, int stragglers)
{
    double sum = 0;
    int rows = 0;
    for (int i = 0; i < merge->row_count; i++) {
        if (merge->rows[i].straggler != stragglers)
            continue;
        sum += (double)merge->rows[i].device->subcause_ns[subcause];
        rows++;
    }
    return rows ? sum / rows : 0;
}

/* Work of the device itself, or of a communication, is no pause of the rank. */
static int is_pause(enum wi_subcause subcause)
{
    enum wi_class group = wi_subcause_class(subcause);
    return group != WI_CLASS_COMPUTE && group != WI_CLASS_COMMUNICATION &&
           subcause != WI_SUB_UNDER_FILLED;
}

/* The pause that the stragglers have more of than the others; in turn: the largest of all. */
static enum wi_subcause largest_pause(const struct wi_merge *merge, double *excess)
{
    enum wi_subcause largest = WI_SUB_UNDETERMINED;
    *excess = 0;
    for (int i = 0; i < WI_SUB_COUNT; i++) {
        double here = mean(merge, (enum wi_subcause)i, 0);
        if (!merge->in_turn)
            here = mean(merge, (enum wi_subcause)i, 1) - here;
        if (!is_pause((enum wi_subcause)i) || here <= *excess)
            continue;
        *excess = here;
        largest = (enum wi_subcause)i;
    }
    return largest;
}

static const struct wi_merge_row *first_row(const struct wi_merge *merge, int stragglers)
{
    for (int i = 0; i < merge->row_count; i++)
        if (merge->rows[i].straggler == stragglers)
            return &merge->rows[i];
    return NULL;
}

static const struct wi_kernel_row *kernel_of(const struct wi_merge_row *row, const char *name)
{
    const struct wi_result *result = row->report->result;
    for (int i = 0; i < result->kernel_count; i++)
        if (result->kernels[i].device == row->device->info.device &&
            !strcmp(wi_names_text(row->report->names, result->kernels[i].name), name))
            return &result->kernels[i];
    return NULL;
}

/* How much longer a kernel takes on the straggler, 0 if it does not run there just as often and
 * with the same grid. */
static double slower_by(const struct wi_kernel_row *a, const struct wi_kernel_row *b)
{
    if (!b || a->count != b->count || !b->total_ns || memcmp(a->grid, b->grid, sizeof(a->grid)) ||
        memcmp(a->block, b->block, sizeof(a->block)))
        return 0;
    return (double)a->total_ns / (double)b->total_ns;
}

static double median(double *values, int count)
{
    for (int i = 1; i < count; i++)
        for (int j = i; j > 0 && values[j - 1] > values[j]; j--) {
            double swap = values[j];
            values[j] = values[j - 1];
            values[j - 1] = swap;
        }
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

/* The factor by which all kernels of `late` are slower than those of `other`, 0 if they are not,
 * or not all alike: then it is the work that differs. */
static double clock_factor(const struct wi_merge_row *late, const struct wi_merge_row *other)
{
    const struct wi_result *result = late->report->result;
    double factors[MOST_KERNELS], whole = 0, alike = 0;
    int count = 0;
    for (int i = 0; i < result->kernel_count && count < MOST_KERNELS; i++) {
        const struct wi_kernel_row *kernel = &result->kernels[i];
        const char *name = wi_names_text(late->report->names, kernel->name);
        if (kernel->device != late->device->info.device || wi_name_is_collective(name))
            continue;
        double factor = name[0] ? slower_by(kernel, kernel_of(other, name)) : 0;
        whole += (double)kernel->total_ns;
        if (factor > 0) {
            alike += (double)kernel->total_ns;
            factors[count++] = factor;
        }
    }
    if (count < CLOCK_KERNELS || alike < CLOCK_COVERS * whole)
        return 0;
    double middle = median(factors, count); /* sorts them */
    int even = factors[0] >= (1 - CLOCK_ALIKE) * middle &&
               factors[count - 1] <= (1 + CLOCK_ALIKE) * middle;
    return even && middle >= CLOCK_LEAST ? middle : 0;
}

/* Mean clock of the stragglers, or of the others, as NVML told it; WI_UNKNOWN if of none. */
static int64_t mean_mhz(const struct wi_merge *merge, int stragglers)
{
    int64_t sum = 0, rows = 0;
    for (int i = 0; i < merge->row_count; i++) {
        int64_t mhz = merge->rows[i].report->result->host.gpu_clock_mhz;
        if (merge->rows[i].straggler != stragglers || mhz <= 0 || mhz > INT32_MAX)
            continue;
        sum += mhz;
        rows++;
    }
    return rows ? sum / rows : WI_UNKNOWN;
}

/* Where the kernels cannot be compared: the factor of the clocks, if it explains half and more of
 * what the device works longer; else 0. */
static double told_factor(const struct wi_merge *merge, double own, double others)
{
    if (merge->own_mhz == WI_UNKNOWN || merge->others_mhz == WI_UNKNOWN)
        return 0;
    double factor = (double)merge->others_mhz / (double)merge->own_mhz;
    return factor >= CLOCK_LEAST && others * (factor - 1) >= EXPLAINS * (own - others) ? factor : 0;
}

/* Of one straggler, or several: the device works longer there, or the rank pauses. */
static void find_reason(struct wi_merge *merge, double waited)
{
    double excess, own = mean(merge, WI_SUB_COMPUTE, 1) + mean(merge, WI_SUB_UNDER_FILLED, 1);
    double others = mean(merge, WI_SUB_COMPUTE, 0) + mean(merge, WI_SUB_UNDER_FILLED, 0);
    enum wi_subcause pause = largest_pause(merge, &excess);
    merge->own_mhz = mean_mhz(merge, 1);
    merge->others_mhz = mean_mhz(merge, 0);
    const struct wi_merge_row *late = first_row(merge, 1), *other = first_row(merge, 0);
    if (own - others >= excess && own - others >= EXPLAINS * waited) {
        merge->factor = late && other ? clock_factor(late, other) : 0;
        if (!(merge->factor > 0))
            merge->factor = told_factor(merge, own, others);
        merge->reason = merge->factor > 0 ? WI_MERGE_SLOWER_CLOCK : WI_MERGE_DEVICE_WORK;
    } else if (excess >= EXPLAINS * waited) {
        merge->reason = WI_MERGE_PAUSE;
        merge->pause = pause;
        own = mean(merge, pause, 1);
        others = mean(merge, pause, 0);
    }
    merge->own_ns = (int64_t)own;
    merge->others_ns = (int64_t)others;
}

/* Ranks that take turns hide each other's pauses: a pause of one is waiting of all others. */
static void find_shared_reason(struct wi_merge *merge, double waited)
{
    double own;
    enum wi_subcause pause = largest_pause(merge, &own);
    if (own * (merge->row_count - 1) < EXPLAINS * waited)
        return;
    merge->reason = WI_MERGE_PAUSE;
    merge->pause = pause;
    merge->own_ns = (int64_t)own;
}

void wi_merge_blame(struct wi_merge *merge)
{
    double waited = 0, share = 0;
    int rows = 0;
    for (int i = 0; i < merge->row_count; i++) {
        const struct wi_merge_row *row = &merge->rows[i];
        int64_t window = wi_merge_window_ns(row);
        if (row->comm_wait_ns == WI_UNKNOWN || window <= 0)
            continue;
        waited += (double)row->comm_wait_ns;
        share += (double)row->comm_wait_ns / (double)window;
        rows++;
    }
    merge->mean_wait = rows ? share / rows : 0;
    if (!rows || merge->mean_wait * 1000 < (double)WI_LIMIT_FINDING_PERMILLE)
        return;
    mark_stragglers(merge);
    /* Those who wait are the others: all but the stragglers; in turn everybody. */
    int waiting = rows - merge->stragglers;
    if (waiting > 0 && merge->in_turn)
        find_shared_reason(merge, waited / waiting);
    else if (waiting > 0)
        find_reason(merge, waited / waiting);
}

void wi_merge_label(struct wi_out *out, const struct wi_merge_row *row)
{
    const struct wi_job *job = row->report->job;
    int used = 0;
    if (job->rank != WI_UNKNOWN)
        wi_out_f(out, "rank %lld", (long long)job->rank);
    else if (job->pid)
        wi_out_f(out, "pid %lld", (long long)job->pid);
    else
        wi_out_clean(out, strrchr(row->path, '/') ? strrchr(row->path, '/') + 1 : row->path);
    for (int i = 0; i < row->report->result->device_count; i++)
        used += row->report->result->devices[i].used;
    if (used > 1)
        wi_out_f(out, " GPU %d", row->device->info.device);
}

static void put_stragglers(struct wi_out *out, const struct wi_merge *merge)
{
    int put = 0;
    if (merge->stragglers > 4) {
        wi_out_f(out, "%d ranks", merge->stragglers);
        return;
    }
    for (int i = 0; i < merge->row_count; i++) {
        if (!merge->rows[i].straggler)
            continue;
        wi_out_str(out, put == 0 ? "" : put + 1 == merge->stragglers ? " and " : ", ");
        wi_merge_label(out, &merge->rows[i]);
        put++;
    }
}

static void put_reason(struct wi_out *out, const struct wi_merge *merge)
{
    switch (merge->reason) {
    case WI_MERGE_UNKNOWN:
        wi_out_str(out, "why is not known");
        return;
    case WI_MERGE_DEVICE_WORK:
        wi_out_str(out, "more device work: kernels run ");
        break;
    case WI_MERGE_SLOWER_CLOCK:
        wi_out_str(out, "a slower clock: the same kernels take ");
        wi_out_fixed(out, merge->factor, 2);
        wi_out_str(out, " times as long");
        if (merge->own_mhz != WI_UNKNOWN && merge->others_mhz != WI_UNKNOWN)
            wi_out_f(out, " (%lld MHz there, %lld MHz on the others)", (long long)merge->own_mhz,
                     (long long)merge->others_mhz);
        wi_out_str(out, ", together ");
        break;
    case WI_MERGE_PAUSE:
        wi_out_f(out, "pauses: %s, ", wi_subcause_people(merge->pause));
        break;
    }
    wi_human_ns(out, merge->own_ns);
    wi_out_str(out, " there, ");
    wi_human_ns(out, merge->others_ns);
    wi_out_str(out, " on the others");
}

static void put_shared_reason(struct wi_out *out, const struct wi_merge *merge)
{
    if (merge->reason != WI_MERGE_PAUSE) {
        wi_out_str(out, "what delays each of them is not known");
        return;
    }
    wi_out_f(out, "each pauses by itself (%s, ", wi_subcause_people(merge->pause));
    wi_human_ns(out, merge->own_ns);
    wi_out_str(out, " a rank) and all others wait");
}

void wi_merge_sentence(struct wi_out *out, const struct wi_merge *merge)
{
    if (!merge->compared) {
        wi_out_str(out, "No collective can be compared between the ranks");
    } else if (!merge->stragglers && !merge->in_turn) {
        wi_out_str(out, "No rank waits for another");
    } else if (merge->in_turn) {
        wi_out_str(out, "The ranks wait for one another in turn; ");
        put_shared_reason(out, merge);
    } else {
        wi_out_str(out, "The others wait for ");
        put_stragglers(out, merge);
        wi_out_str(out, "; ");
        put_reason(out, merge);
    }
}
