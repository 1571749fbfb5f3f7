/* Predictions read back, see report_predictions.h.
 * Threads: one at a time. */
#include "cli/report_predictions.h"

#include "analyze/change.h"

#define MOST_TIMES 1e9 /* no change makes a run faster than a clock can tell */
#define MOST_ERROR 1e6 /* of a replay, 1 = all of the time */

static const char *universe_word(unsigned value)
{
    return wi_universe_word((enum wi_universe)value);
}

static void read_figures(struct wi_fields *reader, const struct wi_json *from,
                         struct wi_prediction *p)
{
    const struct wi_json *universe = wi_field_any(reader, from, "universe");
    p->universe = -1; /* null: several together */
    if (universe && universe->type != WI_JSON_NULL)
        p->universe = wi_field_word(reader, from, "universe", WI_UNIVERSE_COUNT, universe_word);
    p->speedup = wi_field_real(reader, from, "speedup", MOST_TIMES, 1);
    p->low = wi_field_real(reader, from, "low", MOST_TIMES, 1);
    p->high = wi_field_real(reader, from, "high", MOST_TIMES, 1);
    p->before_ns = wi_field_amount_or_unknown(reader, from, "before_ns");
    p->after_ns = wi_field_amount_or_unknown(reader, from, "after_ns");
    p->step_before_ns = wi_field_amount_or_unknown(reader, from, "step_before_ns");
    p->step_after_ns = wi_field_amount_or_unknown(reader, from, "step_after_ns");
}

void wi_read_prediction(struct wi_fields *reader, const struct wi_json *from,
                        struct wi_prediction *prediction)
{
    read_figures(reader, from, prediction);
    prediction->withheld = wi_field_text(reader, from, "withheld");
}

/* A later addition to version 1. */
static void read_also(struct wi_fields *reader, const struct wi_json *from, struct wi_prediction *p)
{
    const struct wi_json *also =
        wi_json_get(from, "also") ? wi_field_array(reader, from, "also") : NULL;
    if (wi_json_get(from, "own_ns"))
        p->own_ns = wi_field_amount_or_unknown(reader, from, "own_ns");
    p->own_ns = p->own_ns == WI_UNKNOWN ? 0 : p->own_ns;
    for (const struct wi_json *m = also ? also->child : NULL; m; m = m->next) {
        if (p->also_count == WI_ALSO) {
            wi_field_fail(reader, m, "holds more causes than are ever told", "also");
            return;
        }
        p->also[p->also_count++] =
            (struct wi_also){wi_field_subcause(reader, m, "id"), wi_field_amount(reader, m, "ns")};
    }
}

void wi_read_predicted(struct wi_fields *reader, const struct wi_json *finding,
                       struct wi_prediction *prediction)
{
    const struct wi_json *from = wi_field_any(reader, finding, "predicted");
    if (from && from->type != WI_JSON_NULL) {
        read_figures(reader, from, prediction);
        read_also(reader, from, prediction);
    }
    if (wi_json_get(finding, "withheld")) /* a later addition to version 1 */
        prediction->withheld = wi_field_text(reader, finding, "withheld");
}

static void read_one_together(struct wi_fields *reader, const struct wi_json *from,
                              struct wi_together *together)
{
    const struct wi_json *findings = wi_field_array(reader, from, "findings");
    for (const struct wi_json *m = findings ? findings->child : NULL; m; m = m->next) {
        int64_t index = wi_field_element(reader, m, "findings");
        if (together->count == WI_FIXES || index >= reader->saved->result.finding_count) {
            wi_field_fail(reader, m, "holds something else than findings", "findings");
            return;
        }
        together->findings[together->count++] = (int)index;
    }
    if (together->count < 2)
        wi_field_fail(reader, findings, "holds fewer than two", "findings");
    read_figures(reader, from, &together->predicted);
}

void wi_read_together(struct wi_fields *reader, const struct wi_json *root)
{
    struct wi_result *result = &reader->saved->result;
    const struct wi_json *rows = wi_field_array(reader, root, "together");
    for (const struct wi_json *m = rows ? rows->child : NULL; m; m = m->next) {
        if (result->together_count == WI_FIXES - 1) {
            wi_field_fail(reader, m, "holds more than are ever told", "together");
            return;
        }
        read_one_together(reader, m, &result->together[result->together_count++]);
    }
}

void wi_read_replay(struct wi_fields *reader, const struct wi_json *root, struct wi_replay *replay)
{
    const struct wi_json *from = wi_json_get(root, "replay");
    if (!from || from->type == WI_JSON_NULL)
        return;
    replay->calls = (uint64_t)wi_field_amount(reader, from, "calls");
    replay->error = wi_field_real(reader, from, "error", MOST_ERROR, 1);
    replay->unexplained = wi_field_real(reader, from, "unexplained", MOST_ERROR, 1);
    replay->covered_ns = wi_field_amount_or_unknown(reader, from, "covered_ns");
    replay->withheld = wi_field_text(reader, from, "withheld");
}
