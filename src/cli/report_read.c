/* Reads a document whyidle-report/1, see report_read.h.
 * Threads: one at a time. A value that is missing where the schema wants one is an error; null
 * becomes the struct's own "not known". */
#include "cli/report_read.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"

#define SCHEMA       "whyidle-report/1"
#define NAMES_BUDGET ((size_t)64 << 20)
#define ARENA_BUDGET ((size_t)1 << 30)
/* 146 years in ns: the writers may then add two figures and subtract any two times. */
#define MOST (INT64_MAX / 2)

struct reader {
    struct wi_saved_report *saved;
    struct wi_json_error *error;
    int code; /* the first error; later reads do nothing */
};

static void fail(struct reader *reader, const struct wi_json *at, const char *what, const char *key)
{
    if (reader->code)
        return;
    reader->code = WI_ERR_FORMAT;
    reader->error->offset = at ? at->offset : -1;
    snprintf(reader->error->text, sizeof(reader->error->text), "'%.80s' %s", key, what);
}

/* The member, NULL (and an error) if the object lacks it. */
static const struct wi_json *need(struct reader *reader, const struct wi_json *object,
                                  const char *key)
{
    const struct wi_json *value = wi_json_get(object, key);
    if (!value)
        fail(reader, object, "is missing", key);
    return value;
}

static const struct wi_json *need_type(struct reader *reader, const struct wi_json *object,
                                       const char *key, enum wi_json_type type, const char *word)
{
    const struct wi_json *value = need(reader, object, key);
    if (value && value->type != type) {
        fail(reader, value, word, key);
        return NULL;
    }
    return value;
}

static const struct wi_json *need_object(struct reader *reader, const struct wi_json *object,
                                         const char *key)
{
    return need_type(reader, object, key, WI_JSON_OBJECT, "is not an object");
}

static const struct wi_json *need_array(struct reader *reader, const struct wi_json *object,
                                        const char *key)
{
    return need_type(reader, object, key, WI_JSON_ARRAY, "is not an array");
}

/* An integer in [low, MOST], or null, which gives `unknown`. */
static int64_t integer(struct reader *reader, const struct wi_json *object, const char *key,
                       int64_t low, int nullable, int64_t unknown)
{
    const struct wi_json *value = need(reader, object, key);
    if (!value || (value->type == WI_JSON_NULL && nullable))
        return unknown;
    if (value->type != WI_JSON_INT)
        fail(reader, value, nullable ? "is neither an integer nor null" : "is not an integer", key);
    else if (value->number < low || value->number > MOST)
        fail(reader, value, "is out of range", key);
    return value->number;
}

/* A count, size or duration that is always known. */
static int64_t amount(struct reader *reader, const struct wi_json *object, const char *key)
{
    return integer(reader, object, key, 0, 0, 0);
}

/* The same where null means WI_UNKNOWN. */
static int64_t amount_or_unknown(struct reader *reader, const struct wi_json *object,
                                 const char *key)
{
    return integer(reader, object, key, 0, 1, WI_UNKNOWN);
}

/* A point in time; they may lie before the epoch of an imported clock. */
static int64_t point(struct reader *reader, const struct wi_json *object, const char *key)
{
    return integer(reader, object, key, -MOST, 1, WI_UNKNOWN);
}

/* A figure of at most 32 bits, null = 0 = not known. */
static uint32_t small(struct reader *reader, const struct wi_json *object, const char *key)
{
    int64_t value = integer(reader, object, key, 0, 1, 0);
    if (value > UINT32_MAX)
        fail(reader, object, "is out of range", key);
    return (uint32_t)value;
}

static int32_t number32(struct reader *reader, const struct wi_json *object, const char *key)
{
    int64_t value = integer(reader, object, key, INT32_MIN, 0, 0);
    if (value > INT32_MAX)
        fail(reader, object, "is out of range", key);
    return (int32_t)value;
}

static int flag(struct reader *reader, const struct wi_json *object, const char *key)
{
    const struct wi_json *value =
        need_type(reader, object, key, WI_JSON_BOOL, "is neither true nor false");
    return value && value->number;
}

/* A string, NULL for null. */
static const char *text(struct reader *reader, const struct wi_json *object, const char *key)
{
    const struct wi_json *value = need(reader, object, key);
    if (!value || value->type == WI_JSON_NULL)
        return NULL;
    if (value->type != WI_JSON_TEXT)
        fail(reader, value, "is neither a string nor null", key);
    return value->text;
}

static uint32_t name(struct reader *reader, const struct wi_json *object, const char *key)
{
    return wi_names_str(reader->saved->names, text(reader, object, key));
}

/* An expanded text, kept from being expanded again: "{" becomes "{{". */
static const char *literal(struct reader *reader, const struct wi_json *object, const char *key)
{
    const char *from = text(reader, object, key);
    if (!from || !strchr(from, '{'))
        return from;
    char *copy = wi_arena_alloc(&reader->saved->arena, strlen(from) * 2 + 1);
    for (char *to = copy; copy && *from; from++) {
        if (*from == '{')
            *to++ = '{';
        *to++ = *from;
    }
    if (!copy)
        fail(reader, object, "is too long", key);
    return copy;
}

/* A word of a table, by the function that names its rows. */
static int word(struct reader *reader, const struct wi_json *object, const char *key, int count,
                const char *(*word_of)(unsigned))
{
    const char *wanted = text(reader, object, key);
    for (int i = 0; wanted && i < count; i++)
        if (!strcmp(word_of((unsigned)i), wanted))
            return i;
    fail(reader, wi_json_get(object, key), "has an unknown word", key);
    return 0;
}

static const char *end_word(unsigned value)
{
    static const char *const WORDS[] = {"running", "exited", "signaled", "imported"};
    return WORDS[value];
}

static const char *confidence_word(unsigned value)
{
    return wi_confidence_word((enum wi_confidence)value);
}

static enum wi_confidence confidence(struct reader *reader, const struct wi_json *object)
{
    return (enum wi_confidence)word(reader, object, "confidence", WI_CONF_HIGH + 1,
                                    confidence_word);
}

/* A full sub-cause id; the short forms that people may type are not for documents. */
static enum wi_subcause subcause(struct reader *reader, const struct wi_json *object,
                                 const char *key)
{
    const char *id = text(reader, object, key);
    int found = id && strchr(id, '/') ? wi_subcause_find(id) : -1;
    if (found < 0)
        fail(reader, wi_json_get(object, key), "is no sub-cause that this whyidle knows", key);
    return found < 0 ? WI_SUB_UNDETERMINED : (enum wi_subcause)found;
}

static void read_job(struct reader *reader, const struct wi_json *root)
{
    struct wi_job *job = &reader->saved->job;
    const struct wi_json *from = need_object(reader, root, "job");
    const struct wi_json *cost = need_object(reader, root, "overhead");
    const char *level = text(reader, root, "level");
    job->program = text(reader, from, "program");
    job->command = text(reader, from, "command");
    job->host = text(reader, from, "host");
    job->source = text(reader, from, "source");
    job->pid = integer(reader, from, "pid", 0, 1, 0);
    job->rank = amount_or_unknown(reader, from, "rank");
    job->world = amount_or_unknown(reader, from, "world");
    job->start_ns = point(reader, from, "start_ns");
    job->end_ns = point(reader, from, "end_ns");
    job->end = (enum wi_job_end)word(reader, from, "end", WI_JOB_IMPORTED + 1, end_word);
    int64_t status = integer(reader, from, "status", INT32_MIN, 1, WI_UNKNOWN_STATUS);
    job->status = (int)status;
    job->cuda = text(reader, from, "cuda");
    job->virtual_gpu = flag(reader, from, "virtual_gpu");
    job->level_reason = text(reader, root, "level_reason");
    if (!level || strlen(level) != 1 || !strchr("ABCDI", level[0]))
        fail(reader, wi_json_get(root, "level"), "is none of A, B, C, D, I", "level");
    else
        job->level = level[0];
    job->helper_cpu_ns = amount_or_unknown(reader, cost, "helper_cpu_ns");
    job->memory_bytes = amount_or_unknown(reader, cost, "memory_bytes");
    job->flush_ns = amount_or_unknown(reader, cost, "flush_ns");
    job->final_flush_timed_out = flag(reader, cost, "final_flush_timed_out");
    reader->saved->result.engine_bytes = (uint64_t)amount(reader, cost, "engine_bytes");
}

static void read_run(struct reader *reader, const struct wi_json *root)
{
    struct wi_result *result = &reader->saved->result;
    const struct wi_json *from = need_object(reader, root, "run");
    result->host_only = flag(reader, from, "host_only");
    result->start_ns = point(reader, from, "start_ns");
    result->end_ns = point(reader, from, "end_ns");
    result->watermark_ns = point(reader, from, "watermark_ns");
    int64_t length;
    if (__builtin_sub_overflow(result->end_ns, result->start_ns, &length) || length < 0)
        fail(reader, from, "ends before it starts", "run");
    result->threads = number32(reader, from, "issuing_threads");
}

/* "GPU-" and 32 hexadecimal digits with dashes between them. */
static void read_uuid(struct reader *reader, const struct wi_json *from, uint8_t uuid[16])
{
    const char *at = text(reader, from, "uuid");
    int digits = 0;
    for (at = at ? at + strspn(at, "GPU-") : ""; *at && digits < 32; at++) {
        static const char HEX[] = "0123456789abcdef";
        const char *digit = strchr(HEX, *at);
        if (digit) {
            uuid[digits / 2] = (uint8_t)(uuid[digits / 2] << 4 | (uint8_t)(digit - HEX));
            digits++;
        }
    }
}

static void read_timeline(struct reader *reader, const struct wi_json *device,
                          struct wi_timeline *t)
{
    const struct wi_json *from = need_object(reader, device, "timeline");
    t->start_ns = point(reader, from, "start_ns");
    t->end_ns = point(reader, from, "end_ns");
    t->span_ns = amount(reader, from, "span_ns");
    t->kernel_ns = amount(reader, from, "kernel_ns");
    t->copy_ns = amount(reader, from, "copy_ns");
    t->memset_ns = amount(reader, from, "memset_ns");
    t->exposed_ns = amount(reader, from, "exposed_ns");
    t->idle_ns = amount(reader, from, "idle_ns");
    t->gaps = (uint64_t)amount(reader, from, "gaps");
    t->longest_gap_ns = amount(reader, from, "longest_gap_ns");
}

/* The classes and sub-causes must sum exactly: a document where they do not was not written by
 * us, or was damaged. */
static void check_sums(struct reader *reader, const struct wi_json *at,
                       const struct wi_device_result *device)
{
    int64_t sums[WI_CLASS_COUNT] = {0}, total = 0, length;
    int overflow = __builtin_sub_overflow(device->window_end_ns, device->window_start_ns, &length);
    for (int i = 0; i < WI_SUB_COUNT; i++) {
        int64_t *sum = &sums[wi_subcause_class((enum wi_subcause)i)];
        overflow |= __builtin_add_overflow(*sum, device->subcause_ns[i], sum);
    }
    for (int i = 0; i < WI_CLASS_COUNT; i++) {
        overflow |= __builtin_add_overflow(total, device->class_ns[i], &total);
        if (sums[i] != device->class_ns[i])
            fail(reader, at, "does not sum to its class", "subcauses");
    }
    if (overflow || total != length)
        fail(reader, at, "does not sum to the window", "classes");
}

static void read_account(struct reader *reader, const struct wi_json *from,
                         struct wi_device_result *device)
{
    const struct wi_json *window = need_object(reader, from, "window");
    const struct wi_json *classes = need_object(reader, from, "classes");
    const struct wi_json *subcauses = need_object(reader, from, "subcauses");
    device->window_start_ns = point(reader, window, "start_ns");
    device->window_end_ns = point(reader, window, "end_ns");
    read_timeline(reader, from, &device->timeline);
    for (int i = 0; i < WI_CLASS_COUNT; i++)
        device->class_ns[i] = amount(reader, classes, wi_class_word((enum wi_class)i));
    for (const struct wi_json *m = subcauses ? subcauses->child : NULL; m; m = m->next) {
        int found = strchr(m->key, '/') ? wi_subcause_find(m->key) : -1;
        if (found < 0)
            fail(reader, m, "is no sub-cause that this whyidle knows", m->key);
        else
            device->subcause_ns[found] = amount(reader, subcauses, m->key);
    }
    device->idle_ns = amount(reader, from, "idle_ns");
    device->kernels = (uint64_t)amount(reader, from, "kernels");
    device->copies = (uint64_t)amount(reader, from, "copies");
    device->memsets = (uint64_t)amount(reader, from, "memsets");
    device->graphs = (uint64_t)amount(reader, from, "graphs");
    check_sums(reader, classes, device);
}

static void read_device(struct reader *reader, const struct wi_json *from,
                        struct wi_device_result *device)
{
    struct wi_device_info *info = &device->info;
    info->device = number32(reader, from, "id");
    info->name = name(reader, from, "name");
    read_uuid(reader, from, info->uuid);
    info->sms = small(reader, from, "sms");
    info->threads_per_sm = small(reader, from, "threads_per_sm");
    info->blocks_per_sm = small(reader, from, "blocks_per_sm");
    info->registers_per_sm = small(reader, from, "registers_per_sm");
    info->shared_bytes_per_sm = small(reader, from, "shared_bytes_per_sm");
    info->memory_bytes = (uint64_t)integer(reader, from, "memory_bytes", 0, 1, 0);
    device->used = flag(reader, from, "used");
    if (device->used)
        read_account(reader, from, device);
}

static void read_verdict(struct reader *reader, const struct wi_json *root)
{
    struct wi_verdict *verdict = &reader->saved->result.verdict;
    const struct wi_json *from = need_object(reader, root, "verdict");
    verdict->id = text(reader, from, "id");
    verdict->confidence = confidence(reader, from);
    verdict->reason = text(reader, from, "reason");
    verdict->finding = (int)integer(reader, from, "finding", 0, 1, -1);
    if (verdict->finding >= reader->saved->result.finding_count)
        fail(reader, wi_json_get(from, "finding"), "is no index into the findings", "finding");
    if (!verdict->id || (strchr(verdict->id, '/') && wi_subcause_find(verdict->id) < 0))
        fail(reader, wi_json_get(from, "id"), "is no verdict that this whyidle knows", "id");
}

static void read_exposed(struct reader *reader, const struct wi_json *from, struct wi_finding *f)
{
    const struct wi_json *by = need(reader, from, "exposed_by");
    f->exposed_by = -1;
    if (!by || by->type == WI_JSON_NULL)
        return;
    f->exposed_by = (int)subcause(reader, by, "id");
    f->exposed_api = name(reader, by, "api");
    f->exposed_site = name(reader, by, "site");
}

static void read_finding(struct reader *reader, const struct wi_json *from, struct wi_finding *f)
{
    const struct wi_json *site = need_object(reader, from, "site");
    const struct wi_json *api = need_object(reader, from, "api");
    const struct wi_json *share = need(reader, from, "share");
    f->subcause = subcause(reader, from, "id");
    f->device = number32(reader, from, "device");
    f->ns = amount(reader, from, "ns");
    if (share && share->type != WI_JSON_REAL && share->type != WI_JSON_INT)
        fail(reader, share, "is not a number", "share");
    else if (share)
        f->share = share->type == WI_JSON_REAL ? share->real : (double)share->number;
    if (!(f->share >= 0 && f->share <= 1))
        fail(reader, share, "is not between 0 and 1", "share");
    f->confidence = confidence(reader, from);
    f->count = (uint64_t)amount(reader, from, "count");
    f->median_ns = amount_or_unknown(reader, from, "median_ns");
    f->p95_ns = amount_or_unknown(reader, from, "p95_ns");
    f->longest_ns = amount_or_unknown(reader, from, "longest_ns");
    f->site_before = name(reader, site, "before");
    f->site_after = name(reader, site, "after");
    f->api_before = name(reader, api, "before");
    f->api_after = name(reader, api, "after");
    read_exposed(reader, from, f);
    f->kernel = name(reader, from, "kernel");
    f->bytes = (uint64_t)amount(reader, from, "bytes");
    f->copies = (uint64_t)amount(reader, from, "copies");
    f->children = amount_or_unknown(reader, from, "children");
    f->child_cpu_permille = amount_or_unknown(reader, from, "child_cpu_permille");
    f->cores_idle_permille = amount_or_unknown(reader, from, "cores_idle_permille");
    f->cores_allowed = amount_or_unknown(reader, from, "cores_allowed");
    f->seen = literal(reader, from, "seen");
    f->fix = literal(reader, from, "fix");
    f->rule = text(reader, from, "rule");
}

static void read_dims(struct reader *reader, const struct wi_json *from, const char *key,
                      uint32_t dims[3])
{
    const struct wi_json *value = need(reader, from, key);
    int i = 0;
    if (!value || value->type == WI_JSON_NULL)
        return;
    if (value->type != WI_JSON_ARRAY || value->count != 3)
        fail(reader, value, "is not an array of three", key);
    for (const struct wi_json *m = value->child; m && i < 3; m = m->next) {
        if (m->type != WI_JSON_INT || m->number < 0 || m->number > UINT32_MAX)
            fail(reader, m, "holds something else than sizes", key);
        dims[i++] = (uint32_t)m->number;
    }
}

static void read_kernel(struct reader *reader, const struct wi_json *from,
                        struct wi_kernel_row *row)
{
    row->name = name(reader, from, "name");
    row->device = number32(reader, from, "device");
    row->count = (uint64_t)amount(reader, from, "count");
    row->total_ns = amount(reader, from, "total_ns");
    row->underfilled_ns = amount(reader, from, "underfilled_ns");
    read_dims(reader, from, "grid", row->grid);
    read_dims(reader, from, "block", row->block);
}

static void read_copy(struct reader *reader, const struct wi_json *from, struct wi_copy_row *row)
{
    row->direction =
        (uint8_t)word(reader, from, "direction", WI_COPY_COUNT, wi_copy_direction_word);
    row->host_mem = (uint8_t)word(reader, from, "host_memory", WI_MEM_COUNT, wi_memory_kind_word);
    row->device = number32(reader, from, "device");
    row->count = (uint64_t)amount(reader, from, "count");
    row->bytes = (uint64_t)amount(reader, from, "bytes");
    row->total_ns = amount(reader, from, "total_ns");
    row->exposed_ns = amount(reader, from, "exposed_ns");
    row->call_ns = amount_or_unknown(reader, from, "call_ns");
}

static void read_gap(struct reader *reader, const struct wi_json *from, struct wi_gap_row *row)
{
    row->device = number32(reader, from, "device");
    row->start_ns = point(reader, from, "start_ns");
    row->end_ns = point(reader, from, "end_ns");
    row->subcause = subcause(reader, from, "id");
}

static void read_calls(struct reader *reader, const struct wi_json *root)
{
    const struct wi_json *calls = need_object(reader, root, "calls");
    for (const struct wi_json *m = calls ? calls->child : NULL; m; m = m->next) {
        unsigned i = 0;
        while (i < WI_API_COUNT && strcmp(wi_api_class_word(i), m->key) != 0)
            i++;
        if (i == WI_API_COUNT) {
            fail(reader, m, "is no class of calls", m->key);
            return;
        }
        struct wi_call_row *row = &reader->saved->result.calls[i];
        row->count = (uint64_t)amount(reader, m, "count");
        row->failed = (uint64_t)amount(reader, m, "failed");
        row->total_ns = amount(reader, m, "total_ns");
        row->longest_ns = amount(reader, m, "longest_ns");
    }
}

static void read_evidence(struct reader *reader, const struct wi_json *root)
{
    struct wi_host_sample *host = &reader->saved->result.host;
    const struct wi_json *from = need(reader, root, "evidence");
    if (!from || from->type == WI_JSON_NULL)
        return;
    host->at_ns = point(reader, from, "at_ns");
    host->interval_ns = amount_or_unknown(reader, from, "interval_ns");
    host->children = amount_or_unknown(reader, from, "children");
    host->child_cpu_permille = amount_or_unknown(reader, from, "child_cpu_permille");
    host->child_disk_permille = amount_or_unknown(reader, from, "child_disk_permille");
    host->cores_allowed = amount_or_unknown(reader, from, "cores_allowed");
    host->cores_idle_permille = amount_or_unknown(reader, from, "cores_idle_permille");
    host->gpu_util_permille = amount_or_unknown(reader, from, "gpu_util_permille");
    host->throttled_ns = amount_or_unknown(reader, from, "throttled_ns");
}

static void read_coverage(struct reader *reader, const struct wi_json *root)
{
    struct wi_coverage *coverage = &reader->saved->result.coverage;
    const struct wi_json *from = need_object(reader, root, "coverage");
    const struct wi_json *lost = need_object(reader, from, "lost");
    coverage->ops = (uint64_t)amount(reader, from, "ops");
    coverage->ops_matched = (uint64_t)amount(reader, from, "ops_matched");
    coverage->calls = (uint64_t)amount(reader, from, "calls");
    coverage->calls_owing = (uint64_t)amount(reader, from, "calls_owing");
    for (unsigned i = 0; i < WI_LOSS_COUNT; i++)
        coverage->lost[i] = (uint64_t)amount(reader, lost, wi_loss_kind_word(i));
    coverage->blind_ns = amount(reader, from, "blind_ns");
    coverage->negative_latency = (uint64_t)amount(reader, from, "negative_latency");
    coverage->samples = (uint64_t)amount(reader, from, "samples");
}

/* Reads every element of root[key] with one of the functions above into a new array *rows. */
#define READ_ROWS(reader, root, key, rows, row_count, read_row)                                    \
    do {                                                                                           \
        const struct wi_json *array_ = need_array(reader, root, key);                              \
        int at_ = 0, count_ = array_ ? array_->count : 0;                                          \
        (rows) = wi_arena_alloc(&(reader)->saved->arena, (size_t)count_ * sizeof(*(rows)) + 1);    \
        if (!(rows))                                                                               \
            fail(reader, array_, "has too many entries", key);                                     \
        for (const struct wi_json *m_ = array_ && (rows) ? array_->child : NULL; m_;               \
             m_ = m_->next)                                                                        \
            read_row(reader, m_, &(rows)[at_++]);                                                  \
        (row_count) = at_;                                                                         \
    } while (0)

static void check_schema(struct reader *reader, const struct wi_json *root)
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

static void read_document(struct reader *reader, const struct wi_json *root)
{
    struct wi_result *result = &reader->saved->result;
    read_job(reader, root);
    read_run(reader, root);
    READ_ROWS(reader, root, "devices", result->devices, result->device_count, read_device);
    READ_ROWS(reader, root, "findings", result->findings, result->finding_count, read_finding);
    READ_ROWS(reader, root, "kernels", result->kernels, result->kernel_count, read_kernel);
    READ_ROWS(reader, root, "copies", result->copies, result->copy_count, read_copy);
    READ_ROWS(reader, root, "gaps", result->gaps, result->gap_count, read_gap);
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
    struct reader reader = {saved, error, 0};
    const struct wi_json *root = wi_json_parse(data, len, &saved->arena, error);
    if (!root)
        return WI_ERR_FORMAT;
    check_schema(&reader, root);
    if (!reader.code)
        read_document(&reader, root);
    return reader.code;
}
