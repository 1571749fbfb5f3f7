/* The document whyidle-report/1 (docs/report-format.md, docs/whyidle-report-1.schema.json).
 * Threads: one at a time, in the job or in the command. May not: allocate, use stdio.
 * What is not known is null; times are integer ns and sizes integer bytes. The command reads this
 * document back into the same structs (src/cli), so nothing here may be lost on the way. */
#include <string.h>

#include "analyze/advice.h"
#include "report/because.h"
#include "report/columns.h"
#include "report/expand.h"
#include "report/headline.h"
#include "report/predict_json.h"
#include "report/report.h"
#include "report/report_series.h"
#include "report/ruled_out.h"
#include "report/step_text.h"

struct json {
    struct wi_out *out;
    int first; /* no member of the current object or array has been written */
};

/* Starts a member; on its own line if it is one of the document's. */
static void key(struct json *json, const char *name)
{
    wi_out_str(json->out, json->first ? "" : ",");
    wi_out_json(json->out, name);
    wi_out_char(json->out, ':');
    json->first = 0;
}

static void top_key(struct json *json, const char *name)
{
    wi_out_str(json->out, json->first ? "\n" : ",\n");
    wi_out_json(json->out, name);
    wi_out_char(json->out, ':');
    json->first = 0;
}

static void item(struct json *json)
{
    wi_out_str(json->out, json->first ? "\n " : ",\n ");
    json->first = 0;
}

static void open_with(struct json *json, char bracket)
{
    wi_out_char(json->out, bracket);
    json->first = 1;
}

static void close_with(struct json *json, char bracket)
{
    wi_out_char(json->out, bracket);
    json->first = 0;
}

static void null_member(struct json *json, const char *name)
{
    key(json, name);
    wi_out_str(json->out, "null");
}

static void put_int(struct json *json, const char *name, int64_t value)
{
    key(json, name);
    if (value == WI_UNKNOWN)
        wi_out_str(json->out, "null");
    else
        wi_out_i64(json->out, value);
}

/* 0 stands for "not known" in struct wi_device_info and for the pid. */
static void put_known(struct json *json, const char *name, uint64_t value)
{
    put_int(json, name, value ? (int64_t)value : WI_UNKNOWN);
}

static void put_bool(struct json *json, const char *name, int value)
{
    key(json, name);
    wi_out_str(json->out, value ? "true" : "false");
}

static void put_text(struct json *json, const char *name, const char *text)
{
    key(json, name);
    wi_out_json(json->out, text && text[0] ? text : NULL);
}

static void put_name(struct json *json, const char *name, const struct wi_report *report,
                     uint32_t id)
{
    put_text(json, name, wi_names_text(report->names, id));
}

static void put_share(struct json *json, const char *name, double value)
{
    key(json, name);
    wi_out_json_fixed(json->out, value, 6);
}

static void put_tool(struct json *json)
{
    top_key(json, "tool");
    open_with(json, '{');
    put_text(json, "name", "whyidle");
    put_text(json, "version", WHYIDLE_VERSION);
    close_with(json, '}');
}

static const char *end_word(enum wi_job_end end)
{
    static const char *const WORDS[] = {"running", "exited", "signaled", "imported"};
    return (unsigned)end < sizeof(WORDS) / sizeof(WORDS[0]) ? WORDS[end] : NULL;
}

static void put_job(struct json *json, const struct wi_report *report)
{
    const struct wi_job *job = report->job;
    enum wi_dialect dialect = wi_report_dialect(report);
    char level[2] = {job->level, 0};
    top_key(json, "job");
    open_with(json, '{');
    put_text(json, "program", job->program);
    put_text(json, "command", job->command);
    put_text(json, "host", job->host);
    put_text(json, "source", job->source);
    put_known(json, "pid", (uint64_t)job->pid);
    put_int(json, "rank", job->rank);
    put_int(json, "world", job->world);
    put_int(json, "start_ns", job->start_ns);
    put_int(json, "end_ns", job->end_ns);
    put_text(json, "end", end_word(job->end));
    put_int(json, "status", job->status == WI_UNKNOWN_STATUS ? WI_UNKNOWN : job->status);
    put_text(json, "cuda", job->cuda);
    put_text(json, "stacks", job->stacks);
    put_bool(json, "virtual_gpu", job->virtual_gpu);
    put_text(json, "dialect", dialect ? wi_dialect_word(dialect) : NULL);
    close_with(json, '}');
    top_key(json, "level");
    wi_out_json(json->out, level[0] ? level : NULL);
    top_key(json, "level_reason");
    wi_out_json(json->out, job->level_reason);
}

static void put_run(struct json *json, const struct wi_result *result)
{
    top_key(json, "run");
    open_with(json, '{');
    put_bool(json, "host_only", result->host_only);
    put_int(json, "start_ns", result->start_ns);
    put_int(json, "end_ns", result->end_ns);
    put_int(json, "watermark_ns", result->watermark_ns);
    put_int(json, "issuing_threads", result->threads);
    close_with(json, '}');
}

static void put_uuid(struct json *json, const uint8_t uuid[16])
{
    static const uint8_t NONE[16];
    key(json, "uuid");
    if (!memcmp(uuid, NONE, sizeof(NONE))) {
        wi_out_str(json->out, "null");
        return;
    }
    wi_out_str(json->out, "\"GPU-");
    for (int i = 0; i < 16; i++)
        wi_out_f(json->out, i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x", uuid[i]);
    wi_out_char(json->out, '"');
}

static void put_timeline(struct json *json, const struct wi_timeline *t)
{
    key(json, "timeline");
    open_with(json, '{');
    put_int(json, "start_ns", t->start_ns);
    put_int(json, "end_ns", t->end_ns);
    put_int(json, "span_ns", t->span_ns);
    put_int(json, "kernel_ns", t->kernel_ns);
    put_int(json, "copy_ns", t->copy_ns);
    put_int(json, "memset_ns", t->memset_ns);
    put_int(json, "exposed_ns", t->exposed_ns);
    put_int(json, "idle_ns", t->idle_ns);
    put_int(json, "gaps", (int64_t)t->gaps);
    put_int(json, "longest_gap_ns", t->longest_gap_ns);
    close_with(json, '}');
}

static void put_classes(struct json *json, const struct wi_device_result *device)
{
    key(json, "classes");
    open_with(json, '{');
    for (int i = 0; i < WI_CLASS_COUNT; i++)
        put_int(json, wi_class_word((enum wi_class)i), device->class_ns[i]);
    close_with(json, '}');
    key(json, "subcauses");
    open_with(json, '{');
    for (int i = 0; i < WI_SUB_COUNT; i++)
        if (device->subcause_ns[i])
            put_int(json, wi_subcause_id((enum wi_subcause)i), device->subcause_ns[i]);
    close_with(json, '}');
}

static void put_window(struct json *json, const struct wi_device_result *device)
{
    key(json, "window");
    open_with(json, '{');
    put_int(json, "start_ns", device->window_start_ns);
    put_int(json, "end_ns", device->window_end_ns);
    put_int(json, "length_ns", wi_window_ns(device));
    close_with(json, '}');
}

static void put_device(struct json *json, const struct wi_report *report,
                       const struct wi_device_result *device)
{
    const struct wi_device_info *info = &device->info;
    item(json);
    open_with(json, '{');
    put_int(json, "id", info->device);
    put_name(json, "name", report, info->name);
    put_uuid(json, info->uuid);
    put_known(json, "sms", info->sms);
    put_known(json, "threads_per_sm", info->threads_per_sm);
    put_known(json, "blocks_per_sm", info->blocks_per_sm);
    put_known(json, "registers_per_sm", info->registers_per_sm);
    put_known(json, "shared_bytes_per_sm", info->shared_bytes_per_sm);
    put_known(json, "memory_bytes", info->memory_bytes);
    put_bool(json, "used", device->used);
    if (device->used) {
        put_window(json, device);
        put_timeline(json, &device->timeline);
        put_classes(json, device);
        put_int(json, "idle_ns", device->idle_ns);
        put_int(json, "kernels", (int64_t)device->kernels);
        put_int(json, "copies", (int64_t)device->copies);
        put_int(json, "memsets", (int64_t)device->memsets);
        put_int(json, "graphs", (int64_t)device->graphs);
        key(json, "steps");
        wi_steps_json(json->out, device);
        key(json, "series");
        wi_series_json(json->out, device->series);
    } else {
        null_member(json, "window");
        null_member(json, "timeline");
        null_member(json, "classes");
        null_member(json, "subcauses");
    }
    close_with(json, '}');
}

static void put_devices(struct json *json, const struct wi_report *report)
{
    top_key(json, "devices");
    open_with(json, '[');
    for (int i = 0; i < report->result->device_count; i++)
        put_device(json, report, &report->result->devices[i]);
    close_with(json, ']');
}

static void put_verdict(struct json *json, const struct wi_report *report)
{
    const struct wi_verdict *verdict = &report->result->verdict;
    struct wi_phrase phrase;
    top_key(json, "verdict");
    open_with(json, '{');
    put_text(json, "id", verdict->id ? verdict->id : "inconclusive");
    wi_headline_text(wi_phrase_begin(&phrase), report);
    put_text(json, "text", wi_phrase_end(&phrase));
    put_text(json, "confidence", wi_confidence_word(verdict->confidence));
    put_text(json, "reason", verdict->reason);
    put_int(json, "finding", wi_verdict_finding(report) ? verdict->finding : WI_UNKNOWN);
    close_with(json, '}');
}

static void put_template(struct json *json, const char *name, const char *text,
                         const struct wi_finding *f, const struct wi_report *report)
{
    struct wi_phrase phrase;
    wi_expand(wi_phrase_begin(&phrase), text, f, report->names);
    put_text(json, name, wi_phrase_end(&phrase));
}

static void put_sides(struct json *json, const char *name, const struct wi_report *report,
                      uint32_t before, uint32_t after)
{
    key(json, name);
    open_with(json, '{');
    put_name(json, "before", report, before);
    put_name(json, "after", report, after);
    close_with(json, '}');
}

/* Around the stall, and in it. */
static void put_sites(struct json *json, const struct wi_report *report, const struct wi_finding *f)
{
    key(json, "site");
    open_with(json, '{');
    put_name(json, "before", report, f->site_before);
    put_name(json, "after", report, f->site_after);
    put_name(json, "waits_at", report, f->waits_at);
    put_name(json, "seen_in", report, f->seen_in);
    put_int(json, "seen_ns", f->seen_in ? f->seen_ns : WI_UNKNOWN);
    put_int(json, "count", f->place_count ? (int64_t)f->place_count : WI_UNKNOWN);
    close_with(json, '}');
}

static void put_exposed(struct json *json, const struct wi_report *report,
                        const struct wi_finding *f)
{
    key(json, "exposed_by");
    if (f->exposed_by < 0) {
        wi_out_str(json->out, "null");
        return;
    }
    open_with(json, '{');
    put_text(json, "id", wi_subcause_id((enum wi_subcause)f->exposed_by));
    put_name(json, "api", report, f->exposed_api);
    put_name(json, "site", report, f->exposed_site);
    close_with(json, '}');
}

static void put_because(struct json *json, const struct wi_report *report,
                        const struct wi_finding *f)
{
    const char *check = wi_advice_check_for(f->subcause).check;
    struct wi_phrase phrase;
    wi_put_because(wi_phrase_begin(&phrase), report, f);
    put_text(json, "because", wi_phrase_end(&phrase));
    put_text(json, "check", check);
}

static void put_finding(struct json *json, const struct wi_report *report,
                        const struct wi_finding *f)
{
    item(json);
    open_with(json, '{');
    put_text(json, "id", wi_subcause_id(f->subcause));
    put_int(json, "device", f->device);
    put_int(json, "ns", f->ns);
    put_share(json, "share", f->share);
    put_text(json, "confidence", wi_confidence_word(f->confidence));
    put_int(json, "count", (int64_t)f->count);
    put_int(json, "median_ns", f->median_ns);
    put_int(json, "p95_ns", f->p95_ns);
    put_int(json, "longest_ns", f->longest_ns);
    put_sites(json, report, f);
    put_sides(json, "api", report, f->api_before, f->api_after);
    put_name(json, "range", report, f->range);
    put_exposed(json, report, f);
    put_name(json, "kernel", report, f->kernel);
    put_int(json, "bytes", (int64_t)f->bytes);
    put_int(json, "copies", (int64_t)f->copies);
    put_int(json, "children", f->children);
    put_int(json, "child_cpu_permille", f->child_cpu_permille);
    put_int(json, "cores_idle_permille", f->cores_idle_permille);
    put_int(json, "cores_allowed", f->cores_allowed);
    put_int(json, "cores_others_permille", f->cores_others_permille);
    put_template(json, "seen", f->seen, f, report);
    put_template(json, "fix", wi_fix_of(report, f), f, report);
    put_because(json, report, f);
    put_text(json, "rule", f->rule);
    wi_out_char(json->out, ',');
    wi_predicted_json(json->out, &f->predicted);
    close_with(json, '}');
}

static void put_findings(struct json *json, const struct wi_report *report)
{
    top_key(json, "findings");
    open_with(json, '[');
    for (int i = 0; i < report->result->finding_count; i++)
        put_finding(json, report, &report->result->findings[i]);
    close_with(json, ']');
}

static void put_rows(struct json *json, const struct wi_report *report, enum wi_table_id id,
                     const char *name, const void *rows, int count, size_t size)
{
    struct wi_table table = {id, report->names, 0, 0};
    top_key(json, name);
    open_with(json, '[');
    for (int i = 0; i < count; i++) {
        item(json);
        open_with(json, '{');
        wi_table_json(json->out, &table, (const char *)rows + (size_t)i * size);
        close_with(json, '}');
    }
    close_with(json, ']');
}

static void put_calls(struct json *json, const struct wi_report *report)
{
    struct wi_table table = {WI_TABLE_CALLS, report->names, 0, 0};
    top_key(json, "calls");
    open_with(json, '{');
    for (unsigned i = 0; i < WI_API_COUNT; i++) {
        struct wi_class_calls row = {wi_api_class_word(i), &report->result->calls[i]};
        if (!row.row->count)
            continue;
        key(json, row.word);
        open_with(json, '{');
        wi_table_json(json->out, &table, &row);
        close_with(json, '}');
    }
    close_with(json, '}');
}

static void put_collectives(struct json *json, const struct wi_report *report)
{
    top_key(json, "collectives");
    open_with(json, '[');
    for (int i = 0; i < report->result->collective_count; i++) {
        item(json);
        wi_collective_json(json->out, &report->result->collectives[i], report->names);
    }
    close_with(json, ']');
}

static void put_gaps(struct json *json, const struct wi_result *result)
{
    top_key(json, "gaps");
    open_with(json, '[');
    for (int i = 0; i < result->gap_count; i++) {
        const struct wi_gap_row *gap = &result->gaps[i];
        item(json);
        open_with(json, '{');
        put_int(json, "device", gap->device);
        put_int(json, "start_ns", gap->start_ns);
        put_int(json, "end_ns", gap->end_ns);
        put_text(json, "id", wi_subcause_id(gap->subcause));
        close_with(json, '}');
    }
    close_with(json, ']');
}

static int is_told(const struct wi_result *result, uint32_t site)
{
    for (int i = 0; i < result->finding_count; i++) {
        const struct wi_finding *f = &result->findings[i];
        if (f->site_before == site || f->site_after == site || f->exposed_site == site)
            return 1;
    }
    return 0;
}

/* Sites of findings alone: the document tells no more of a machine's files than it has to. */
static void put_unresolved(struct json *json, const struct wi_report *report)
{
    top_key(json, "unresolved");
    open_with(json, '[');
    for (int i = 0; i < report->result->place_count; i++) {
        const struct wi_code_place *place = &report->result->places[i];
        if (!is_told(report->result, place->site))
            continue;
        item(json);
        open_with(json, '{');
        put_name(json, "site", report, place->site);
        put_name(json, "path", report, place->path);
        put_name(json, "build_id", report, place->build_id);
        put_int(json, "address", (int64_t)(place->address & INT64_MAX));
        close_with(json, '}');
    }
    close_with(json, ']');
}

static void put_evidence(struct json *json, const struct wi_result *result)
{
    const struct wi_host_sample *host = &result->host;
    top_key(json, "evidence");
    if (!result->coverage.samples) {
        wi_out_str(json->out, "null");
        return;
    }
    open_with(json, '{');
    put_int(json, "at_ns", host->at_ns);
#define HOST_FIGURE(member, how, sentence) put_int(json, #member, host->member);
#include "analyze/host_figures.def"
#undef HOST_FIGURE
    close_with(json, '}');
}

static void put_coverage(struct json *json, const struct wi_coverage *c)
{
    top_key(json, "coverage");
    open_with(json, '{');
    put_int(json, "ops", (int64_t)c->ops);
    put_int(json, "ops_matched", (int64_t)c->ops_matched);
    put_int(json, "calls", (int64_t)c->calls);
    put_int(json, "calls_owing", (int64_t)c->calls_owing);
    key(json, "lost");
    open_with(json, '{');
    for (unsigned i = 0; i < WI_LOSS_COUNT; i++)
        put_int(json, wi_loss_kind_word(i), (int64_t)c->lost[i]);
    close_with(json, '}');
    put_int(json, "blind_ns", c->blind_ns);
    put_int(json, "negative_latency", (int64_t)c->negative_latency);
    put_int(json, "samples", (int64_t)c->samples);
    put_int(json, "unknown_fill", c->unknown_fill);
    close_with(json, '}');
}

static void put_overhead(struct json *json, const struct wi_report *report)
{
    const struct wi_job *job = report->job;
    top_key(json, "overhead");
    open_with(json, '{');
    put_int(json, "helper_cpu_ns", job->helper_cpu_ns);
    put_int(json, "memory_bytes", job->memory_bytes);
    put_int(json, "engine_bytes", (int64_t)report->result->engine_bytes);
    put_int(json, "flush_ns", job->flush_ns);
    put_int(json, "looks_apart", job->looks_apart ? job->looks_apart : WI_UNKNOWN);
    put_int(json, "looks_halvings", job->looks_apart ? job->looks_halvings : WI_UNKNOWN);
    put_int(json, "looks_spared_ns", job->looks_apart ? job->looks_spared_ns : WI_UNKNOWN);
    put_bool(json, "final_flush_timed_out", job->final_flush_timed_out);
    close_with(json, '}');
}

static void put_predictions(struct json *json, const struct wi_result *result)
{
    top_key(json, "predictions");
    wi_predictions_json(json->out, result);
    top_key(json, "together");
    open_with(json, '[');
    for (int i = 0; i < result->together_count; i++) {
        item(json);
        wi_together_json(json->out, &result->together[i]);
    }
    close_with(json, ']');
    top_key(json, "replay");
    wi_replay_json(json->out, &result->replay);
}

void wi_report_json(struct wi_out *out, const struct wi_report *report)
{
    const struct wi_result *result = report->result;
    struct json json = {out, 1};
    wi_out_char(out, '{');
    wi_out_str(out, "\"schema\":\"whyidle-report/1\"");
    json.first = 0;
    put_tool(&json);
    put_job(&json, report);
    put_run(&json, result);
    put_devices(&json, report);
    put_verdict(&json, report);
    put_findings(&json, report);
    top_key(&json, "ruled_out");
    wi_ruled_out_json(out, report);
    put_predictions(&json, result);
    top_key(&json, "steps");
    wi_steps_json(out, wi_first_device(report));
    put_rows(&json, report, WI_TABLE_COPIES, "copies", result->copies, result->copy_count,
             sizeof(*result->copies));
    put_rows(&json, report, WI_TABLE_KERNELS, "kernels", result->kernels, result->kernel_count,
             sizeof(*result->kernels));
    put_calls(&json, report);
    put_collectives(&json, report);
    put_gaps(&json, result);
    put_unresolved(&json, report);
    put_evidence(&json, result);
    put_coverage(&json, &result->coverage);
    put_overhead(&json, report);
    wi_out_str(out, "}\n");
}
