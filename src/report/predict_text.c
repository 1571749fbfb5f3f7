/* Predictions in words, see predict_text.h.
 * Threads: the owner of the writer. May not: allocate, use stdio. */
#include "report/predict_text.h"

#include <string.h>

#include "analyze/change.h"
#include "analyze/fixes.h"
#include "analyze/limits.h"
#include "analyze/remedies.h"
#include "base/attr.h"
#include "report/human.h"
#include "report/predict_json.h"

#define NOTHING ((double)WI_LIMIT_FIX_GAIN_PERMILLE / 1000)
#define SAME    0.02 /* how far the step may be off the whole before it stands for it */
#define BOUND   1.1  /* an upper end from here on is no error of a replay, which is a few percent */
#define MORE    0.01 /* of the time: a cause that takes so much more of what is replayed says why */
#define DRAW    0.001 /* of the time: delays below it are not worth a word */

void wi_put_times(struct wi_out *out, double speedup)
{
    wi_out_fixed(out, speedup, speedup < 1.995 ? 2 : speedup < 9.95 ? 1 : 0);
    wi_out_char(out, 'x');
}

/* A step says what a reader can check, where it gains as much as the whole. */
static int steps_stand_for_it(const struct wi_prediction *p)
{
    if (p->step_before_ns <= 0 || p->step_after_ns <= 0)
        return 0;
    double ratio = (double)p->step_before_ns / (double)p->step_after_ns;
    return ratio >= p->speedup * (1 - SAME) && ratio <= p->speedup * (1 + SAME);
}

int wi_predicts_nothing(const struct wi_prediction *p)
{
    return !p->withheld && p->low > 1 - NOTHING && p->high < 1 + NOTHING;
}

/* The evidence shows no way to a gain, and only the cause gone would bring one. */
static int is_bound(const struct wi_prediction *p)
{
    return p->speedup > 1 - NOTHING && p->speedup < 1 + NOTHING && p->high >= BOUND;
}

static void put_change(struct wi_out *out, const struct wi_prediction *p)
{
    if (steps_stand_for_it(p)) {
        wi_human_change(out, p->step_before_ns, p->step_after_ns);
        wi_out_str(out, "/step");
    } else {
        wi_human_change(out, p->before_ns, p->after_ns);
        wi_out_str(out, " in the stretches replayed");
    }
}

/* Both ends, unless they are shown alike. */
static void put_range(struct wi_out *out, const struct wi_prediction *p)
{
    struct wi_phrase low, high;
    wi_put_times(wi_phrase_begin(&low), p->low);
    wi_put_times(wi_phrase_begin(&high), p->high);
    if (!strcmp(wi_phrase_end(&low), wi_phrase_end(&high)))
        return;
    wi_out_f(out, " (range\u00a0%s to\u00a0%s)", low.text, high.text);
}

void wi_put_prediction(struct wi_out *out, const struct wi_prediction *p)
{
    if (p->withheld) {
        wi_out_str(out, "not predicted: ");
        wi_out_clean(out, p->withheld);
        return;
    }
    put_change(out, p);
    if (wi_predicts_nothing(p)) {
        wi_out_str(out, " (");
        wi_put_times(out, p->speedup);
        wi_out_char(out, ')');
        return;
    }
    wi_out_str(out, ", ");
    wi_put_times(out, p->speedup);
    put_range(out, p);
}

/* "108 -> 33 ms/step, 3.3x, at most" */
static void put_bound(struct wi_out *out, const struct wi_prediction *p)
{
    struct wi_prediction end = *p;
    end.speedup = end.low = p->high;
    end.after_ns = (int64_t)((double)p->before_ns / p->high);
    if (p->step_before_ns > 0)
        end.step_after_ns = (int64_t)((double)p->step_before_ns / p->high);
    wi_put_prediction(out, &end);
    wi_out_str(out, ", at most");
}

static void put_also(struct wi_out *out, const struct wi_prediction *p)
{
    for (int i = 0; i < p->also_count; i++) {
        enum wi_subcause subcause = p->also[i].subcause;
        wi_out_str(out, i ? ", and " : "with it goes ");
        wi_human_share(out, p->also[i].ns, p->before_ns, 1);
        if (subcause == WI_SUB_COMPUTE)
            wi_out_str(out,
                       " in which the device did one after the other what then runs side by side");
        else
            wi_out_f(out, " of another cause, %s (%s)", wi_subcause_people(subcause),
                     wi_subcause_id(subcause));
    }
}

/* Why a fix saves more than its own cause took, from what the replay measured: "its 12.2 % of the
 * time: with it goes 23.3 % of another cause, ...". */
static void put_why(struct wi_layout *layout, const struct wi_finding *f)
{
    const struct wi_prediction *p = &f->predicted;
    struct wi_phrase phrase;
    struct wi_out *out = wi_phrase_begin(&phrase);
    int more = (double)p->own_ns > (f->share + MORE) * (double)p->before_ns;
    if (!more && !p->also_count)
        return;
    wi_out_str(out, "its ");
    wi_out_fixed(out, f->share * 100, 1);
    wi_out_str(out, " % of the time: ");
    if (more) {
        wi_out_str(out, "it takes ");
        wi_human_share(out, p->own_ns, p->before_ns, 1);
        wi_out_str(out, " of what is replayed, the part that recurs");
        wi_out_str(out, p->also_count ? "; " : "");
    }
    put_also(out, p);
    wi_layout_line(layout, "  more than", wi_phrase_end(&phrase));
}

/* What is changed, in words that agree with the fix and the evidence for it. */
static const char *sentence_of(const struct wi_finding *f)
{
    const struct wi_remedy *remedy = wi_remedy_of(f->subcause);
    int own = remedy && remedy->universe == f->predicted.universe;
#define GIVES_IF(sub, condition, sentence)                                                         \
    if (own && f->subcause == WI_SUB_##sub && (condition))                                         \
        return sentence;
#include "report/gives.def"
#undef GIVES_IF
    return wi_universe_sentence((enum wi_universe)f->predicted.universe);
}

void wi_text_gives(struct wi_layout *layout, const struct wi_finding *finding)
{
    const struct wi_prediction *p = &finding->predicted;
    struct wi_phrase phrase;
    struct wi_out *out = wi_phrase_begin(&phrase);
    if (!wi_predicted(p) && !p->withheld)
        return;
    if (wi_predicts_nothing(p))
        wi_out_str(out, "nothing: ");
    if (!p->withheld && is_bound(p))
        put_bound(out, p);
    else
        wi_put_prediction(out, p);
    if (!p->withheld && p->universe >= 0)
        wi_out_f(out, ": %s", sentence_of(finding));
    wi_layout_line(layout, "  gives", wi_phrase_end(&phrase));
    if (!p->withheld)
        put_why(layout, finding);
}

void wi_text_together(struct wi_layout *layout, const struct wi_result *result, int finding)
{
    int fixes[WI_FIXES], told = wi_fixes_of(result, fixes);
    struct wi_phrase phrase;
    struct wi_out *out = wi_phrase_begin(&phrase);
    for (int i = 0; i < result->together_count; i++) {
        const struct wi_together *together = &result->together[i];
        if (together->findings[together->count - 1] != finding)
            continue;
        wi_out_str(out, "with FIX");
        for (int k = 0; k < told; k++)
            for (int of = 0; of < together->count - 1; of++)
                if (together->findings[of] == fixes[k])
                    wi_out_f(out, of ? " and %d" : " %d", k + 1);
        wi_out_str(out, ": ");
        wi_put_prediction(out, &together->predicted);
        wi_layout_line(layout, "  together", wi_phrase_end(&phrase));
        return;
    }
}

static const char *faster_word(double speedup)
{
    static const struct {
        double least;
        const char *word;
    } ROWS[] = {
#define FASTER_GPU(least, word, reason) {least, word},
#include "report/faster_gpu.def"
#undef FASTER_GPU
    };
    size_t i = 0;
    while (i + 1 < WI_ARRAY_LEN(ROWS) && speedup < ROWS[i].least)
        i++;
    return ROWS[i].word;
}

void wi_text_faster_gpu(struct wi_layout *layout, const struct wi_report *report)
{
    const struct wi_result *result = report->result;
    struct wi_phrase phrase;
    struct wi_out *out = wi_phrase_begin(&phrase);
    for (int i = 0; i < result->prediction_count; i++) {
        const struct wi_prediction *p = &result->predictions[i];
        if (p->universe != WI_UNIVERSE_GPU_2X || (!wi_predicted(p) && !p->withheld))
            continue;
        if (p->withheld) {
            wi_out_str(out, "Not known: ");
            wi_out_clean(out, p->withheld);
        } else {
            wi_out_f(out, "%s. One twice as fast: ", faster_word(p->speedup));
            wi_put_prediction(out, p);
        }
        wi_out_char(out, '.');
        wi_out_char(layout->out, '\n');
        wi_layout_line(layout, "A FASTER GPU?", wi_phrase_end(&phrase));
        return;
    }
}

static int ranges_shown(const struct wi_result *result)
{
    for (int i = 0; i < result->prediction_count; i++)
        if (!result->predictions[i].withheld)
            return 1;
    return 0;
}

void wi_put_replay(struct wi_out *out, const struct wi_result *result)
{
    const struct wi_replay *replay = &result->replay;
    if (!wi_replayed(replay))
        return;
    if (replay->withheld) {
        wi_out_str(out, "; nothing is predicted: ");
        wi_out_clean(out, replay->withheld);
        return;
    }
    wi_out_str(out, "; replaying this run lands within ");
    /* rounded up: "within" is never less than it is */
    double percent = replay->error * 100 + 0.0499;
    wi_out_fixed(out, percent < 0.1 ? 0.1 : percent, 1);
    wi_out_str(out, " % of its real time");
    if (replay->unexplained >= DRAW) {
        wi_out_str(out, ", ");
        wi_out_fixed(out, replay->unexplained * 100, 1);
        wi_out_str(out, " % of it in delays that are kept as they were");
    }
    if (ranges_shown(result))
        wi_out_str(out, "; a range runs from what the evidence supports to the cause gone");
}
