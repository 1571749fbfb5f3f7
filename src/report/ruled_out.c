/* What the evidence excludes, see ruled_out.h.
 * Threads: the owner of the writer. May not: allocate, use stdio. */
#include "report/ruled_out.h"

#include <string.h>

#include "base/attr.h"
#include "report/headline.h"
#include "report/human.h"
#include "report/step_text.h"

#define MOST_TOLD 4 /* in the text; the document holds all */

enum figure_kind { PERMILLE, NS, COUNT, NONE };

struct row {
    const char *id, *sentence;
    unsigned told;
    enum figure_kind kind;
};

#define IN(class_id) (1u << WI_CLASS_##class_id)
#define LATE         (IN(DATA_LOADING) | IN(HOST) | IN(SMALL_BATCH))

static const struct row ROWS[] = {
#define RULED_OUT(id, told, condition, sentence, kind, figure) {id, sentence, told, kind},
#include "report/ruled_out.def"
#undef RULED_OUT
};
#define ROW_COUNT ((int)WI_ARRAY_LEN(ROWS))

struct excluded {
    int holds[ROW_COUNT];
    int64_t figure[ROW_COUNT];
};

static int at_most(int64_t value, int64_t most)
{
    return value >= 0 && value <= most;
}
#define AT_MOST(value, most) at_most(value, most)

static void evaluate(const struct wi_host_sample *h, const struct wi_run_facts *f,
                     struct excluded *out)
{
    int at = 0;
#define RULED_OUT(id, told, condition, sentence, kind, value)                                      \
    out->holds[at] = (condition);                                                                  \
    out->figure[at++] = (value);
#include "report/ruled_out.def"
#undef RULED_OUT
}

static int64_t permille(int64_t ns, int64_t window_ns)
{
    return (int64_t)((double)ns * 1000 / (double)window_ns + 0.999);
}

/* Kernels whose grid is not known count as full, so they cannot speak against small ones. */
static int grids_known(const struct wi_result *result, const struct wi_device_result *device)
{
    int64_t known = 0, all = 0;
    for (int i = 0; i < result->kernel_count; i++) {
        const struct wi_kernel_row *row = &result->kernels[i];
        if (row->device != device->info.device)
            continue;
        all += row->total_ns;
        known += row->grid[0] ? row->total_ns : 0;
    }
    return device->info.sms > 0 && all > 0 && (double)known >= 0.9 * (double)all;
}

static int complete(const struct wi_coverage *coverage)
{
    uint64_t lost = 0;
    for (int i = 0; i < WI_LOSS_COUNT; i++)
        lost += coverage->lost[i];
    return lost <= coverage->ops / 100 && coverage->ops_matched >= coverage->ops / 100 * 99;
}

static void gather(const struct wi_result *result, const struct wi_device_result *device,
                   struct wi_run_facts *f)
{
    int64_t window_ns = wi_window_ns(device);
    memset(f, 0, sizeof(*f));
    for (int i = 0; i < WI_CLASS_COUNT; i++) {
        f->class_ns[i] = device->class_ns[i];
        f->class_permille[i] = permille(device->class_ns[i], window_ns);
    }
    for (int i = 0; i < WI_SUB_COUNT; i++) {
        f->sub_ns[i] = device->subcause_ns[i];
        f->sub_permille[i] = permille(device->subcause_ns[i], window_ns);
    }
    f->recorded = complete(&result->coverage) &&
                  f->sub_permille[WI_SUB_UNTRACED] + f->sub_permille[WI_SUB_BLIND_INTERVAL] <= 10;
    f->decided = f->recorded && f->class_permille[WI_CLASS_UNKNOWN] <= 10;
    f->grids_known = grids_known(result, device);
}

/* 1 if the row's own cause takes 1 % of the window: the account contradicts it then. */
static int contradicted(const struct row *row, const struct wi_run_facts *f)
{
    int sub = strchr(row->id, '/') ? wi_subcause_find(row->id) : -1;
    return sub >= 0 && f->sub_permille[sub] > 10 && row->kind != NS;
}

/* Fills *out for the verdict of the report; the number of rows that hold. */
static int exclude(const struct wi_report *report, struct excluded *out)
{
    const struct wi_finding *verdict = wi_verdict_finding(report);
    const struct wi_device_result *device = verdict ? wi_verdict_device(report) : NULL;
    struct wi_host_sample unknown;
    struct wi_run_facts facts;
    int count = 0;
    memset(out, 0, sizeof(*out));
    if (!device || wi_window_ns(device) <= 0 || report->result->host_only)
        return 0;
    wi_host_sample_clear(&unknown);
    gather(report->result, device, &facts);
    evaluate(report->result->coverage.samples ? &report->result->host : &unknown, &facts, out);
    for (int i = 0; i < ROW_COUNT; i++) {
        int told = !!(ROWS[i].told & 1u << wi_subcause_class(verdict->subcause));
        out->holds[i] = out->holds[i] && told && !contradicted(&ROWS[i], &facts) &&
                        strcmp(ROWS[i].id, wi_subcause_id(verdict->subcause)) != 0;
        count += out->holds[i];
    }
    return count;
}

static void put_figure(struct wi_out *out, const struct wi_report *report, enum figure_kind kind,
                       int64_t value)
{
    int64_t each = kind == NS ? wi_per_step_ns(wi_verdict_device(report), value) : WI_UNKNOWN;
    if (kind == PERMILLE) {
        wi_human_share(out, value, 1000, value > 0 && value < 10 ? 1 : 0);
    } else if (kind == COUNT) {
        wi_human_count(out, value);
    } else if (kind == NS && !value) {
        wi_out_str(out, "none");
    } else if (kind == NS) {
        wi_human_ns(out, each == WI_UNKNOWN ? value : each);
        wi_out_str(out, each == WI_UNKNOWN ? " in all" : " a step");
    }
}

static void put_row(struct wi_out *out, const struct wi_report *report, int row, int64_t figure)
{
    const char *sentence = ROWS[row].sentence, *hole = strstr(sentence, "{}");
    if (!hole) {
        wi_out_str(out, sentence);
        return;
    }
    wi_out_bytes(out, sentence, (size_t)(hole - sentence));
    put_figure(out, report, ROWS[row].kind, figure);
    wi_out_str(out, hole + 2);
}

void wi_text_ruled_out(struct wi_layout *layout, const struct wi_report *report)
{
    struct excluded excluded;
    struct wi_phrase phrase;
    struct wi_out *out = wi_phrase_begin(&phrase);
    int told = 0;
    if (!exclude(report, &excluded))
        return;
    for (int i = 0; i < ROW_COUNT && told < MOST_TOLD; i++) {
        if (!excluded.holds[i])
            continue;
        wi_out_str(out, told++ ? ", " : "");
        put_row(out, report, i, excluded.figure[i]);
    }
    wi_layout_line(layout, "  ruled out", wi_phrase_end(&phrase));
}

void wi_ruled_out_json(struct wi_out *out, const struct wi_report *report)
{
    struct excluded excluded;
    const char *separator = "";
    exclude(report, &excluded);
    wi_out_char(out, '[');
    for (int i = 0; i < ROW_COUNT; i++) {
        struct wi_phrase phrase;
        if (!excluded.holds[i])
            continue;
        put_row(wi_phrase_begin(&phrase), report, i, excluded.figure[i]);
        wi_out_f(out, "%s{\"id\":", separator);
        wi_out_json(out, ROWS[i].id);
        wi_out_str(out, ",\"text\":");
        wi_out_json(out, wi_phrase_end(&phrase));
        wi_out_char(out, '}');
        separator = ",";
    }
    wi_out_char(out, ']');
}

int wi_ruled_out_count(void)
{
    return ROW_COUNT;
}

const char *wi_ruled_out_id(int row)
{
    return ROWS[row].id;
}
