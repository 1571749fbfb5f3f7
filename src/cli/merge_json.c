/* The document whyidle-merge/1, see merge_show.h.
 * Threads: main. What is not known is null. */
#include "cli/merge_show.h"

static void put_int(struct wi_out *out, const char *key, int64_t value)
{
    wi_out_f(out, ",\"%s\":", key);
    if (value == WI_UNKNOWN)
        wi_out_str(out, "null");
    else
        wi_out_i64(out, value);
}

static void put_text(struct wi_out *out, const char *key, const char *text)
{
    wi_out_f(out, ",\"%s\":", key);
    wi_out_json(out, text);
}

static void put_classes(struct wi_out *out, const struct wi_merge_row *row)
{
    wi_out_str(out, ",\"classes\":{");
    for (int i = 0; i < WI_CLASS_COUNT; i++)
        wi_out_f(out, "%s\"%s\":%lld", i ? "," : "", wi_class_word((enum wi_class)i),
                 (long long)row->device->class_ns[i]);
    wi_out_str(out, "},\"subcauses\":{");
    for (int i = 0, put = 0; i < WI_SUB_COUNT; i++) {
        int64_t ns = wi_merge_subcause_ns(row, (enum wi_subcause)i);
        if (ns)
            wi_out_f(out, "%s\"%s\":%lld", put++ ? "," : "", wi_subcause_id((enum wi_subcause)i),
                     (long long)ns);
    }
    wi_out_char(out, '}');
}

static void put_row(struct wi_out *out, const struct wi_merge_row *row)
{
    const struct wi_job *job = row->report->job;
    wi_out_str(out, "\n {\"file\":");
    wi_out_json(out, row->path);
    put_int(out, "rank", job->rank);
    put_int(out, "pid", job->pid ? job->pid : WI_UNKNOWN);
    put_text(out, "host", job->host);
    put_int(out, "device", row->device->info.device);
    put_int(out, "window_ns", wi_merge_window_ns(row));
    put_classes(out, row);
    put_int(out, "collective_ns", row->collective_ns);
    put_int(out, "waited_ns", row->waited_ns);
    put_int(out, "comm_wait_ns", row->comm_wait_ns);
    put_int(out, "caused_ns", row->comm_wait_ns == WI_UNKNOWN ? WI_UNKNOWN : row->caused_ns);
    put_int(out, "last", row->comm_wait_ns == WI_UNKNOWN ? WI_UNKNOWN : (int64_t)row->last);
    wi_out_f(out, ",\"straggler\":%s}", row->straggler ? "true" : "false");
}

static void put_match(struct wi_out *out, const struct wi_merge_match *match, int rows)
{
    wi_out_str(out, "\n {\"name\":");
    wi_out_json(out, match->name);
    put_int(out, "order", match->order);
    put_int(out, "ranks", match->ranks);
    put_int(out, "count", (int64_t)match->count);
    put_int(out, "least", (int64_t)match->least);
    put_int(out, "compared", (int64_t)match->compared);
    put_text(out, "problem", match->problem);
    wi_out_str(out, ",\"members\":[");
    for (int i = 0, put = 0; i < rows; i++)
        if (match->of[i])
            wi_out_f(out, put++ ? ",%d" : "%d", i);
    wi_out_str(out, "]}");
}

static void put_straggler(struct wi_out *out, const struct wi_merge *merge)
{
    static const char *const WORDS[] = {"unknown", "device-work", "slower-clock", "pause"};
    struct wi_phrase phrase;
    int known = merge->reason != WI_MERGE_UNKNOWN;
    wi_out_f(out, "\"in_turn\":%s", merge->in_turn ? "true" : "false");
    put_text(out, "reason", merge->stragglers || merge->in_turn ? WORDS[merge->reason] : NULL);
    put_text(out, "pause", merge->reason == WI_MERGE_PAUSE ? wi_subcause_id(merge->pause) : NULL);
    put_int(out, "own_ns", known ? merge->own_ns : WI_UNKNOWN);
    put_int(out, "others_ns", known && !merge->in_turn ? merge->others_ns : WI_UNKNOWN);
    put_int(out, "own_mhz", merge->own_mhz);
    put_int(out, "others_mhz", merge->others_mhz);
    wi_out_str(out, ",\"factor\":");
    if (merge->factor > 0)
        wi_out_json_fixed(out, merge->factor, 4);
    else
        wi_out_str(out, "null");
    wi_merge_sentence(wi_phrase_begin(&phrase), merge);
    put_text(out, "text", wi_phrase_end(&phrase));
}

void wi_merge_json(struct wi_out *out, const struct wi_merge *merge,
                   const struct wi_job_reports *reports)
{
    double share;
    const char *verdict = wi_merge_verdict(merge, &share);
    wi_out_str(out, "{\"schema\":\"whyidle-merge/1\",\n\"tool\":{\"name\":\"whyidle\","
                    "\"version\":\"" WHYIDLE_VERSION "\"},\n\"verdict\":{\"id\":");
    wi_out_json(out, verdict);
    wi_out_str(out, ",\"share\":");
    wi_out_json_fixed(out, share, 6);
    wi_out_str(out, "},\n\"comm_wait_share\":");
    if (merge->compared)
        wi_out_json_fixed(out, merge->mean_wait, 6);
    else
        wi_out_str(out, "null");
    wi_out_str(out, ",\n\"late\":{");
    put_straggler(out, merge);
    wi_out_str(out, "},\n\"ranks\":[");
    for (int i = 0; i < merge->row_count; i++) {
        wi_out_str(out, i ? "," : "");
        put_row(out, &merge->rows[i]);
    }
    wi_out_str(out, "],\n\"collectives\":[");
    for (int i = 0; i < merge->match_count; i++) {
        wi_out_str(out, i ? "," : "");
        put_match(out, &merge->matches[i], merge->row_count);
    }
    wi_out_f(out, "],\n\"coverage\":{\"reports\":%d", reports->count);
    put_int(out, "damaged", reports->damaged);
    put_int(out, "compared", (int64_t)merge->compared);
    put_int(out, "missing_ranks", merge->missing_ranks);
    put_int(out, "doubled_ranks", merge->doubled_ranks);
    wi_out_str(out, "}}\n");
}
