/* The document whyidle-report/1 (docs/report-format.md, docs/whyidle-report-1.schema.json).
 * Threads: one at a time, in the job or in the command. May not: allocate, use stdio.
 * What is not known is null; times are integer ns and sizes integer bytes. The command reads this
 * document back into the same structs (src/cli), so nothing here may be lost on the way. */
#include <string.h>

#include "analyze/advice.h"
#include "report/because.h"
#include "report/expand.h"
#include "report/headline.h"
#include "report/members.h"
#include "report/predict_json.h"
#include "report/report.h"
#include "report/report_series.h"
#include "report/report_tables.h"
#include "report/ruled_out.h"
#include "report/step_text.h"

static void put_tool(struct wi_members *json)
{
    wi_put_top_key(json, "tool");
    wi_put_open(json, '{');
    wi_put_text(json, "name", "whyidle");
    wi_put_text(json, "version", WHYIDLE_VERSION);
    wi_put_close(json, '}');
}

static const char *end_word(enum wi_job_end end)
{
    static const char *const WORDS[] = {"running", "exited", "signaled", "imported"};
    return (unsigned)end < sizeof(WORDS) / sizeof(WORDS[0]) ? WORDS[end] : NULL;
}

static void put_job(struct wi_members *json, const struct wi_report *report)
{
    const struct wi_job *job = report->job;
    enum wi_dialect dialect = wi_report_dialect(report);
    char level[2] = {job->level, 0};
    wi_put_top_key(json, "job");
    wi_put_open(json, '{');
    wi_put_text(json, "program", job->program);
    wi_put_text(json, "command", job->command);
    wi_put_text(json, "host", job->host);
    wi_put_text(json, "source", job->source);
    wi_put_known(json, "pid", (uint64_t)job->pid);
    wi_put_int(json, "rank", job->rank);
    wi_put_int(json, "world", job->world);
    wi_put_int(json, "start_ns", job->start_ns);
    wi_put_int(json, "end_ns", job->end_ns);
    wi_put_text(json, "end", end_word(job->end));
    wi_put_int(json, "status", job->status == WI_UNKNOWN_STATUS ? WI_UNKNOWN : job->status);
    wi_put_text(json, "cuda", job->cuda);
    wi_put_text(json, "stacks", job->stacks);
    wi_put_bool(json, "virtual_gpu", job->virtual_gpu);
    wi_put_text(json, "dialect", dialect ? wi_dialect_word(dialect) : NULL);
    wi_put_close(json, '}');
    wi_put_top_key(json, "level");
    wi_out_json(json->out, level[0] ? level : NULL);
    wi_put_top_key(json, "level_reason");
    wi_out_json(json->out, job->level_reason);
}

static void put_run(struct wi_members *json, const struct wi_result *result)
{
    wi_put_top_key(json, "run");
    wi_put_open(json, '{');
    wi_put_bool(json, "host_only", result->host_only);
    wi_put_int(json, "start_ns", result->start_ns);
    wi_put_int(json, "end_ns", result->end_ns);
    wi_put_int(json, "watermark_ns", result->watermark_ns);
    wi_put_int(json, "issuing_threads", result->threads);
    wi_put_close(json, '}');
}

static void put_uuid(struct wi_members *json, const uint8_t uuid[16])
{
    static const uint8_t NONE[16];
    wi_put_key(json, "uuid");
    if (!memcmp(uuid, NONE, sizeof(NONE))) {
        wi_out_str(json->out, "null");
        return;
    }
    wi_out_str(json->out, "\"GPU-");
    for (int i = 0; i < 16; i++)
        wi_out_f(json->out, i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x", uuid[i]);
    wi_out_char(json->out, '"');
}

static void put_timeline(struct wi_members *json, const struct wi_timeline *t)
{
    wi_put_key(json, "timeline");
    wi_put_open(json, '{');
    wi_put_int(json, "start_ns", t->start_ns);
    wi_put_int(json, "end_ns", t->end_ns);
    wi_put_int(json, "span_ns", t->span_ns);
    wi_put_int(json, "kernel_ns", t->kernel_ns);
    wi_put_int(json, "copy_ns", t->copy_ns);
    wi_put_int(json, "memset_ns", t->memset_ns);
    wi_put_int(json, "exposed_ns", t->exposed_ns);
    wi_put_int(json, "idle_ns", t->idle_ns);
    wi_put_int(json, "gaps", (int64_t)t->gaps);
    wi_put_int(json, "longest_gap_ns", t->longest_gap_ns);
    wi_put_close(json, '}');
}

static void put_classes(struct wi_members *json, const struct wi_device_result *device)
{
    wi_put_key(json, "classes");
    wi_put_open(json, '{');
    for (int i = 0; i < WI_CLASS_COUNT; i++)
        wi_put_int(json, wi_class_word((enum wi_class)i), device->class_ns[i]);
    wi_put_close(json, '}');
    wi_put_key(json, "subcauses");
    wi_put_open(json, '{');
    for (int i = 0; i < WI_SUB_COUNT; i++)
        if (device->subcause_ns[i])
            wi_put_int(json, wi_subcause_id((enum wi_subcause)i), device->subcause_ns[i]);
    wi_put_close(json, '}');
}

static void put_window(struct wi_members *json, const struct wi_device_result *device)
{
    wi_put_key(json, "window");
    wi_put_open(json, '{');
    wi_put_int(json, "start_ns", device->window_start_ns);
    wi_put_int(json, "end_ns", device->window_end_ns);
    wi_put_int(json, "length_ns", wi_window_ns(device));
    wi_put_close(json, '}');
}

static void put_device(struct wi_members *json, const struct wi_report *report,
                       const struct wi_device_result *device)
{
    const struct wi_device_info *info = &device->info;
    wi_put_item(json);
    wi_put_open(json, '{');
    wi_put_int(json, "id", info->device);
    wi_put_name(json, "name", report, info->name);
    put_uuid(json, info->uuid);
    wi_put_known(json, "sms", info->sms);
    wi_put_known(json, "threads_per_sm", info->threads_per_sm);
    wi_put_known(json, "blocks_per_sm", info->blocks_per_sm);
    wi_put_known(json, "registers_per_sm", info->registers_per_sm);
    wi_put_known(json, "shared_bytes_per_sm", info->shared_bytes_per_sm);
    wi_put_known(json, "memory_bytes", info->memory_bytes);
    wi_put_bool(json, "used", device->used);
    if (device->used) {
        put_window(json, device);
        put_timeline(json, &device->timeline);
        put_classes(json, device);
        wi_put_int(json, "idle_ns", device->idle_ns);
        wi_put_int(json, "kernels", (int64_t)device->kernels);
        wi_put_int(json, "copies", (int64_t)device->copies);
        wi_put_int(json, "memsets", (int64_t)device->memsets);
        wi_put_int(json, "graphs", (int64_t)device->graphs);
        wi_put_key(json, "steps");
        wi_steps_json(json->out, device);
        wi_put_key(json, "series");
        wi_series_json(json->out, device->series);
    } else {
        wi_put_null(json, "window");
        wi_put_null(json, "timeline");
        wi_put_null(json, "classes");
        wi_put_null(json, "subcauses");
    }
    wi_put_close(json, '}');
}

static void put_devices(struct wi_members *json, const struct wi_report *report)
{
    wi_put_top_key(json, "devices");
    wi_put_open(json, '[');
    for (int i = 0; i < report->result->device_count; i++)
        put_device(json, report, &report->result->devices[i]);
    wi_put_close(json, ']');
}

static void put_verdict(struct wi_members *json, const struct wi_report *report)
{
    const struct wi_verdict *verdict = &report->result->verdict;
    struct wi_phrase phrase;
    wi_put_top_key(json, "verdict");
    wi_put_open(json, '{');
    wi_put_text(json, "id", verdict->id ? verdict->id : "inconclusive");
    wi_headline_text(wi_phrase_begin(&phrase), report);
    wi_put_text(json, "text", wi_phrase_end(&phrase));
    wi_put_text(json, "confidence", wi_confidence_word(verdict->confidence));
    wi_put_text(json, "reason", verdict->reason);
    wi_put_int(json, "finding", wi_verdict_finding(report) ? verdict->finding : WI_UNKNOWN);
    wi_put_close(json, '}');
}

static void put_template(struct wi_members *json, const char *name, const char *text,
                         const struct wi_finding *f, const struct wi_report *report)
{
    struct wi_phrase phrase;
    wi_expand(wi_phrase_begin(&phrase), text, f, report->names);
    wi_put_text(json, name, wi_phrase_end(&phrase));
}

static void put_sides(struct wi_members *json, const char *name, const struct wi_report *report,
                      uint32_t before, uint32_t after)
{
    wi_put_key(json, name);
    wi_put_open(json, '{');
    wi_put_name(json, "before", report, before);
    wi_put_name(json, "after", report, after);
    wi_put_close(json, '}');
}

/* Around the stall, and in it. */
static void put_sites(struct wi_members *json, const struct wi_report *report,
                      const struct wi_finding *f)
{
    wi_put_key(json, "site");
    wi_put_open(json, '{');
    wi_put_name(json, "before", report, f->site_before);
    wi_put_name(json, "after", report, f->site_after);
    wi_put_name(json, "waits_at", report, f->waits_at);
    wi_put_name(json, "seen_in", report, f->seen_in);
    wi_put_int(json, "seen_ns", f->seen_in ? f->seen_ns : WI_UNKNOWN);
    wi_put_int(json, "count", f->place_count ? (int64_t)f->place_count : WI_UNKNOWN);
    wi_put_close(json, '}');
}

static void put_exposed(struct wi_members *json, const struct wi_report *report,
                        const struct wi_finding *f)
{
    wi_put_key(json, "exposed_by");
    if (f->exposed_by < 0) {
        wi_out_str(json->out, "null");
        return;
    }
    wi_put_open(json, '{');
    wi_put_text(json, "id", wi_subcause_id((enum wi_subcause)f->exposed_by));
    wi_put_name(json, "api", report, f->exposed_api);
    wi_put_name(json, "site", report, f->exposed_site);
    wi_put_close(json, '}');
}

static void put_because(struct wi_members *json, const struct wi_report *report,
                        const struct wi_finding *f)
{
    const char *check = wi_advice_check_for(f->subcause).check;
    struct wi_phrase phrase;
    wi_put_because(wi_phrase_begin(&phrase), report, f);
    wi_put_text(json, "because", wi_phrase_end(&phrase));
    wi_put_text(json, "check", check);
}

static void put_finding(struct wi_members *json, const struct wi_report *report,
                        const struct wi_finding *f)
{
    wi_put_item(json);
    wi_put_open(json, '{');
    wi_put_text(json, "id", wi_subcause_id(f->subcause));
    wi_put_int(json, "device", f->device);
    wi_put_int(json, "ns", f->ns);
    wi_put_share(json, "share", f->share);
    wi_put_text(json, "confidence", wi_confidence_word(f->confidence));
    wi_put_int(json, "count", (int64_t)f->count);
    wi_put_int(json, "median_ns", f->median_ns);
    wi_put_int(json, "p95_ns", f->p95_ns);
    wi_put_int(json, "longest_ns", f->longest_ns);
    put_sites(json, report, f);
    put_sides(json, "api", report, f->api_before, f->api_after);
    wi_put_name(json, "range", report, f->range);
    put_exposed(json, report, f);
    wi_put_name(json, "kernel", report, f->kernel);
    wi_put_int(json, "bytes", (int64_t)f->bytes);
    wi_put_int(json, "copies", (int64_t)f->copies);
    wi_put_int(json, "children", f->children);
    wi_put_int(json, "child_cpu_permille", f->child_cpu_permille);
    wi_put_int(json, "cores_idle_permille", f->cores_idle_permille);
    wi_put_int(json, "cores_allowed", f->cores_allowed);
    wi_put_int(json, "cores_others_permille", f->cores_others_permille);
    put_template(json, "seen", f->seen, f, report);
    put_template(json, "fix", wi_fix_of(report, f), f, report);
    put_because(json, report, f);
    wi_put_text(json, "rule", f->rule);
    wi_out_char(json->out, ',');
    wi_predicted_json(json->out, &f->predicted);
    wi_put_close(json, '}');
}

static void put_findings(struct wi_members *json, const struct wi_report *report)
{
    wi_put_top_key(json, "findings");
    wi_put_open(json, '[');
    for (int i = 0; i < report->result->finding_count; i++)
        put_finding(json, report, &report->result->findings[i]);
    wi_put_close(json, ']');
}

static void put_evidence(struct wi_members *json, const struct wi_result *result)
{
    const struct wi_host_sample *host = &result->host;
    wi_put_top_key(json, "evidence");
    if (!result->coverage.samples) {
        wi_out_str(json->out, "null");
        return;
    }
    wi_put_open(json, '{');
    wi_put_int(json, "at_ns", host->at_ns);
#define HOST_FIGURE(member, how, sentence) wi_put_int(json, #member, host->member);
#include "analyze/host_figures.def"
#undef HOST_FIGURE
    wi_put_close(json, '}');
}

static void put_coverage(struct wi_members *json, const struct wi_coverage *c)
{
    wi_put_top_key(json, "coverage");
    wi_put_open(json, '{');
    wi_put_int(json, "ops", (int64_t)c->ops);
    wi_put_int(json, "ops_matched", (int64_t)c->ops_matched);
    wi_put_int(json, "calls", (int64_t)c->calls);
    wi_put_int(json, "calls_owing", (int64_t)c->calls_owing);
    wi_put_key(json, "lost");
    wi_put_open(json, '{');
    for (unsigned i = 0; i < WI_LOSS_COUNT; i++)
        wi_put_int(json, wi_loss_kind_word(i), (int64_t)c->lost[i]);
    wi_put_close(json, '}');
    wi_put_int(json, "blind_ns", c->blind_ns);
    wi_put_int(json, "negative_latency", (int64_t)c->negative_latency);
    wi_put_int(json, "samples", (int64_t)c->samples);
    wi_put_int(json, "unknown_fill", c->unknown_fill);
    wi_put_close(json, '}');
}

static void put_overhead(struct wi_members *json, const struct wi_report *report)
{
    const struct wi_job *job = report->job;
    wi_put_top_key(json, "overhead");
    wi_put_open(json, '{');
    wi_put_int(json, "helper_cpu_ns", job->helper_cpu_ns);
    wi_put_int(json, "memory_bytes", job->memory_bytes);
    wi_put_int(json, "engine_bytes", (int64_t)report->result->engine_bytes);
    wi_put_int(json, "flush_ns", job->flush_ns);
    wi_put_int(json, "looks_apart", job->looks_apart ? job->looks_apart : WI_UNKNOWN);
    wi_put_int(json, "looks_halvings", job->looks_apart ? job->looks_halvings : WI_UNKNOWN);
    wi_put_int(json, "looks_spared_ns", job->looks_apart ? job->looks_spared_ns : WI_UNKNOWN);
    wi_put_bool(json, "final_flush_timed_out", job->final_flush_timed_out);
    wi_put_close(json, '}');
}

static void put_predictions(struct wi_members *json, const struct wi_result *result)
{
    wi_put_top_key(json, "predictions");
    wi_predictions_json(json->out, result);
    wi_put_top_key(json, "together");
    wi_put_open(json, '[');
    for (int i = 0; i < result->together_count; i++) {
        wi_put_item(json);
        wi_together_json(json->out, &result->together[i]);
    }
    wi_put_close(json, ']');
    wi_put_top_key(json, "replay");
    wi_replay_json(json->out, &result->replay);
}

void wi_report_json(struct wi_out *out, const struct wi_report *report)
{
    const struct wi_result *result = report->result;
    struct wi_members json = {out, 1};
    wi_out_char(out, '{');
    wi_out_str(out, "\"schema\":\"whyidle-report/1\"");
    json.first = 0;
    put_tool(&json);
    put_job(&json, report);
    put_run(&json, result);
    put_devices(&json, report);
    put_verdict(&json, report);
    put_findings(&json, report);
    wi_put_top_key(&json, "ruled_out");
    wi_ruled_out_json(out, report);
    put_predictions(&json, result);
    wi_put_top_key(&json, "steps");
    wi_steps_json(out, wi_first_device(report));
    wi_put_rows(&json, report, WI_TABLE_COPIES, "copies", result->copies, result->copy_count,
                sizeof(*result->copies));
    wi_put_rows(&json, report, WI_TABLE_KERNELS, "kernels", result->kernels, result->kernel_count,
                sizeof(*result->kernels));
    wi_put_calls(&json, report);
    wi_put_collectives(&json, report);
    wi_put_gaps(&json, result);
    wi_put_unresolved(&json, report);
    put_evidence(&json, result);
    put_coverage(&json, &result->coverage);
    put_overhead(&json, report);
    wi_out_str(out, "}\n");
}
