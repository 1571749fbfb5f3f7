/* Matches the collectives of the ranks and divides their time, see merge_view.h.
 * Threads: one at a time. Sums are doubles: what a damaged document says must not overflow. */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "cli/merge_view.h"

/* A match with the collective of each row, NULL where a row has none. */
struct members {
    struct wi_merge *merge;
    struct wi_merge_match *match;
    const struct wi_collective_row **of;
};

static int64_t to_ns(double ns)
{
    return ns < (double)(INT64_MAX / 2) ? (int64_t)ns : INT64_MAX / 2;
}

static const char *name_of(const struct wi_merge_row *row, const struct wi_collective_row *c)
{
    return wi_names_text(row->report->names, c->name);
}

/* How many streams of this device used a collective of this name before `c` did. */
static int order_of(const struct wi_merge_row *row, const struct wi_collective_row *c)
{
    int order = 0;
    for (const struct wi_collective_row *at = row->report->result->collectives; at < c; at++)
        order += at->device == c->device && at->name == c->name;
    return order;
}

static const struct wi_collective_row *find(const struct wi_merge_row *row, const char *name,
                                            int order)
{
    const struct wi_result *result = row->report->result;
    for (int i = 0; i < result->collective_count; i++) {
        const struct wi_collective_row *c = &result->collectives[i];
        if (c->device == row->device->info.device && !strcmp(name_of(row, c), name) &&
            order_of(row, c) == order)
            return c;
    }
    return NULL;
}

static void gather(struct members *members)
{
    struct wi_merge_match *match = members->match;
    match->least = UINT64_MAX;
    for (int i = 0; i < members->merge->row_count; i++) {
        const struct wi_collective_row *c =
            find(&members->merge->rows[i], match->name, match->order);
        members->of[i] = c;
        if (!c)
            continue;
        match->ranks++;
        match->count = c->count > match->count ? c->count : match->count;
        match->least = c->count < match->least ? c->count : match->least;
    }
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

/* Adds each row's waiting and whole time in the ordinals compared to waited[] and whole[]. */
static void compare(struct members *members, uint64_t step, double *waited, double *whole)
{
    struct wi_merge *merge = members->merge;
    int last;
    for (uint64_t k = 0; (last = last_to(members, k)) >= 0; k += step) {
        int64_t least = duration(members->of[last], k);
        double caused = 0;
        for (int i = 0; i < merge->row_count; i++) {
            if (!members->of[i])
                continue;
            double ns = (double)duration(members->of[i], k);
            waited[i] += ns - (double)least;
            whole[i] += ns;
            caused += ns - (double)least;
        }
        members->match->compared++;
        members->match->waited_ns += caused;
        merge->rows[last].last++;
        /* One that was kept stands for `step` of them. */
        merge->rows[last].caused_ns =
            to_ns(caused * (double)step + (double)merge->rows[last].caused_ns);
    }
    members->match->waited_ns *= (double)step;
}

static void compare_match(struct members *members, double *waited, double *total)
{
    struct wi_merge_match *match = members->match;
    int rows = members->merge->row_count;
    double *part = calloc(2 * (size_t)rows, sizeof(*part));
    uint64_t step = common_step(members);
    if (match->ranks < 2)
        match->problem = "only one rank has it";
    else if (match->count != match->least)
        match->problem = "the ranks have unequal numbers of it";
    else if (!step || !part)
        match->problem = "its durations were not kept";
    else
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

/* Every different name and order of the rows, as a match. */
static int list_matches(struct wi_merge *merge)
{
    size_t most = 1;
    for (int i = 0; i < merge->row_count; i++)
        most += (size_t)merge->rows[i].report->result->collective_count;
    merge->matches = calloc(most, sizeof(*merge->matches));
    for (int i = 0; merge->matches && i < merge->row_count; i++) {
        const struct wi_merge_row *row = &merge->rows[i];
        for (int j = 0; j < row->report->result->collective_count; j++) {
            const struct wi_collective_row *c = &row->report->result->collectives[j];
            int order = order_of(row, c), at = 0;
            if (c->device != row->device->info.device)
                continue;
            while (at < merge->match_count && (merge->matches[at].order != order ||
                                               strcmp(merge->matches[at].name, name_of(row, c))))
                at++;
            if (at == merge->match_count)
                merge->matches[merge->match_count++] =
                    (struct wi_merge_match){.name = name_of(row, c), .order = order};
        }
    }
    return merge->matches ? 0 : WI_ERR_NOMEM;
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
    struct members members = {merge, NULL, calloc(rows + 1, sizeof(*members.of))};
    int err = sums && members.of ? list_matches(merge) : WI_ERR_NOMEM;
    for (int i = 0; !err && i < merge->match_count; i++) {
        members.match = &merge->matches[i];
        gather(&members);
        compare_match(&members, sums, sums + rows);
    }
    for (size_t i = 0; !err && i < rows; i++) {
        if (sums[rows + i] > 0)
            finish_row(&merge->rows[i], sums[i]);
        else
            merge->rows[i].collective_ns = to_ns(in_collectives(&merge->rows[i]));
    }
    free(members.of);
    free(sums);
    return err;
}
