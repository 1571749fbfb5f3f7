/* Predictions in the document, see predict_json.h.
 * Threads: the owner of the writer. May not: allocate, use stdio. */
#include "report/predict_json.h"

#include "analyze/change.h"

int wi_predicted(const struct wi_prediction *prediction)
{
    return !prediction->withheld && prediction->speedup > 0;
}

int wi_replayed(const struct wi_replay *replay)
{
    return replay->withheld || replay->calls > 0;
}

static void put_int(struct wi_out *out, const char *key, int64_t value, int known)
{
    wi_out_f(out, ",\"%s\":", key);
    if (!known || value == WI_UNKNOWN)
        wi_out_str(out, "null");
    else
        wi_out_i64(out, value);
}

static void put_real(struct wi_out *out, const char *key, double value, int known)
{
    wi_out_f(out, ",\"%s\":", key);
    if (known)
        wi_out_json_fixed(out, value, 6);
    else
        wi_out_str(out, "null");
}

/* From the universe on, without the braces; everything but it is null without a figure. */
static void put_figures(struct wi_out *out, const struct wi_prediction *p)
{
    int known = wi_predicted(p);
    wi_out_str(out, "\"universe\":");
    wi_out_json(out, p->universe < 0 ? NULL : wi_universe_word((enum wi_universe)p->universe));
    put_real(out, "speedup", p->speedup, known);
    put_real(out, "low", p->low, known);
    put_real(out, "high", p->high, known);
    put_int(out, "before_ns", p->before_ns, known);
    put_int(out, "after_ns", p->after_ns, known);
    put_int(out, "step_before_ns", p->step_before_ns, known);
    put_int(out, "step_after_ns", p->step_after_ns, known);
}

void wi_prediction_json(struct wi_out *out, const struct wi_prediction *p)
{
    wi_out_char(out, '{');
    put_figures(out, p);
    wi_out_str(out, ",\"sentence\":");
    wi_out_json(out, p->universe < 0 ? NULL : wi_universe_sentence((enum wi_universe)p->universe));
    wi_out_str(out, ",\"withheld\":");
    wi_out_json(out, p->withheld);
    wi_out_char(out, '}');
}

void wi_predictions_json(struct wi_out *out, const struct wi_result *result)
{
    if (!result->prediction_count) {
        wi_out_str(out, "null");
        return;
    }
    for (int i = 0; i < result->prediction_count; i++) {
        wi_out_str(out, i ? ",\n " : "[\n ");
        wi_prediction_json(out, &result->predictions[i]);
    }
    wi_out_char(out, ']');
}

static void put_also(struct wi_out *out, const struct wi_prediction *p)
{
    put_int(out, "own_ns", p->own_ns, p->own_ns > 0);
    wi_out_str(out, ",\"also\":[");
    for (int i = 0; i < p->also_count; i++) {
        wi_out_str(out, i ? ",{\"id\":" : "{\"id\":");
        wi_out_json(out, wi_subcause_id(p->also[i].subcause));
        wi_out_f(out, ",\"ns\":%lld}", (long long)p->also[i].ns);
    }
    wi_out_char(out, ']');
}

void wi_together_json(struct wi_out *out, const struct wi_together *together)
{
    wi_out_str(out, "{\"findings\":[");
    for (int i = 0; i < together->count; i++)
        wi_out_f(out, i ? ",%d" : "%d", together->findings[i]);
    wi_out_str(out, "],");
    put_figures(out, &together->predicted);
    wi_out_char(out, '}');
}

void wi_predicted_json(struct wi_out *out, const struct wi_prediction *p)
{
    wi_out_str(out, "\"predicted\":");
    if (wi_predicted(p)) {
        wi_out_char(out, '{');
        put_figures(out, p);
        put_also(out, p);
        wi_out_char(out, '}');
    } else {
        wi_out_str(out, "null");
    }
    wi_out_str(out, ",\"withheld\":");
    wi_out_json(out, p->withheld);
}

void wi_replay_json(struct wi_out *out, const struct wi_replay *replay)
{
    int known = replay->calls > 0;
    if (!wi_replayed(replay)) {
        wi_out_str(out, "null");
        return;
    }
    wi_out_f(out, "{\"calls\":%llu", (unsigned long long)replay->calls);
    put_real(out, "error", replay->error, known);
    put_real(out, "unexplained", replay->unexplained, known);
    put_int(out, "covered_ns", replay->covered_ns, known);
    wi_out_str(out, ",\"withheld\":");
    wi_out_json(out, replay->withheld);
    wi_out_char(out, '}');
}
