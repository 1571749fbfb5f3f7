/* One change to a recorded run, see what_if.h.
 * Threads: main. */
#include "cli/what_if.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analyze/change_text.h"
#include "analyze/predict.h"
#include "base/attr.h"
#include "cli/show.h"
#include "report/human.h"
#include "report/layout.h"
#include "report/predict_json.h"
#include "report/predict_text.h"

struct word_row {
    const char *word, *sentence;
};

static const struct word_row KEYS[] = {
#define UNIVERSE_KEY(word, sentence) {word, sentence},
#include "analyze/universe_keys.def"
#undef UNIVERSE_KEY
};

static void put_row(struct wi_out *out, const char *word, const char *sentence)
{
    wi_out_str(out, "  ");
    wi_out_str(out, word);
    wi_out_pad(out, ' ', 20 - (int)out->col);
    wi_out_str(out, sentence);
    wi_out_char(out, '\n');
}

/* What could stand at the place: changes, or the keys of one. */
static void put_choices(struct wi_out *out, const struct wi_change_problem *problem)
{
    enum wi_universe universe = (enum wi_universe)problem->universe;
    wi_out_str(out, "UNIVERSE[:KEY=VALUE[,KEY=VALUE]...][+UNIVERSE...], ");
    if (problem->universe < 0) {
        wi_out_str(out, "UNIVERSE one of\n");
        for (int i = 0; i < WI_UNIVERSE_COUNT; i++)
            put_row(out, wi_universe_word((enum wi_universe)i),
                    wi_universe_sentence((enum wi_universe)i));
        return;
    }
    wi_out_f(out, "KEY of %s one of\n", wi_universe_word(universe));
    for (size_t i = 0; i < WI_ARRAY_LEN(KEYS); i++)
        if (wi_universe_uses(universe, KEYS[i].word))
            put_row(out, KEYS[i].word, KEYS[i].sentence);
}

/* The text with a mark below the place, why it is refused, and what could stand there. */
static void complain(const char *text, const struct wi_change_problem *problem)
{
    char buf[4096];
    struct wi_out out;
    wi_out_fd(&out, STDERR_FILENO, buf, sizeof(buf));
    wi_out_f(&out, "whyidle report: --what-if cannot be read at character %d: ", problem->at + 1);
    wi_out_clean(&out, problem->text);
    wi_out_str(&out, "\n  ");
    wi_out_clean(&out, text);
    wi_out_str(&out, "\n  ");
    wi_out_pad(&out, ' ', problem->at);
    wi_out_str(&out, "^\n");
    put_choices(&out, problem);
    wi_out_finish(&out);
}

int wi_what_if_parse(const char *text, struct wi_change *change)
{
    struct wi_change_problem problem;
    if (wi_change_parse(change, text, &problem) == 0)
        return 0;
    complain(text, &problem);
    return -1;
}

/* The universe that a word of `length` names; the text has been read, so that there is one. */
static enum wi_universe universe_at(const char *word, size_t length)
{
    int i = 0;
    while (i + 1 < WI_UNIVERSE_COUNT &&
           (strlen(wi_universe_word((enum wi_universe)i)) != length ||
            strncmp(wi_universe_word((enum wi_universe)i), word, length)))
        i++;
    return (enum wi_universe)i;
}

/* The keys given for one change, behind its colon; returns the sentence that is true with them. */
static const char *put_keys(struct wi_out *out, enum wi_universe universe, const char **at)
{
    const char *own = wi_universe_sentence(universe), *sentence = own;
    const char *before = " (";
    while (**at == ':' || **at == ',') {
        char key[64] = "";
        size_t length = strcspn(++*at, "=");
        strncat(key, *at, length < sizeof(key) ? length : sizeof(key) - 1);
        sentence = sentence == own ? wi_universe_said(universe, key) : sentence;
        length = strcspn(*at, ",+");
        wi_out_str(out, before);
        wi_out_bytes(out, *at, length);
        before = ", ";
        *at += length;
    }
    wi_out_str(out, *before == ',' ? ")" : "");
    return sentence;
}

/* "input is made several times as fast (x=4, by=workers); ...": each change with what was said of
 * it. */
static void put_sentences(struct wi_out *out, const char *text)
{
    const char *before = "";
    for (const char *at = text; *at; at += *at == '+') {
        size_t length = strcspn(at, ":+");
        struct wi_phrase keys;
        enum wi_universe universe = universe_at(at, length);
        at += length;
        const char *sentence = put_keys(wi_phrase_begin(&keys), universe, &at);
        wi_out_f(out, "%s%s%s", before, sentence, wi_phrase_end(&keys));
        before = "; ";
    }
}

/* Of the copies between host and device, those that were slowest on average; NULL without copies.
 */
static const struct wi_copy_row *slowest_copies(const struct wi_result *result)
{
    const struct wi_copy_row *slowest = NULL;
    for (int i = 0; i < result->copy_count; i++) {
        const struct wi_copy_row *row = &result->copies[i];
        int crosses = row->direction == WI_COPY_H2D || row->direction == WI_COPY_D2H;
        if (crosses && row->bytes > 0 && row->total_ns > 0 &&
            (!slowest || (double)row->bytes / (double)row->total_ns <
                             (double)slowest->bytes / (double)slowest->total_ns))
            slowest = row;
    }
    return slowest;
}

/* A figure that was given and changes nothing: a fix never makes a copy slower. */
static void put_note(struct wi_out *out, const struct wi_change *change,
                     const struct wi_result *result)
{
    const struct wi_copy_row *row = slowest_copies(result);
    if (change->copy_rate <= 0)
        return;
    if (!row) {
        wi_out_str(out, "the rate changes nothing: no copy between host and device was recorded");
    } else if (change->copy_rate <= (double)row->bytes / (double)row->total_ns) {
        wi_out_str(out, "the rate changes nothing: copies ran at ");
        wi_human_rate(out, (int64_t)row->bytes, row->total_ns);
        wi_out_str(out, " or more on average, and a fix makes none slower; a rate above that would "
                        "make them faster");
    }
}

static void put_text(struct wi_out *out, const struct wi_args *args, const struct wi_result *result,
                     const struct wi_prediction *prediction, const char *note)
{
    struct wi_layout layout = {out, wi_show_width(STDOUT_FILENO, args),
                               wi_show_color(STDOUT_FILENO, args)};
    struct wi_phrase phrase;
    put_sentences(wi_phrase_begin(&phrase), wi_args_value(args, WI_OPT_WHAT_IF, ""));
    wi_layout_line(&layout, "WHAT IF", wi_phrase_end(&phrase));
    wi_out_str(wi_phrase_begin(&phrase), wi_predicts_nothing(prediction) ? "nothing: " : "");
    wi_put_prediction(&phrase.out, prediction);
    wi_layout_line(&layout, "  gives", wi_phrase_end(&phrase));
    if (note[0])
        wi_layout_line(&layout, "  note", note);
    wi_put_replay(wi_phrase_begin(&phrase), result);
    if (wi_phrase_end(&phrase)[0])
        wi_layout_line(&layout, "CAN I TRUST IT", phrase.text + 2); /* behind "; " */
}

static void put_json(struct wi_out *out, const char *text, const struct wi_result *result,
                     const struct wi_prediction *prediction, const char *note)
{
    wi_out_str(out, "{\"schema\":\"whyidle-what-if/1\",\n\"change\":");
    wi_out_json(out, text);
    wi_out_str(out, ",\n\"prediction\":");
    wi_prediction_json(out, prediction);
    wi_out_str(out, ",\n\"note\":");
    wi_out_json(out, note[0] ? note : NULL);
    wi_out_str(out, ",\n\"replay\":");
    wi_replay_json(out, &result->replay);
    wi_out_str(out, "}\n");
}

/* The steps are those of the run, as the report's own predictions know them. */
static void set_steps(const struct wi_result *result, struct wi_prediction *prediction)
{
    for (int i = 0; i < result->prediction_count && prediction->speedup > 0; i++) {
        int64_t step_ns = result->predictions[i].step_before_ns;
        if (step_ns == WI_UNKNOWN || prediction->step_before_ns != WI_UNKNOWN)
            continue;
        prediction->step_before_ns = step_ns;
        prediction->step_after_ns = (int64_t)((double)step_ns / prediction->speedup);
    }
}

int wi_what_if_show(const struct wi_args *args, const struct wi_change *change,
                    struct wi_input *input, const char *path)
{
    const struct wi_result *result = &input->saved.result;
    struct wi_prediction prediction;
    struct wi_phrase note;
    char buf[4096];
    struct wi_out out;
    if (!input->engine) {
        fprintf(stderr,
                "whyidle: %s: a saved report has no events to replay; --what-if needs a recording "
                "(WHYIDLE_TRACE=FILE makes one)\n",
                path);
        return WI_EXIT_USAGE;
    }
    if (wi_predict_change(input->engine, &input->saved.arena, change, &prediction) != 0) {
        fprintf(stderr, "whyidle: %s: out of memory\n", path);
        return WI_EXIT_USAGE;
    }
    set_steps(result, &prediction);
    put_note(wi_phrase_begin(&note), change, result);
    wi_out_fd(&out, STDOUT_FILENO, buf, sizeof(buf));
    if (!strcmp(wi_args_value(args, WI_OPT_FORMAT, "text"), "json"))
        put_json(&out, wi_args_value(args, WI_OPT_WHAT_IF, ""), result, &prediction,
                 wi_phrase_end(&note));
    else
        put_text(&out, args, result, &prediction, wi_phrase_end(&note));
    if (wi_out_finish(&out) == 0)
        return WI_EXIT_OK;
    fprintf(stderr, "whyidle report: cannot write: %s\n", strerror(errno));
    return WI_EXIT_USAGE;
}
