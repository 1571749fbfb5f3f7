/* A device of a document whyidle-report/1, see report_device.h.
 * Threads: one at a time. */
#include "cli/report_device.h"

#include <string.h>

#include "report/report_series.h"

static void read_uuid(struct wi_fields *reader, const struct wi_json *from, uint8_t uuid[16])
{
    const char *at = wi_field_text(reader, from, "uuid");
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

static void read_timeline(struct wi_fields *reader, const struct wi_json *device,
                          struct wi_timeline *t)
{
    const struct wi_json *from = wi_field_object(reader, device, "timeline");
    t->start_ns = wi_field_point(reader, from, "start_ns");
    t->end_ns = wi_field_point(reader, from, "end_ns");
    t->span_ns = wi_field_amount(reader, from, "span_ns");
    t->kernel_ns = wi_field_amount(reader, from, "kernel_ns");
    t->copy_ns = wi_field_amount(reader, from, "copy_ns");
    t->memset_ns = wi_field_amount(reader, from, "memset_ns");
    t->exposed_ns = wi_field_amount(reader, from, "exposed_ns");
    t->idle_ns = wi_field_amount(reader, from, "idle_ns");
    t->gaps = (uint64_t)wi_field_amount(reader, from, "gaps");
    t->longest_gap_ns = wi_field_amount(reader, from, "longest_gap_ns");
}

/* The classes and sub-causes must sum exactly: a document where they do not was not written by
 * us, or was damaged. */
static void check_sums(struct wi_fields *reader, const struct wi_json *at,
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
            wi_field_fail(reader, at, "does not sum to its class", "subcauses");
    }
    if (overflow || total != length)
        wi_field_fail(reader, at, "does not sum to the window", "classes");
}

/* The ns[] of one kind; all kinds of a series have the same number of buckets. */
static void read_buckets(struct wi_fields *reader, const struct wi_json *from, unsigned kind,
                         struct wi_series *series)
{
    const struct wi_json *array = wi_field_array(reader, from, wi_series_word(kind));
    int at = 0;
    if (array && (array->count > WI_SERIES_BUCKETS || (kind && array->count != series->used))) {
        wi_field_fail(reader, array, "has a wrong number of buckets", wi_series_word(kind));
        return;
    }
    for (const struct wi_json *m = array ? array->child : NULL; m; m = m->next)
        series->ns[at++][kind] = wi_field_element(reader, m, wi_series_word(kind));
    series->used = at;
}

static void read_series(struct wi_fields *reader, const struct wi_json *device,
                        struct wi_device_result *out)
{
    const struct wi_json *from = wi_json_get(device, "series"); /* a later addition to version 1 */
    struct wi_series *series;
    if (!from || from->type == WI_JSON_NULL)
        return;
    series = wi_arena_alloc(&reader->saved->arena, sizeof(*series));
    if (!series) {
        wi_field_fail(reader, from, "is too large", "series");
        return;
    }
    series->start_ns = wi_field_point(reader, from, "start_ns");
    series->width_ns = wi_field_amount(reader, from, "width_ns");
    for (unsigned kind = 0; kind < WI_SERIES_KINDS; kind++)
        read_buckets(reader, from, kind, series);
    out->series = series;
}

static void read_steps(struct wi_fields *reader, const struct wi_json *device,
                       struct wi_steps *steps)
{
    const struct wi_json *from = wi_json_get(device, "steps"); /* a later addition to version 1 */
    if (!from || from->type == WI_JSON_NULL)
        return;
    steps->count = (uint64_t)wi_field_amount(reader, from, "count");
    steps->marked = wi_field_flag(reader, from, "marked");
    steps->start_ns = wi_field_point(reader, from, "start_ns");
    steps->last_ns = wi_field_point(reader, from, "last_ns");
    int64_t length;
    if (__builtin_sub_overflow(steps->last_ns, steps->start_ns, &length) || length < 0)
        wi_field_fail(reader, from, "end before they start", "steps");
    steps->median_ns = wi_field_amount_or_unknown(reader, from, "median_ns");
    steps->p95_ns = wi_field_amount_or_unknown(reader, from, "p95_ns");
    steps->outliers = (uint64_t)wi_field_amount(reader, from, "outliers");
    steps->outlier_every = (uint64_t)wi_field_integer(reader, from, "outlier_every", 1, 1, 0);
    steps->outlier_extra_ns = wi_field_amount(reader, from, "outlier_extra_ns");
}

static void read_account(struct wi_fields *reader, const struct wi_json *from,
                         struct wi_device_result *device)
{
    const struct wi_json *window = wi_field_object(reader, from, "window");
    const struct wi_json *classes = wi_field_object(reader, from, "classes");
    const struct wi_json *subcauses = wi_field_object(reader, from, "subcauses");
    device->window_start_ns = wi_field_point(reader, window, "start_ns");
    device->window_end_ns = wi_field_point(reader, window, "end_ns");
    read_timeline(reader, from, &device->timeline);
    for (int i = 0; i < WI_CLASS_COUNT; i++)
        device->class_ns[i] = wi_field_amount(reader, classes, wi_class_word((enum wi_class)i));
    for (const struct wi_json *m = subcauses ? subcauses->child : NULL; m; m = m->next) {
        int found = strchr(m->key, '/') ? wi_subcause_find(m->key) : -1;
        if (found < 0)
            wi_field_fail(reader, m, "is no sub-cause that this whyidle knows", m->key);
        else
            device->subcause_ns[found] = wi_field_amount(reader, subcauses, m->key);
    }
    device->idle_ns = wi_field_amount(reader, from, "idle_ns");
    device->kernels = (uint64_t)wi_field_amount(reader, from, "kernels");
    device->copies = (uint64_t)wi_field_amount(reader, from, "copies");
    device->memsets = (uint64_t)wi_field_amount(reader, from, "memsets");
    device->graphs = (uint64_t)wi_field_amount(reader, from, "graphs");
    read_steps(reader, from, &device->steps);
    read_series(reader, from, device);
    check_sums(reader, classes, device);
}

void wi_read_device(struct wi_fields *reader, const struct wi_json *from,
                    struct wi_device_result *device)
{
    struct wi_device_info *info = &device->info;
    info->device = wi_field_i32(reader, from, "id");
    info->name = wi_field_name(reader, from, "name");
    read_uuid(reader, from, info->uuid);
    info->sms = wi_field_u32(reader, from, "sms");
    info->threads_per_sm = wi_field_u32(reader, from, "threads_per_sm");
    info->blocks_per_sm = wi_field_u32(reader, from, "blocks_per_sm");
    info->registers_per_sm = wi_field_u32(reader, from, "registers_per_sm");
    info->shared_bytes_per_sm = wi_field_u32(reader, from, "shared_bytes_per_sm");
    info->memory_bytes = (uint64_t)wi_field_integer(reader, from, "memory_bytes", 0, 1, 0);
    device->used = wi_field_flag(reader, from, "used");
    if (device->used)
        read_account(reader, from, device);
}
