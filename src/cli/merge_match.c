/* Compares the collectives of each group of ranks and divides their time, see merge_view.h.
 * Threads: one at a time. Sums are doubles: what a damaged document says must not overflow. */
#include <stdlib.h>

#include "base/err.h"
#include "cli/merge_view.h"

/* Who comes within this part of what the first waited has come last together with the last. */
#define LAST_PART 10

struct members {
    struct wi_merge *merge;
    struct wi_merge_match *match;
    const struct wi_collective_row *const *of; /* of each row, NULL where it is no member */
};

static int64_t to_ns(double ns)
{
    return ns < (double)(INT64_MAX / 2) ? (int64_t)ns : INT64_MAX / 2;
}

/* The step that all rows kept; 0 if they cannot be compared. */
static uint64_t common_step(const struct members *members)
{
    uint64_t step = 1;
    for (int i = 0; i < members->merge->row_count; i++) {
        const struct wi_collective_row *c = members->of[i];
        if (c && (!c->step || c->step & (c->step - 1) || !c->kept))
            return 0;
        if (c && c->step > step)
            step = c->step;
    }
    return step;
}

static int64_t duration(const struct wi_collective_row *c, uint64_t ordinal)
{
    uint64_t at = ordinal / c->step;
    return at < (uint64_t)c->kept ? c->duration_ns[at] : WI_UNKNOWN;
}

/* The row that came last to this ordinal: it has the least duration. -1 at the end. */
static int last_to(const struct members *members, uint64_t ordinal)
{
    int last = -1;
    for (int i = 0; i < members->merge->row_count; i++) {
        int64_t ns = members->of[i] ? duration(members->of[i], ordinal) : 0;
        if (ns == WI_UNKNOWN)
            return -1;
        if (members->of[i] && (last < 0 || ns < duration(members->of[last], ordinal)))
            last = i;
    }
    return last;
}

/* The ranks that came last together share what they caused: which of them was the very last to this
 * ordinal is within the error. One that was kept stands for `step` of them. */
static void charge(struct members *members, uint64_t ordinal, int64_t bound_ns, double caused)
{
    struct wi_merge *merge = members->merge;
    int last = 0;
    for (int i = 0; i < merge->row_count; i++)
        last += members->of[i] && duration(members->of[i], ordinal) <= bound_ns;
    for (int i = 0; i < merge->row_count && last; i++) {
        struct wi_merge_row *row = &merge->rows[i];
        if (members->of[i] && duration(members->of[i], ordinal) <= bound_ns)
            row->caused_ns = to_ns(caused / last + (double)row->caused_ns);
    }
}

/* Adds each row's waiting and whole time in the ordinals compared to waited[] and whole[]. */
static void compare(struct members *members, uint64_t step, double *waited, double *whole)
{
    struct wi_merge *merge = members->merge;
    int last;
    for (uint64_t k = 0; (last = last_to(members, k)) >= 0; k += step) {
        int64_t least = duration(members->of[last], k), most = least;
        double caused = 0;
        for (int i = 0; i < merge->row_count; i++) {
            if (!members->of[i])
                continue;
            int64_t ns = duration(members->of[i], k);
            waited[i] += (double)(ns - least);
            whole[i] += (double)ns;
            caused += (double)(ns - least);
            most = ns > most ? ns : most;
        }
        members->match->compared++;
        members->match->waited_ns += caused;
        merge->rows[last].last++;
        charge(members, k, least + (most - least) / LAST_PART, caused * (double)step);
    }
    members->match->waited_ns *= (double)step;
}

static const char *why_not(const struct wi_merge_match *match, uint64_t step)
{
    if (match->problem) /* the group itself is in doubt */
        return match->problem;
    if (match->ranks < 2)
        return "only one rank has it";
    if (match->count != match->least)
        return "the ranks have unequal numbers of it";
    return step ? NULL : "its durations were not kept";
}

static void compare_match(struct members *members, double *waited, double *total)
{
    struct wi_merge_match *match = members->match;
    int rows = members->merge->row_count;
    double *part = calloc(2 * (size_t)rows, sizeof(*part));
    uint64_t step = common_step(members);
    match->problem = why_not(match, part ? step : 0);
    if (!match->problem)
        compare(members, step, part, part + rows);
    for (int i = 0; part && i < rows; i++) {
        if (!members->of[i] || match->problem)
            continue;
        double share = part[rows + i] > 0 ? part[i] / part[rows + i] : 0;
        waited[i] += share * (double)members->of[i]->total_ns;
        total[i]++;
    }
    free(part);
    members->merge->compared += match->compared;
}

/* Time in collectives, also of those that have no match. */
static double in_collectives(const struct wi_merge_row *row)
{
    double sum = 0;
    for (int i = 0; i < row->report->result->collective_count; i++)
        if (row->report->result->collectives[i].device == row->device->info.device)
            sum += (double)row->report->result->collectives[i].total_ns;
    return sum;
}

/* Of collectives that run beside kernels only their exposed part is a stall; how the waiting is
 * divided between both parts is not recorded: in proportion. */
static void finish_row(struct wi_merge_row *row, double waited)
{
    double whole = in_collectives(row);
    int64_t exposed = row->device->subcause_ns[WI_SUB_EXPOSED_COLLECTIVE];
    row->collective_ns = to_ns(whole);
    row->waited_ns = to_ns(waited < whole ? waited : whole);
    double moved = whole > 0 ? (double)exposed * (waited / whole) + 0.5 : 0;
    row->comm_wait_ns = moved < (double)exposed ? (int64_t)moved : exposed;
}

int wi_merge_match(struct wi_merge *merge)
{
    size_t rows = (size_t)merge->row_count;
    double *sums = calloc(2 * rows + 1, sizeof(*sums));
    int err = sums ? wi_merge_group(merge) : WI_ERR_NOMEM;
    for (int i = 0; !err && i < merge->match_count; i++) {
        struct members members = {merge, &merge->matches[i], merge->matches[i].of};
        compare_match(&members, sums, sums + rows);
    }
    for (size_t i = 0; !err && i < rows; i++) {
        if (sums[rows + i] > 0)
            finish_row(&merge->rows[i], sums[i]);
        else
            merge->rows[i].collective_ns = to_ns(in_collectives(&merge->rows[i]));
    }
    free(sums);
    return err;
}
