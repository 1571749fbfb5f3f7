/* The long rows of the report document, see report_series.h.
 * Threads: the owner of the writer. May not: allocate, use stdio. */
#include "report/report_series.h"

#include "base/attr.h"

const char *wi_series_word(unsigned kind)
{
    static const char *const WORDS[] = {"compute", "under-filled", "communication", "transfer",
                                        "idle"};
    _Static_assert(WI_ARRAY_LEN(WORDS) == WI_SERIES_KINDS, "one word a kind, in their order");
    return WORDS[kind];
}

void wi_series_json(struct wi_out *out, const struct wi_series *series)
{
    if (!series || !series->width_ns) {
        wi_out_str(out, "null");
        return;
    }
    wi_out_f(out, "{\"start_ns\":%lld,\"width_ns\":%lld", (long long)series->start_ns,
             (long long)series->width_ns);
    for (unsigned kind = 0; kind < WI_SERIES_KINDS; kind++) {
        wi_out_f(out, ",\"%s\":[", wi_series_word(kind));
        for (int i = 0; i < series->used; i++) {
            wi_out_str(out, i ? "," : "");
            wi_out_i64(out, series->ns[i][kind]);
        }
        wi_out_char(out, ']');
    }
    wi_out_char(out, '}');
}

static void put_times(struct wi_out *out, const char *key, const int64_t *ns, int count)
{
    wi_out_f(out, ",\"%s\":[", key);
    for (int i = 0; i < count; i++) {
        wi_out_str(out, i ? "," : "");
        wi_out_i64(out, ns[i]);
    }
    wi_out_char(out, ']');
}

void wi_collective_json(struct wi_out *out, const struct wi_collective_row *row,
                        const struct wi_names *names)
{
    const char *name = wi_names_text(names, row->name);
    wi_out_str(out, "{\"name\":");
    wi_out_json(out, name[0] ? name : NULL);
    /* Streams are pointers of the job: a string, for readers whose numbers have 53 bits. */
    wi_out_f(out, ",\"device\":%d,\"stream\":\"%llu\",\"count\":%llu,\"total_ns\":%lld",
             row->device, (unsigned long long)row->stream, (unsigned long long)row->count,
             (long long)row->total_ns);
    wi_out_f(out, ",\"step\":%llu", (unsigned long long)row->step);
    put_times(out, "duration_ns", row->duration_ns, row->kept);
    if (row->timed)
        put_times(out, "end_ns", row->end_ns, row->kept);
    else
        wi_out_str(out, ",\"end_ns\":null");
    wi_out_char(out, '}');
}
