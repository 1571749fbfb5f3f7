/* The merged view for people, see merge_show.h.
 * Threads: main. What is not known is "-". */
#include "analyze/limits.h"
#include "cli/merge_show.h"
#include "report/human.h"

#define LABEL_COLUMNS  16
#define CAUSED_COLUMNS 9
#define NAME_COLUMNS   40
#define MOST_MATCHES   8

/* The text right-aligned in `columns`. */
static void put_cell(struct wi_out *out, struct wi_phrase *phrase, int columns)
{
    const char *text = wi_phrase_end(phrase);
    int len = 0;
    for (const char *at = text; *at; at++)
        len += ((unsigned char)*at & 0xc0) != 0x80;
    wi_out_pad(out, ' ', columns > len ? columns - len : 1);
    wi_out_str(out, text);
}

static void put_text_cell(struct wi_out *out, const char *text, int columns)
{
    struct wi_phrase phrase;
    wi_out_str(wi_phrase_begin(&phrase), text);
    put_cell(out, &phrase, columns);
}

static void put_share_cell(struct wi_out *out, int64_t part, int64_t whole, int columns)
{
    struct wi_phrase phrase;
    wi_human_share(wi_phrase_begin(&phrase), part, whole, 1);
    put_cell(out, &phrase, columns);
}

/* 1 if a column has room: those that go later come first. */
static int fits(const struct wi_layout *layout, int mine)
{
    int columns = LABEL_COLUMNS + CAUSED_COLUMNS;
#define MERGE_COLUMN(header, width, drop, condition) columns += (drop) <= mine ? (width) : 0;
#include "cli/merge_columns.def"
#undef MERGE_COLUMN
    return !mine || columns <= layout->width;
}

/* The time of one column of merge_columns.def, WI_UNKNOWN where it cannot be told. */
static int64_t column_ns(const struct wi_merge_row *row, int column)
{
    int64_t sum = 0;
    for (int i = 0; i < WI_SUB_COUNT; i++) {
        enum wi_subcause subcause = (enum wi_subcause)i;
        enum wi_class group = wi_subcause_class(subcause);
        int at = 0, mine = 0;
#define MERGE_COLUMN(header, width, drop, condition) mine |= column == at++ && (condition);
#include "cli/merge_columns.def"
#undef MERGE_COLUMN
        if (mine && subcause == WI_SUB_COMM_WAIT && row->comm_wait_ns == WI_UNKNOWN &&
            row->collective_ns > 0)
            return WI_UNKNOWN; /* part of what stands beside it, how much is not known */
        sum += mine ? wi_merge_subcause_ns(row, subcause) : 0;
    }
    return sum;
}

static void put_row(struct wi_layout *layout, const struct wi_merge_row *row, int64_t caused)
{
    struct wi_out *out = layout->out;
    struct wi_phrase label;
    int column = 0;
    size_t from = out->col;
    wi_layout_style(layout, row->straggler ? WI_STYLE_ALARM : WI_STYLE_PLAIN);
    wi_out_str(out, "  ");
    wi_merge_label(wi_phrase_begin(&label), row);
    wi_layout_cut(out, wi_phrase_end(&label), LABEL_COLUMNS - 3);
    wi_layout_style(layout, WI_STYLE_PLAIN);
    wi_out_pad(out, ' ', (int)(from + LABEL_COLUMNS) - (int)out->col);
#define MERGE_COLUMN(header, width, drop, condition)                                               \
    if (fits(layout, drop))                                                                        \
        put_share_cell(out, column_ns(row, column), wi_merge_window_ns(row), width);               \
    column++;
#include "cli/merge_columns.def"
#undef MERGE_COLUMN
    put_share_cell(out, row->comm_wait_ns == WI_UNKNOWN ? WI_UNKNOWN : row->caused_ns, caused,
                   CAUSED_COLUMNS);
    wi_out_char(out, '\n');
}

static void put_rows(struct wi_layout *layout, const struct wi_merge *merge)
{
    int64_t caused = 0;
    wi_layout_style(layout, WI_STYLE_STRONG);
    wi_layout_cut(layout->out, "RANKS", LABEL_COLUMNS);
    wi_layout_style(layout, WI_STYLE_PLAIN);
    wi_out_pad(layout->out, ' ', LABEL_COLUMNS - (int)sizeof("RANKS") + 1);
#define MERGE_COLUMN(header, width, drop, condition)                                               \
    if (fits(layout, drop))                                                                        \
        put_text_cell(layout->out, header, width);
#include "cli/merge_columns.def"
#undef MERGE_COLUMN
    put_text_cell(layout->out, "caused", CAUSED_COLUMNS);
    wi_out_char(layout->out, '\n');
    for (int i = 0; i < merge->row_count; i++)
        if (__builtin_add_overflow(caused, merge->rows[i].caused_ns, &caused))
            caused = INT64_MAX;
    for (int i = 0; i < merge->row_count; i++)
        put_row(layout, &merge->rows[i], caused);
    wi_out_char(layout->out, '\n');
}

static void put_match(struct wi_layout *layout, const struct wi_merge_match *match, int first)
{
    struct wi_phrase phrase;
    struct wi_out *out = wi_phrase_begin(&phrase);
    wi_layout_cut(out, match->name, NAME_COLUMNS);
    if (match->order > 0)
        wi_out_f(out, " (stream %d)", match->order + 1);
    if (match->ranks == 1)
        wi_out_f(out, ", %llu: ", (unsigned long long)match->count);
    else
        wi_out_f(out, ", %llu on each of %d ranks: ", (unsigned long long)match->count,
                 match->ranks);
    if (match->problem)
        wi_out_f(out, "not compared, %s", match->problem);
    else
        wi_human_ns(out, (int64_t)(match->waited_ns / (double)match->count / match->ranks));
    if (!match->problem)
        wi_out_str(out, " of waiting in one, on average");
    wi_layout_line(layout, first ? "COLLECTIVES" : "", wi_phrase_end(&phrase));
}

static void put_matches(struct wi_layout *layout, const struct wi_merge *merge)
{
    for (int i = 0; i < merge->match_count && i < MOST_MATCHES; i++)
        put_match(layout, &merge->matches[i], i == 0);
    if (merge->match_count > MOST_MATCHES) {
        struct wi_phrase phrase;
        wi_out_f(wi_phrase_begin(&phrase), "and %d more", merge->match_count - MOST_MATCHES);
        wi_layout_line(layout, "", wi_phrase_end(&phrase));
    }
    if (merge->match_count)
        wi_out_char(layout->out, '\n');
}

static void put_trust(struct wi_layout *layout, const struct wi_merge *merge,
                      const struct wi_job_reports *reports)
{
    struct wi_phrase phrase;
    struct wi_out *out = wi_phrase_begin(&phrase);
    wi_out_f(out, reports->count == 1 ? "%d report read" : "%d reports read", reports->count);
    if (reports->damaged)
        wi_out_f(out, ", %d damaged and left out", reports->damaged);
    wi_out_f(out,
             "; %llu collectives compared, each among the ranks that share it; no clock "
             "measures what one rank waits for another",
             (unsigned long long)merge->compared);
    if (merge->missing_ranks > 0)
        wi_out_f(out, "; %lld ranks left no report here: the waiting is at least what is shown",
                 (long long)merge->missing_ranks);
    if (merge->doubled_ranks)
        wi_out_f(out, "; %d ranks have several reports: these may be several runs",
                 merge->doubled_ranks);
    for (int i = 0; i < merge->match_count; i++) {
        if (!merge->matches[i].problem)
            continue;
        wi_out_str(out, "; inconclusive for the collectives that were not compared");
        break;
    }
    wi_layout_line(layout, "CAN I TRUST IT", wi_phrase_end(&phrase));
}

static void put_verdict_line(struct wi_out *out, const struct wi_merge *merge)
{
    double share;
    int put = 0;
    wi_out_f(out, "VERDICT %s straggler=", wi_merge_verdict(merge, &share));
    for (int i = 0; i < merge->row_count; i++) {
        const struct wi_merge_row *row = &merge->rows[i];
        if (!row->straggler)
            continue;
        wi_out_str(out, put++ ? "," : "");
        wi_out_i64(out, row->report->job->rank == WI_UNKNOWN ? row->report->job->pid
                                                             : row->report->job->rank);
    }
    wi_out_str(out, put ? " comm-wait=" : "- comm-wait=");
    if (merge->compared)
        wi_out_fixed(out, merge->mean_wait * 100, 1);
    else
        wi_out_char(out, '-');
    wi_out_char(out, '\n');
}

static void put_headline(struct wi_layout *layout, const struct wi_merge *merge)
{
    struct wi_phrase shout, rest;
    struct wi_out *out = wi_phrase_begin(&shout);
    int waits = merge->mean_wait * 1000 >= (double)WI_LIMIT_FINDING_PERMILLE;
    if (waits) {
        wi_out_str(out, "THE RANKS WAIT FOR ONE ANOTHER ");
        wi_out_fixed(out, merge->mean_wait * 100, merge->mean_wait < 0.1 ? 1 : 0);
        wi_out_str(out, " % OF THE TIME, ON AVERAGE. ");
    } else {
        wi_out_str(out, merge->compared ? "THE RANKS KEEP PACE. " : "NOT KNOWN. ");
    }
    wi_merge_sentence(wi_phrase_begin(&rest), merge);
    wi_layout_style(layout, waits             ? WI_STYLE_ALARM
                            : merge->compared ? WI_STYLE_GOOD
                                              : WI_STYLE_STRONG);
    wi_layout_wrap(layout, wi_phrase_end(&shout), 0);
    wi_layout_style(layout, WI_STYLE_PLAIN);
    wi_layout_wrap(layout, wi_phrase_end(&rest), 0);
    wi_out_str(layout->out, "\n\n");
}

void wi_merge_text(struct wi_layout *layout, const struct wi_merge *merge,
                   const struct wi_job_reports *reports, int verdict_line)
{
    if (verdict_line)
        put_verdict_line(layout->out, merge);
    put_headline(layout, merge);
    put_rows(layout, merge);
    put_matches(layout, merge);
    put_trust(layout, merge, reports);
}
