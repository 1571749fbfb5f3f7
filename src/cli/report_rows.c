/* The rows of a document whyidle-report/1, see report_rows.h.
 * Threads: one at a time. */
#include "cli/report_rows.h"

#include <stdlib.h>

static void read_dims(struct wi_fields *reader, const struct wi_json *from, const char *key,
                      uint32_t dims[3])
{
    const struct wi_json *value = wi_field_any(reader, from, key);
    int i = 0;
    if (!value || value->type == WI_JSON_NULL)
        return;
    if (value->type != WI_JSON_ARRAY || value->count != 3)
        wi_field_fail(reader, value, "is not an array of three", key);
    for (const struct wi_json *m = value->child; m && i < 3; m = m->next) {
        if (m->type != WI_JSON_INT || m->number < 0 || m->number > UINT32_MAX)
            wi_field_fail(reader, m, "holds something else than sizes", key);
        dims[i++] = (uint32_t)m->number;
    }
}

void wi_read_kernel_row(struct wi_fields *reader, const struct wi_json *from,
                        struct wi_kernel_row *row)
{
    row->name = wi_field_name(reader, from, "name");
    row->device = wi_field_i32(reader, from, "device");
    row->count = (uint64_t)wi_field_amount(reader, from, "count");
    row->total_ns = wi_field_amount(reader, from, "total_ns");
    row->underfilled_ns = wi_field_amount(reader, from, "underfilled_ns");
    read_dims(reader, from, "grid", row->grid);
    read_dims(reader, from, "block", row->block);
}

void wi_read_copy_row(struct wi_fields *reader, const struct wi_json *from, struct wi_copy_row *row)
{
    row->direction =
        (uint8_t)wi_field_word(reader, from, "direction", WI_COPY_COUNT, wi_copy_direction_word);
    row->host_mem =
        (uint8_t)wi_field_word(reader, from, "host_memory", WI_MEM_COUNT, wi_memory_kind_word);
    row->device = wi_field_i32(reader, from, "device");
    row->count = (uint64_t)wi_field_amount(reader, from, "count");
    row->bytes = (uint64_t)wi_field_amount(reader, from, "bytes");
    row->total_ns = wi_field_amount(reader, from, "total_ns");
    row->exposed_ns = wi_field_amount(reader, from, "exposed_ns");
    row->call_ns = wi_field_amount_or_unknown(reader, from, "call_ns");
}

/* A later addition; as many as there are durations. */
static void read_ends(struct wi_fields *reader, const struct wi_json *ends,
                      struct wi_collective_row *row)
{
    int count = 0;
    if (!ends || ends->type == WI_JSON_NULL)
        return;
    if (ends->type != WI_JSON_ARRAY || ends->count != row->kept) {
        wi_field_fail(reader, ends, "does not hold one time for each duration", "end_ns");
        return;
    }
    for (const struct wi_json *m = ends->child; m; m = m->next)
        row->end_ns[count++] = wi_field_element(reader, m, "end_ns");
    row->timed = 1;
}

void wi_read_collective_row(struct wi_fields *reader, const struct wi_json *from,
                            struct wi_collective_row *row)
{
    const struct wi_json *durations = wi_field_array(reader, from, "duration_ns");
    const char *stream = wi_field_text(reader, from, "stream");
    row->name = wi_field_name(reader, from, "name");
    row->device = wi_field_i32(reader, from, "device");
    row->stream = stream ? strtoull(stream, NULL, 10) : 0;
    row->count = (uint64_t)wi_field_amount(reader, from, "count");
    row->total_ns = wi_field_amount(reader, from, "total_ns");
    row->step = (uint64_t)wi_field_amount(reader, from, "step");
    if (durations && durations->count > WI_COLLECTIVE_KEPT) {
        wi_field_fail(reader, durations, "has too many entries", "duration_ns");
        return;
    }
    for (const struct wi_json *m = durations ? durations->child : NULL; m; m = m->next)
        row->duration_ns[row->kept++] = wi_field_element(reader, m, "duration_ns");
    read_ends(reader, wi_json_get(from, "end_ns"), row);
}

void wi_read_gap_row(struct wi_fields *reader, const struct wi_json *from, struct wi_gap_row *row)
{
    row->device = wi_field_i32(reader, from, "device");
    row->start_ns = wi_field_point(reader, from, "start_ns");
    row->end_ns = wi_field_point(reader, from, "end_ns");
    row->subcause = wi_field_subcause(reader, from, "id");
}

void wi_read_unresolved(struct wi_fields *reader, const struct wi_json *from,
                        struct wi_code_place *place)
{
    place->site = wi_field_name(reader, from, "site");
    place->path = wi_field_name(reader, from, "path");
    place->build_id = wi_field_name(reader, from, "build_id");
    place->address = (uint64_t)wi_field_amount(reader, from, "address");
}
