/* The lower half of the text report, see text_parts.h.
 * Threads: the owner of the writer. May not: allocate, use stdio. */
#include "report/text_parts.h"

#include <string.h>

#include "analyze/limits.h"
#include "report/columns.h"
#include "report/headline.h"
#include "report/human.h"
#include "report/predict_text.h"
#include "report/step_text.h"

#define ROW_SHARE    0.01 /* sub-causes, kernels and copies below it have no row of their own */
#define MOST_KERNELS 5

static int worth(int64_t ns, int64_t whole_ns)
{
    return (double)ns >= ROW_SHARE * (double)whole_ns && ns > 0;
}

/* "too-few-workers" of "data-loading/too-few-workers" */
static const char *short_id(enum wi_subcause subcause)
{
    const char *id = wi_subcause_id(subcause), *slash = strchr(id, '/');
    return slash ? slash + 1 : id;
}

/* The start-up is no part of any step. */
static int64_t in_steps(enum wi_class class_id, int64_t ns)
{
    return class_id == WI_CLASS_WARM_UP ? WI_UNKNOWN : ns;
}

/* The sub-causes below their class; a class that has but one is told by its own row. */
static void put_subcauses(struct wi_layout *layout, const struct wi_table *table,
                          const struct wi_device_result *device, enum wi_class class_id)
{
    for (int i = 0; i < WI_SUB_COUNT; i++) {
        struct wi_phrase phrase;
        enum wi_subcause subcause = (enum wi_subcause)i;
        if (wi_subcause_class(subcause) != class_id || class_id == WI_CLASS_COMPUTE ||
            !worth(device->subcause_ns[i], table->whole_ns))
            continue;
        wi_out_f(wi_phrase_begin(&phrase), "  %s", wi_subcause_people(subcause));
        struct wi_class_row row = {wi_phrase_end(&phrase), NULL, device->subcause_ns[i],
                                   in_steps(class_id, device->subcause_ns[i])};
        char id[64] = "  ";
        strncat(id, short_id(subcause), sizeof(id) - 3);
        row.id = id;
        wi_table_row(layout, table, &row);
    }
}

/* What people know from nvidia-smi, beside the figure that it is confused with. */
static void put_utilisation(struct wi_out *out, const struct wi_report *report)
{
    int64_t permille = report->result->host.gpu_util_permille;
    if (!report->result->coverage.samples || permille < 0)
        return;
    wi_out_str(out, "; nvidia-smi: ");
    wi_human_share(out, permille, 1000, 0);
    wi_out_str(out, " \"utilised\"");
}

static void put_raw(struct wi_layout *layout, const struct wi_report *report,
                    const struct wi_device_result *device)
{
    const struct wi_timeline *t = &device->timeline;
    struct wi_phrase phrase;
    struct wi_out *out = wi_phrase_begin(&phrase);
    wi_out_str(out, "busy ");
    wi_human_share(out, t->span_ns - t->idle_ns, t->span_ns, 1);
    wi_out_str(out, " from its first operation to its last (kernels ");
    wi_human_share(out, t->kernel_ns, t->span_ns, 1);
    wi_out_str(out, ", copies ");
    wi_human_share(out, t->copy_ns, t->span_ns, 1);
    wi_out_str(out, "); ");
    wi_out_u64(out, t->gaps);
    wi_out_str(out, " gaps, the longest ");
    wi_human_ns(out, t->longest_gap_ns);
    if (wi_used_devices(report) == 1)
        put_utilisation(out, report);
    wi_layout_line(layout, "  device", wi_phrase_end(&phrase));
}

static void put_device_account(struct wi_layout *layout, const struct wi_report *report,
                               const struct wi_device_result *device)
{
    struct wi_table table = {WI_TABLE_CLASSES, report->names, wi_window_ns(device),
                             wi_step_scale(device)};
    struct wi_phrase title;
    struct wi_out *out = wi_phrase_begin(&title);
    if (wi_used_devices(report) > 1)
        wi_out_f(out, "GPU #%d: ", device->info.device);
    wi_out_str(out, "WHERE THE TIME WENT");
    wi_out_char(layout->out, '\n');
    wi_table_head(layout, &table, wi_phrase_end(&title));
    for (int i = 0; i < WI_CLASS_COUNT; i++) {
        enum wi_class class_id = (enum wi_class)i;
        struct wi_class_row row = {wi_class_people(class_id), wi_class_word(class_id),
                                   device->class_ns[i], in_steps(class_id, device->class_ns[i])};
        if (device->class_ns[i] <= 0)
            continue;
        wi_table_row(layout, &table, &row);
        put_subcauses(layout, &table, device, class_id);
    }
    struct wi_class_row sum = {"the whole window", " ", table.whole_ns,
                               table.whole_ns - device->class_ns[WI_CLASS_WARM_UP]};
    wi_table_row(layout, &table, &sum);
    wi_text_steps(layout, device);
    put_raw(layout, report, device);
}

/* 1 if some finding is of this class (any sub-cause of it if subcause is -1) and worth telling. */
static int found(const struct wi_report *report, enum wi_class class_id, int subcause)
{
    for (int i = 0; i < report->result->finding_count; i++) {
        const struct wi_finding *f = &report->result->findings[i];
        if (wi_subcause_class(f->subcause) == class_id && f->share >= ROW_SHARE &&
            (subcause < 0 || (int)f->subcause == subcause))
            return 1;
    }
    return 0;
}

static void put_copies(struct wi_layout *layout, const struct wi_report *report)
{
    const struct wi_result *result = report->result;
    struct wi_table table = {WI_TABLE_COPIES, report->names, result->end_ns - result->start_ns, 0};
    wi_out_char(layout->out, '\n');
    wi_table_head(layout, &table, "COPIES");
    for (int i = 0; i < result->copy_count; i++)
        wi_table_row(layout, &table, &result->copies[i]);
}

/* The index of the kernel with the most under-filled time below (limit_ns, limit_index), in that
 * order; -1 if there is none. */
static int next_kernel(const struct wi_result *result, int64_t limit_ns, int limit_index)
{
    int best = -1;
    for (int i = 0; i < result->kernel_count; i++) {
        int64_t ns = result->kernels[i].underfilled_ns;
        int below = ns < limit_ns || (ns == limit_ns && i > limit_index);
        if (ns > 0 && below && (best < 0 || ns > result->kernels[best].underfilled_ns))
            best = i;
    }
    return best;
}

/* Those that are too small to fill the device, the worst first. */
static void put_kernels(struct wi_layout *layout, const struct wi_report *report)
{
    const struct wi_result *result = report->result;
    struct wi_table table = {WI_TABLE_KERNELS, report->names, result->end_ns - result->start_ns, 0};
    int at = next_kernel(result, INT64_MAX, -1);
    if (at < 0)
        return;
    wi_out_char(layout->out, '\n');
    wi_table_head(layout, &table, "KERNELS TOO SMALL TO FILL IT");
    for (int i = 0; i < MOST_KERNELS && at >= 0; i++) {
        wi_table_row(layout, &table, &result->kernels[at]);
        at = next_kernel(result, result->kernels[at].underfilled_ns, at);
    }
}

static void put_calls(struct wi_layout *layout, const struct wi_report *report)
{
    const struct wi_result *result = report->result;
    struct wi_table table = {WI_TABLE_CALLS, report->names, result->end_ns - result->start_ns, 0};
    wi_out_char(layout->out, '\n');
    wi_table_head(layout, &table, "HOST CALLS");
    for (unsigned i = 0; i < WI_API_COUNT; i++) {
        struct wi_class_calls row = {wi_api_class_word(i), &result->calls[i]};
        if (result->calls[i].count > 0)
            wi_table_row(layout, &table, &row);
    }
    struct wi_phrase phrase;
    put_utilisation(wi_phrase_begin(&phrase), report);
    if (wi_phrase_end(&phrase)[0])
        wi_layout_line(layout, "  device", phrase.text + 2); /* behind "; " */
}

static void put_unused(struct wi_layout *layout, const struct wi_report *report)
{
    const struct wi_result *result = report->result;
    struct wi_phrase phrase;
    struct wi_out *out = wi_phrase_begin(&phrase);
    int unused = 0;
    for (int i = 0; i < result->device_count; i++) {
        if (result->devices[i].used)
            continue;
        wi_out_f(out, unused++ ? ", #%d" : "#%d", result->devices[i].info.device);
    }
    wi_out_str(out, unused == 1 ? ": this GPU did nothing for the job"
                                : ": these GPUs did nothing for the job");
    if (unused > 0 && wi_used_devices(report) > 0)
        wi_layout_line(layout, "  not used", wi_phrase_end(&phrase));
}

void wi_text_account(struct wi_layout *layout, const struct wi_report *report)
{
    const struct wi_result *result = report->result;
    for (int i = 0; i < result->device_count; i++)
        if (result->devices[i].used && !result->host_only)
            put_device_account(layout, report, &result->devices[i]);
    put_unused(layout, report);
    if (result->copy_count > 0 && found(report, WI_CLASS_TRANSFER, -1))
        put_copies(layout, report);
    if (result->kernel_count > 0 && found(report, WI_CLASS_SMALL_BATCH, WI_SUB_UNDER_FILLED))
        put_kernels(layout, report);
    if (result->coverage.calls > 0 && (result->host_only || wi_used_devices(report) == 0))
        put_calls(layout, report);
}

static void put_level(struct wi_out *out, const struct wi_job *job)
{
    switch (job->level) {
    case 'A':
        wi_out_str(out, "full detail");
        break;
    case 'B':
        wi_out_str(out, "device records joined to host calls by time");
        break;
    case 'C':
        wi_out_str(out, "host calls only");
        break;
    case 'D':
        wi_out_str(out, "outside view");
        break;
    default:
        wi_out_str(out, "read from a recording");
        break;
    }
    if (job->level_reason) {
        wi_out_str(out, " (");
        wi_out_clean(out, job->level_reason);
        wi_out_char(out, ')');
    }
}

static void put_losses(struct wi_out *out, const struct wi_coverage *c)
{
    uint64_t lost = 0;
    for (unsigned i = 0; i < WI_LOSS_COUNT; i++)
        lost += i == WI_LOSS_BLIND ? 0 : c->lost[i];
    wi_out_str(out, ", ");
    wi_out_u64(out, lost);
    wi_out_str(out, " lost");
    const char *before = " (";
    for (unsigned i = 0; i < WI_LOSS_COUNT; i++) {
        if (!c->lost[i] || i == WI_LOSS_BLIND)
            continue;
        wi_out_f(out, "%s%s %llu", before, wi_loss_kind_word(i), (unsigned long long)c->lost[i]);
        before = ", ";
    }
    wi_out_str(out, lost > 0 ? ")" : "");
}

static void put_coverage(struct wi_out *out, const struct wi_result *result)
{
    const struct wi_coverage *c = &result->coverage;
    if (c->ops > 0)
        wi_out_f(out, "; %llu of %llu operations matched", (unsigned long long)c->ops_matched,
                 (unsigned long long)c->ops);
    else
        wi_out_f(out, "; no device operation, %llu host calls", (unsigned long long)c->calls);
    put_losses(out, c);
    if (c->calls_owing > 0)
        wi_out_f(out, "; %llu calls whose device record never came",
                 (unsigned long long)c->calls_owing);
    if (c->blind_ns > 0) {
        wi_out_str(out, "; not recorded for ");
        wi_human_ns(out, c->blind_ns);
    }
    if (c->negative_latency > 0)
        wi_out_f(out, "; %llu operations seemed to start before their call",
                 (unsigned long long)c->negative_latency);
}

/* Said only where it could move a share that is told. */
static void put_unknown_fill(struct wi_out *out, const struct wi_result *result)
{
    uint64_t kernels = 0;
    for (int i = 0; i < result->device_count; i++)
        kernels += result->devices[i].kernels;
    double permille = (double)result->coverage.unknown_fill * 1000;
    if (permille > (double)WI_LIMIT_UNKNOWN_FILL_PERMILLE * (double)kernels)
        wi_out_f(out,
                 "; for %lld of %llu kernels it is not known whether they fill the device: they "
                 "count as compute",
                 (long long)result->coverage.unknown_fill, (unsigned long long)kernels);
}

/* Reports of earlier versions do not say how often and for how long. */
static void put_spared(struct wi_out *out, const struct wi_job *job)
{
    if (job->looks_apart <= 1)
        return;
    wi_out_str(out, "; to stay near 1 % of a core it looked at threads and at the machine ");
    if (job->looks_halvings > 0) {
        wi_out_str(out, "less often for ");
        wi_human_ns(out, job->looks_spared_ns);
        wi_out_f(out, ": halved %lld time%s, at most ", (long long)job->looks_halvings,
                 job->looks_halvings == 1 ? "" : "s");
    }
    wi_out_f(out, "%lld times less often", (long long)job->looks_apart);
}

static void put_cost(struct wi_out *out, const struct wi_report *report)
{
    const struct wi_job *job = report->job;
    if (job->helper_cpu_ns != WI_UNKNOWN) {
        wi_out_str(out, "; whyidle's own thread used ");
        wi_human_ns(out, job->helper_cpu_ns);
        wi_out_str(out, " of CPU");
    }
    if (job->memory_bytes != WI_UNKNOWN) {
        wi_out_str(out, job->helper_cpu_ns != WI_UNKNOWN ? " and " : "; whyidle used ");
        wi_human_bytes(out, job->memory_bytes);
    }
    if (job->flush_ns != WI_UNKNOWN) {
        wi_out_str(out, "; CUPTI itself took ");
        wi_human_ns(out, job->flush_ns);
        wi_out_str(out, " of the job's threads");
    }
    put_spared(out, job);
    if (job->final_flush_timed_out)
        wi_out_str(out, "; the last device records did not arrive in time");
}

void wi_text_trust(struct wi_layout *layout, const struct wi_report *report)
{
    const struct wi_verdict *verdict = &report->result->verdict;
    struct wi_phrase phrase;
    struct wi_out *out = wi_phrase_begin(&phrase);
    put_level(out, report->job);
    if (report->job->level != 'D')
        put_coverage(out, report->result);
    put_unknown_fill(out, report->result);
    wi_put_replay(out, report->result);
    if (report->job->cuda) {
        wi_out_str(out, "; ");
        wi_out_clean(out, report->job->cuda);
    }
    /* with the usual unwinder there is nothing to say */
    if (report->job->stacks && (!strstr(report->job->stacks, "libunwind") ||
                                strstr(report->job->stacks, "not understood"))) {
        wi_out_str(out, "; call sites by ");
        wi_out_clean(out, report->job->stacks);
    }
    if (verdict->reason && verdict->confidence != WI_CONF_HIGH) {
        wi_out_str(out, "; ");
        wi_out_clean(out, verdict->reason);
    }
    put_cost(out, report);
    if (report->job->end == WI_JOB_RUNNING)
        wi_out_str(out, "; the data end before the job does");
    if (report->job->virtual_gpu)
        wi_out_str(out, "; the device is modelled, its times are not those of hardware");
    wi_out_char(layout->out, '\n');
    wi_layout_line(layout, "CAN I TRUST IT", wi_phrase_end(&phrase));
}
