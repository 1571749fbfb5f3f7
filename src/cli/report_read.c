/* Reads a document whyidle-report/1, see report_read.h.
 * Threads: one at a time. A value that is missing where the schema wants one is an error; null
 * becomes the struct's own "not known". */
#include "cli/report_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "cli/report_device.h"
#include "cli/report_fields.h"
#include "cli/report_predictions.h"
#include "cli/report_rows.h"
#include "model/dialect.h"

#define SCHEMA       "whyidle-report/1"
#define NAMES_BUDGET ((size_t)64 << 20)
#define ARENA_BUDGET ((size_t)1 << 30)

static const char *end_word(unsigned value)
{
    static const char *const WORDS[] = {"running", "exited", "signaled", "imported"};
    return WORDS[value];
}

static int read_dialect(const struct wi_json *job)
{
    const struct wi_json *value = wi_json_get(job, "dialect"); /* a later addition to version 1 */
    for (unsigned i = 0; value && value->type == WI_JSON_TEXT && i < WI_DIALECT_COUNT; i++)
        if (!strcmp(value->text, wi_dialect_word(i)))
            return (int)i;
    return WI_DIALECT_GENERIC;
}

/* Of what reports of earlier versions do not have, 0. */
static int64_t amount_or_nothing(struct wi_fields *reader, const struct wi_json *from,
                                 const char *key)
{
    int64_t amount = wi_json_get(from, key) ? wi_field_amount_or_unknown(reader, from, key) : 0;
    return amount == WI_UNKNOWN ? 0 : amount;
}

static void read_job(struct wi_fields *reader, const struct wi_json *root)
{
    struct wi_job *job = &reader->saved->job;
    const struct wi_json *from = wi_field_object(reader, root, "job");
    const struct wi_json *cost = wi_field_object(reader, root, "overhead");
    const char *level = wi_field_text(reader, root, "level");
    job->program = wi_field_text(reader, from, "program");
    job->command = wi_field_text(reader, from, "command");
    job->host = wi_field_text(reader, from, "host");
    job->source = wi_field_text(reader, from, "source");
    job->pid = wi_field_integer(reader, from, "pid", 0, 1, 0);
    job->rank = wi_field_amount_or_unknown(reader, from, "rank");
    job->world = wi_field_amount_or_unknown(reader, from, "world");
    job->start_ns = wi_field_point(reader, from, "start_ns");
    job->end_ns = wi_field_point(reader, from, "end_ns");
    job->end = (enum wi_job_end)wi_field_word(reader, from, "end", WI_JOB_IMPORTED + 1, end_word);
    int64_t status = wi_field_integer(reader, from, "status", INT32_MIN, 1, WI_UNKNOWN_STATUS);
    if (status > INT32_MAX)
        wi_field_fail(reader, from, "is out of range", "status");
    job->status = (int)status;
    job->cuda = wi_field_text(reader, from, "cuda");
    job->stacks = wi_json_get(from, "stacks") ? wi_field_text(reader, from, "stacks") : NULL;
    job->virtual_gpu = wi_field_flag(reader, from, "virtual_gpu");
    job->dialect = read_dialect(from);
    job->level_reason = wi_field_text(reader, root, "level_reason");
    if (!level || strlen(level) != 1 || !strchr("ABCDI", level[0]))
        wi_field_fail(reader, wi_json_get(root, "level"), "is none of A, B, C, D, I", "level");
    else
        job->level = level[0];
    job->helper_cpu_ns = wi_field_amount_or_unknown(reader, cost, "helper_cpu_ns");
    job->memory_bytes = wi_field_amount_or_unknown(reader, cost, "memory_bytes");
    job->flush_ns = wi_field_amount_or_unknown(reader, cost, "flush_ns");
    job->looks_apart = amount_or_nothing(reader, cost, "looks_apart");
    job->looks_halvings = amount_or_nothing(reader, cost, "looks_halvings");
    job->looks_spared_ns = amount_or_nothing(reader, cost, "looks_spared_ns");
    job->final_flush_timed_out = wi_field_flag(reader, cost, "final_flush_timed_out");
    reader->saved->result.engine_bytes = (uint64_t)wi_field_amount(reader, cost, "engine_bytes");
}

static void read_run(struct wi_fields *reader, const struct wi_json *root)
{
    struct wi_result *result = &reader->saved->result;
    const struct wi_json *from = wi_field_object(reader, root, "run");
    result->host_only = wi_field_flag(reader, from, "host_only");
    result->start_ns = wi_field_point(reader, from, "start_ns");
    result->end_ns = wi_field_point(reader, from, "end_ns");
    result->watermark_ns = wi_field_point(reader, from, "watermark_ns");
    int64_t length;
    if (__builtin_sub_overflow(result->end_ns, result->start_ns, &length) || length < 0)
        wi_field_fail(reader, from, "ends before it starts", "run");
    result->threads = wi_field_i32(reader, from, "issuing_threads");
}

/* "GPU-" and 32 hexadecimal digits with dashes between them. */
static void read_verdict(struct wi_fields *reader, const struct wi_json *root)
{
    struct wi_verdict *verdict = &reader->saved->result.verdict;
    const struct wi_json *from = wi_field_object(reader, root, "verdict");
    verdict->id = wi_field_text(reader, from, "id");
    verdict->confidence = wi_field_confidence(reader, from);
    verdict->reason = wi_field_text(reader, from, "reason");
    verdict->finding = (int)wi_field_integer(reader, from, "finding", 0, 1, -1);
    if (verdict->finding >= reader->saved->result.finding_count)
        wi_field_fail(reader, wi_json_get(from, "finding"), "is no index into the findings",
                      "finding");
    if (!verdict->id || (strchr(verdict->id, '/') && wi_subcause_find(verdict->id) < 0))
        wi_field_fail(reader, wi_json_get(from, "id"), "is no verdict that this whyidle knows",
                      "id");
}

static void read_exposed(struct wi_fields *reader, const struct wi_json *from, struct wi_finding *f)
{
    const struct wi_json *by = wi_field_any(reader, from, "exposed_by");
    f->exposed_by = -1;
    if (!by || by->type == WI_JSON_NULL)
        return;
    f->exposed_by = (int)wi_field_subcause(reader, by, "id");
    f->exposed_api = wi_field_name(reader, by, "api");
    f->exposed_site = wi_field_name(reader, by, "site");
}

/* Later additions to version 1. */
static void read_places(struct wi_fields *reader, const struct wi_json *site, struct wi_finding *f)
{
    f->seen_ns = WI_UNKNOWN;
    if (wi_json_get(site, "count")) {
        int64_t count = wi_field_amount_or_unknown(reader, site, "count");
        f->place_count = count == WI_UNKNOWN ? 0 : (uint64_t)count;
    }
    if (!wi_json_get(site, "seen_in"))
        return;
    f->seen_in = wi_field_name(reader, site, "seen_in");
    f->waits_at = wi_field_name(reader, site, "waits_at");
    f->seen_ns = wi_field_amount_or_unknown(reader, site, "seen_ns");
}

static void read_finding(struct wi_fields *reader, const struct wi_json *from, struct wi_finding *f)
{
    const struct wi_json *site = wi_field_object(reader, from, "site");
    const struct wi_json *api = wi_field_object(reader, from, "api");
    f->subcause = wi_field_subcause(reader, from, "id");
    f->device = wi_field_i32(reader, from, "device");
    f->ns = wi_field_amount(reader, from, "ns");
    f->share = wi_field_real(reader, from, "share", 1, 0);
    f->confidence = wi_field_confidence(reader, from);
    f->count = (uint64_t)wi_field_amount(reader, from, "count");
    f->median_ns = wi_field_amount_or_unknown(reader, from, "median_ns");
    f->p95_ns = wi_field_amount_or_unknown(reader, from, "p95_ns");
    f->longest_ns = wi_field_amount_or_unknown(reader, from, "longest_ns");
    f->site_before = wi_field_name(reader, site, "before");
    f->site_after = wi_field_name(reader, site, "after");
    read_places(reader, site, f);
    f->api_before = wi_field_name(reader, api, "before");
    f->api_after = wi_field_name(reader, api, "after");
    if (wi_json_get(from, "range")) /* not in reports before ranges were recorded */
        f->range = wi_field_name(reader, from, "range");
    read_exposed(reader, from, f);
    f->kernel = wi_field_name(reader, from, "kernel");
    f->bytes = (uint64_t)wi_field_amount(reader, from, "bytes");
    f->copies = (uint64_t)wi_field_amount(reader, from, "copies");
    f->children = wi_field_amount_or_unknown(reader, from, "children");
    f->child_cpu_permille = wi_field_amount_or_unknown(reader, from, "child_cpu_permille");
    f->cores_idle_permille = wi_field_amount_or_unknown(reader, from, "cores_idle_permille");
    f->cores_allowed = wi_field_amount_or_unknown(reader, from, "cores_allowed");
    f->cores_others_permille = WI_UNKNOWN;
    if (wi_json_get(from, "cores_others_permille")) /* likewise */
        f->cores_others_permille =
            wi_field_amount_or_unknown(reader, from, "cores_others_permille");
    f->seen = wi_field_literal(reader, from, "seen");
    f->fix = wi_field_literal(reader, from, "fix");
    f->rule = wi_field_text(reader, from, "rule");
    wi_read_predicted(reader, from, &f->predicted);
}

static void read_calls(struct wi_fields *reader, const struct wi_json *root)
{
    const struct wi_json *calls = wi_field_object(reader, root, "calls");
    for (const struct wi_json *m = calls ? calls->child : NULL; m; m = m->next) {
        unsigned i = 0;
        while (i < WI_API_COUNT && strcmp(wi_api_class_word(i), m->key) != 0)
            i++;
        if (i == WI_API_COUNT) {
            wi_field_fail(reader, m, "is no class of calls", m->key);
            return;
        }
        struct wi_call_row *row = &reader->saved->result.calls[i];
        row->count = (uint64_t)wi_field_amount(reader, m, "count");
        row->failed = (uint64_t)wi_field_amount(reader, m, "failed");
        row->total_ns = wi_field_amount(reader, m, "total_ns");
        row->longest_ns = wi_field_amount(reader, m, "longest_ns");
    }
}

static void read_evidence(struct wi_fields *reader, const struct wi_json *root)
{
    struct wi_host_sample *host = &reader->saved->result.host;
    const struct wi_json *from = wi_field_any(reader, root, "evidence");
    if (!from || from->type == WI_JSON_NULL)
        return;
    host->at_ns = wi_field_point(reader, from, "at_ns");
#define HOST_FIGURE(member, how, sentence)                                                         \
    host->member = wi_json_get(from, #member) /* some are later additions to version 1 */          \
                       ? wi_field_amount_or_unknown(reader, from, #member)                         \
                       : WI_UNKNOWN;
#include "analyze/host_figures.def"
#undef HOST_FIGURE
}

static void read_coverage(struct wi_fields *reader, const struct wi_json *root)
{
    struct wi_coverage *coverage = &reader->saved->result.coverage;
    const struct wi_json *from = wi_field_object(reader, root, "coverage");
    const struct wi_json *lost = wi_field_object(reader, from, "lost");
    coverage->ops = (uint64_t)wi_field_amount(reader, from, "ops");
    coverage->ops_matched = (uint64_t)wi_field_amount(reader, from, "ops_matched");
    coverage->calls = (uint64_t)wi_field_amount(reader, from, "calls");
    coverage->calls_owing = (uint64_t)wi_field_amount(reader, from, "calls_owing");
    for (unsigned i = 0; i < WI_LOSS_COUNT; i++)
        if (i != WI_LOSS_MARKS || wi_json_get(lost, wi_loss_kind_word(i))) /* a later addition */
            coverage->lost[i] = (uint64_t)wi_field_amount(reader, lost, wi_loss_kind_word(i));
    coverage->blind_ns = wi_field_amount(reader, from, "blind_ns");
    coverage->negative_latency = (uint64_t)wi_field_amount(reader, from, "negative_latency");
    coverage->samples = (uint64_t)wi_field_amount(reader, from, "samples");
    coverage->unknown_fill = wi_json_get(from, "unknown_fill") /* a later addition to version 1 */
                                 ? wi_field_amount_or_unknown(reader, from, "unknown_fill")
                                 : WI_UNKNOWN;
}

/* Reads every element of root[key] with one of the functions above into a new array *rows. */
#define READ_ROWS(reader, root, key, rows, row_count, read_row)                                    \
    do {                                                                                           \
        const struct wi_json *array_ = wi_field_array(reader, root, key);                          \
        int at_ = 0, count_ = array_ ? array_->count : 0;                                          \
        (rows) = wi_arena_alloc(&(reader)->saved->arena, (size_t)count_ * sizeof(*(rows)) + 1);    \
        if (!(rows))                                                                               \
            wi_field_fail(reader, array_, "has too many entries", key);                            \
        for (const struct wi_json *m_ = array_ && (rows) ? array_->child : NULL; m_;               \
             m_ = m_->next)                                                                        \
            read_row(reader, m_, &(rows)[at_++]);                                                  \
        (row_count) = at_;                                                                         \
    } while (0)

static void check_schema(struct wi_fields *reader, const struct wi_json *root)
{
    const struct wi_json *schema = wi_json_get(root, "schema");
    if (schema && schema->type == WI_JSON_TEXT && !strcmp(schema->text, SCHEMA))
        return;
    reader->code = WI_ERR_FORMAT;
    reader->error->offset = schema ? schema->offset : 0;
    if (schema && schema->type == WI_JSON_TEXT)
        snprintf(reader->error->text, sizeof(reader->error->text),
                 "the schema is '%.60s', this whyidle reads '%s'", schema->text, SCHEMA);
    else
        snprintf(reader->error->text, sizeof(reader->error->text), "not a document '%s'", SCHEMA);
}

static void read_document(struct wi_fields *reader, const struct wi_json *root)
{
    struct wi_result *result = &reader->saved->result;
    read_job(reader, root);
    read_run(reader, root);
    READ_ROWS(reader, root, "devices", result->devices, result->device_count, wi_read_device);
    READ_ROWS(reader, root, "findings", result->findings, result->finding_count, read_finding);
    READ_ROWS(reader, root, "kernels", result->kernels, result->kernel_count, wi_read_kernel_row);
    READ_ROWS(reader, root, "copies", result->copies, result->copy_count, wi_read_copy_row);
    struct wi_collective_row *collectives;
    if (wi_json_get(root, "collectives")) { /* a later addition to version 1 */
        READ_ROWS(reader, root, "collectives", collectives, result->collective_count,
                  wi_read_collective_row);
        result->collectives = collectives;
    }
    const struct wi_json *predictions = wi_json_get(root, "predictions");
    if (predictions && predictions->type != WI_JSON_NULL)
        READ_ROWS(reader, root, "predictions", result->predictions, result->prediction_count,
                  wi_read_prediction);
    if (wi_json_get(root, "together")) /* a later addition to version 1 */
        wi_read_together(reader, root);
    wi_read_replay(reader, root, &result->replay);
    READ_ROWS(reader, root, "gaps", result->gaps, result->gap_count, wi_read_gap_row);
    if (wi_json_get(root, "unresolved")) /* a later addition to version 1 */
        READ_ROWS(reader, root, "unresolved", result->places, result->place_count,
                  wi_read_unresolved);
    read_verdict(reader, root);
    read_calls(reader, root);
    read_evidence(reader, root);
    read_coverage(reader, root);
}

int wi_saved_report_init(struct wi_saved_report *saved)
{
    memset(saved, 0, sizeof(*saved));
    wi_arena_init(&saved->arena, ARENA_BUDGET);
    saved->names = wi_names_create(NAMES_BUDGET);
    saved->report = (struct wi_report){&saved->job, &saved->result, saved->names};
    return saved->names ? 0 : WI_ERR_NOMEM;
}

void wi_saved_report_free(struct wi_saved_report *saved)
{
    wi_arena_free(&saved->arena);
    if (saved->names)
        wi_names_free(saved->names);
    saved->names = NULL;
}

int wi_report_read(struct wi_saved_report *saved, const unsigned char *data, size_t len,
                   struct wi_json_error *error)
{
    struct wi_fields reader = {saved, error, 0};
    const struct wi_json *root = wi_json_parse(data, len, &saved->arena, error);
    if (!root)
        return WI_ERR_FORMAT;
    check_schema(&reader, root);
    if (!reader.code)
        read_document(&reader, root);
    return reader.code;
}
