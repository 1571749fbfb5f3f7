/* The tables of the report document, see report_tables.h.
 * Threads: the owner of the writer. May not: allocate, use stdio. */
#include "report/report_tables.h"

#include "report/report_series.h"

void wi_put_rows(struct wi_members *json, const struct wi_report *report, enum wi_table_id id,
                 const char *name, const void *rows, int count, size_t size)
{
    struct wi_table table = {id, report->names, 0, 0};
    wi_put_top_key(json, name);
    wi_put_open(json, '[');
    for (int i = 0; i < count; i++) {
        wi_put_item(json);
        wi_put_open(json, '{');
        wi_table_json(json->out, &table, (const char *)rows + (size_t)i * size);
        wi_put_close(json, '}');
    }
    wi_put_close(json, ']');
}

void wi_put_calls(struct wi_members *json, const struct wi_report *report)
{
    struct wi_table table = {WI_TABLE_CALLS, report->names, 0, 0};
    wi_put_top_key(json, "calls");
    wi_put_open(json, '{');
    for (unsigned i = 0; i < WI_API_COUNT; i++) {
        struct wi_class_calls row = {wi_api_class_word(i), &report->result->calls[i]};
        if (!row.row->count)
            continue;
        wi_put_key(json, row.word);
        wi_put_open(json, '{');
        wi_table_json(json->out, &table, &row);
        wi_put_close(json, '}');
    }
    wi_put_close(json, '}');
}

void wi_put_collectives(struct wi_members *json, const struct wi_report *report)
{
    wi_put_top_key(json, "collectives");
    wi_put_open(json, '[');
    for (int i = 0; i < report->result->collective_count; i++) {
        wi_put_item(json);
        wi_collective_json(json->out, &report->result->collectives[i], report->names);
    }
    wi_put_close(json, ']');
}

void wi_put_gaps(struct wi_members *json, const struct wi_result *result)
{
    wi_put_top_key(json, "gaps");
    wi_put_open(json, '[');
    for (int i = 0; i < result->gap_count; i++) {
        const struct wi_gap_row *gap = &result->gaps[i];
        wi_put_item(json);
        wi_put_open(json, '{');
        wi_put_int(json, "device", gap->device);
        wi_put_int(json, "start_ns", gap->start_ns);
        wi_put_int(json, "end_ns", gap->end_ns);
        wi_put_text(json, "id", wi_subcause_id(gap->subcause));
        wi_put_close(json, '}');
    }
    wi_put_close(json, ']');
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
void wi_put_unresolved(struct wi_members *json, const struct wi_report *report)
{
    wi_put_top_key(json, "unresolved");
    wi_put_open(json, '[');
    for (int i = 0; i < report->result->place_count; i++) {
        const struct wi_code_place *place = &report->result->places[i];
        if (!is_told(report->result, place->site))
            continue;
        wi_put_item(json);
        wi_put_open(json, '{');
        wi_put_name(json, "site", report, place->site);
        wi_put_name(json, "path", report, place->path);
        wi_put_name(json, "build_id", report, place->build_id);
        wi_put_int(json, "address", (int64_t)(place->address & INT64_MAX));
        wi_put_close(json, '}');
    }
    wi_put_close(json, ']');
}
