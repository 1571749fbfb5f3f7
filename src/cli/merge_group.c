/* Which collectives of the ranks are the same communicator's, see merge_view.h.
 *
 * A communicator runs its collectives on a stream of its own, so that a stream of a rank is one
 * member of one group. Collectives of one name are the same group's if they end together, ordinal
 * by ordinal: that is how a collective ends. Two ranks are each other's only partners, and need no
 * times; neither do more of them, as long as none has a second stream with this name.
 * Threads: one at a time. */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "cli/merge_view.h"
#include "model/collective.h"

/* Kernels of one collective end within some 100 us of each other: a last chunk, and what the clocks
 * of two devices are apart. */
#define TOGETHER_NS INT64_C(500000)
/* Of the ordinals that both kept, so many in four must end together. */
#define TOGETHER_OF_FOUR 3

#define NO_LINE    (-1)
#define MANY_LINES (-2)

/* The collectives of one name on one stream of one row. */
struct line {
    int row, order, taken;
    const struct wi_collective_row *c;
    const char *name;
};

struct lines {
    struct wi_merge *merge;
    struct line *at;
    int count;
};

static int same_host(const struct wi_merge_row *a, const struct wi_merge_row *b)
{
    const char *x = a->report->job->host, *y = b->report->job->host;
    return a->report == b->report || (x && y && !strcmp(x, y));
}

static int timed(const struct line *line)
{
    return line->c->timed && line->c->kept > 0 && line->c->step > 0;
}

/* 1 if their runs end together, as far as both kept them. */
static int together(const struct line *a, const struct line *b)
{
    uint64_t step = a->c->step > b->c->step ? a->c->step : b->c->step;
    uint64_t met = 0, seen = 0;
    for (uint64_t k = 0;; k += step) {
        uint64_t i = k / a->c->step, j = k / b->c->step;
        if (i >= (uint64_t)a->c->kept || j >= (uint64_t)b->c->kept)
            break;
        int64_t apart = a->c->end_ns[i] - b->c->end_ns[j];
        seen++;
        met += apart <= TOGETHER_NS && apart >= -TOGETHER_NS;
    }
    return seen && met * 4 >= seen * TOGETHER_OF_FOUR;
}

static int fits(const struct lines *lines, const struct line *seed, const struct line *other,
                int by_time)
{
    if (other->taken || strcmp(other->name, seed->name) != 0)
        return 0;
    if (!by_time)
        return other->order == seed->order;
    return timed(other) &&
           same_host(&lines->merge->rows[seed->row], &lines->merge->rows[other->row]) &&
           together(seed, other);
}

static int partner(const struct lines *lines, const struct line *seed, int row, int by_time)
{
    int found = NO_LINE;
    for (int i = 0; i < lines->count; i++) {
        if (lines->at[i].row != row || !fits(lines, seed, &lines->at[i], by_time))
            continue;
        if (found != NO_LINE)
            return MANY_LINES;
        found = i;
    }
    return found;
}

/* Rows with collectives of this name, and whether all of their ends are known and of one host. */
static int rows_with(const struct lines *lines, const struct line *seed, int *by_time, int *most)
{
    int rows = 0, last = NO_LINE, here = 0;
    *by_time = 1;
    *most = 0;
    for (int i = 0; i < lines->count; i++) { /* lines of one row stand together */
        const struct line *line = &lines->at[i];
        if (strcmp(line->name, seed->name) != 0)
            continue;
        here = line->row == last ? here + 1 : 1;
        rows += here == 1;
        last = line->row;
        *most = here > *most ? here : *most;
        *by_time &= timed(line) &&
                    same_host(&lines->merge->rows[seed->row], &lines->merge->rows[line->row]);
    }
    return rows;
}

static void add(struct wi_merge_match *match, struct line *line)
{
    match->of[line->row] = line->c;
    match->ranks++;
    match->count = line->c->count > match->count ? line->c->count : match->count;
    match->least = line->c->count < match->least ? line->c->count : match->least;
    line->taken = 1;
}

/* The group that a line belongs to. */
static void gather(const struct lines *lines, struct line *seed, struct wi_merge_match *match)
{
    int by_time, most, rows = rows_with(lines, seed, &by_time, &most);
    *match = (struct wi_merge_match){
        .name = seed->name, .order = seed->order, .least = UINT64_MAX, .of = match->of};
    add(match, seed);
    if (rows <= 2)
        by_time = 0; /* there is no other partner */
    for (int row = 0; row < lines->merge->row_count; row++) {
        int other = row == seed->row ? NO_LINE : partner(lines, seed, row, by_time);
        if (other == MANY_LINES)
            match->problem = "more than one stream of a rank fits";
        else if (other != NO_LINE)
            add(match, &lines->at[other]);
    }
    if (!match->problem && by_time && match->ranks == 1)
        match->problem = "no other rank ends its runs at the same times";
    if (match->problem || match->ranks <= 2)
        return;
    if (!by_time && most > 1)
        match->problem = "several groups of ranks have it, and no times say who is in which";
    else if (wi_name_is_point_to_point(match->name))
        match->problem = "sends and receives: who exchanges with whom is not known";
}

static int order_of(const struct lines *lines, int row, const char *name)
{
    int order = 0;
    for (int i = 0; i < lines->count; i++)
        order += lines->at[i].row == row && !strcmp(lines->at[i].name, name);
    return order;
}

static int list(struct lines *lines)
{
    struct wi_merge *merge = lines->merge;
    size_t most = 1;
    for (int i = 0; i < merge->row_count; i++)
        most += (size_t)merge->rows[i].report->result->collective_count;
    lines->at = calloc(most, sizeof(*lines->at));
    for (int i = 0; lines->at && i < merge->row_count; i++) {
        const struct wi_merge_row *row = &merge->rows[i];
        for (int j = 0; j < row->report->result->collective_count; j++) {
            const struct wi_collective_row *c = &row->report->result->collectives[j];
            const char *name = wi_names_text(row->report->names, c->name);
            if (c->device != row->device->info.device)
                continue;
            int order = order_of(lines, i, name);
            lines->at[lines->count++] = (struct line){i, order, 0, c, name};
        }
    }
    return lines->at ? 0 : WI_ERR_NOMEM;
}

int wi_merge_group(struct wi_merge *merge)
{
    struct lines lines = {.merge = merge};
    int err = list(&lines);
    size_t rows = (size_t)merge->row_count + 1, room = (size_t)lines.count + 1;
    merge->matches = err ? NULL : calloc(room, sizeof(*merge->matches));
    merge->members = err ? NULL : calloc(room * rows, sizeof(*merge->members));
    if (!merge->matches || !merge->members)
        err = WI_ERR_NOMEM;
    for (int i = 0; !err && i < lines.count; i++) {
        if (lines.at[i].taken)
            continue;
        struct wi_merge_match *match = &merge->matches[merge->match_count];
        match->of = merge->members + (size_t)merge->match_count++ * rows;
        gather(&lines, &lines.at[i], match);
    }
    free(lines.at);
    return err;
}
