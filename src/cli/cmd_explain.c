/* whyidle explain: the sub-causes, or one: what it is, how it is seen, what to change, how to check
 * it, and when that will not help. All of it comes from the tables of the analysis.
 * Threads: main. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analyze/advice.h"
#include "analyze/rules.h"
#include "base/attr.h"
#include "cli/commands.h"
#include "cli/explain_seen.h"
#include "cli/show.h"

#define MOST_NEAR 4
#define FAR       4 /* more changes than this make another word */

/* A fix or sentence of the tables without a finding: the names of its figures in brackets. */
static void put_template(struct wi_layout *layout, const char *label, const char *text)
{
    struct wi_phrase phrase;
    struct wi_out *out = wi_phrase_begin(&phrase);
    int inside = 0;
    for (; *text; text++) {
        if (text[0] == '{' && text[1] == '{') {
            wi_out_char(out, *text++);
        } else if (*text == '{' || (*text == '}' && inside)) {
            inside = *text == '{';
            wi_out_char(out, inside ? '<' : '>');
        } else {
            wi_out_char(out, *text);
        }
    }
    wi_layout_line(layout, label, wi_phrase_end(&phrase));
}

static void put_heading(struct wi_layout *layout, const char *text)
{
    wi_layout_style(layout, WI_STYLE_STRONG);
    wi_layout_wrap(layout, text, 2);
    wi_layout_style(layout, WI_STYLE_PLAIN);
    wi_out_char(layout->out, '\n');
}

static void put_class(struct wi_layout *layout, enum wi_class class_id)
{
    struct wi_phrase phrase;
    wi_out_f(wi_phrase_begin(&phrase), "%s: %s", wi_class_word(class_id),
             wi_class_people(class_id));
    wi_out_char(layout->out, '\n');
    put_heading(layout, wi_phrase_end(&phrase));
    for (int i = 0; i < WI_SUB_COUNT; i++) {
        enum wi_subcause sub = (enum wi_subcause)i;
        if (wi_subcause_class(sub) != class_id || sub == WI_SUB_COMPUTE)
            continue;
        const char *id = strchr(wi_subcause_id(sub), '/') + 1;
        wi_out_f(layout->out, "  %s", id);
        wi_out_pad(layout->out, ' ', 24 - (int)strlen(id));
        wi_layout_wrap(layout, wi_subcause_people(sub), 26);
        wi_out_char(layout->out, '\n');
    }
}

static void list(struct wi_layout *layout, int only)
{
    wi_layout_wrap(layout,
                   "What can be wrong, by what the device is; one of them: whyidle explain ID", 0);
    wi_out_char(layout->out, '\n');
    for (int i = 0; i < WI_CLASS_COUNT; i++)
        if (i != WI_CLASS_COMPUTE && (only < 0 || i == only))
            put_class(layout, (enum wi_class)i);
}

static void put_fixes(struct wi_layout *layout, enum wi_subcause sub)
{
    const char *general = wi_advice_for(sub).fix;
    if (general)
        put_template(layout, "WHAT TO DO", general);
    for (int i = WI_DIALECT_GENERIC + 1; i < WI_DIALECT_COUNT; i++) {
        const char *fix = wi_advice_in(sub, (enum wi_dialect)i);
        if (fix)
            put_template(layout, wi_dialect_people((unsigned)i), fix);
    }
}

/* The programs of samples/ that show the sub-cause, or why there is none. */
static void put_sample(struct wi_layout *layout, enum wi_subcause sub)
{
    static const struct {
        const char *id, *program, *sentence;
    } SAMPLES[] = {
#define SAMPLE(program, id, when, cores, model, sentence) {id, #program, sentence},
#define WITHOUT(id, reason)                               {id, NULL, reason},
#include "samples.def"
#undef SAMPLE
#undef WITHOUT
    };
    for (size_t i = 0; i < WI_ARRAY_LEN(SAMPLES); i++) {
        struct wi_phrase phrase;
        struct wi_out *out = wi_phrase_begin(&phrase);
        if (strcmp(SAMPLES[i].id, wi_subcause_id(sub)) != 0)
            continue;
        if (SAMPLES[i].program)
            wi_out_f(out, "samples/%s: %s", SAMPLES[i].program, SAMPLES[i].sentence);
        else
            wi_out_f(out, "none; %s", SAMPLES[i].sentence);
        wi_layout_line(layout, "SAMPLE", wi_phrase_end(&phrase));
    }
}

static void explain(struct wi_layout *layout, enum wi_subcause sub)
{
    struct wi_advice_check check = wi_advice_check_for(sub);
    struct wi_phrase phrase;
    wi_out_f(wi_phrase_begin(&phrase), "%s: %s", wi_subcause_id(sub), wi_subcause_people(sub));
    put_heading(layout, wi_phrase_end(&phrase));
    if (check.what) {
        wi_out_str(wi_phrase_begin(&phrase), check.what);
        wi_layout_wrap(layout, wi_phrase_end(&phrase), 0);
        wi_out_char(layout->out, '\n');
    }
    wi_out_char(layout->out, '\n');
    wi_explain_seen(layout, sub);
    put_fixes(layout, sub);
    if (check.check)
        put_template(layout, "CHECK IT", check.check);
    if (check.not_when && strcmp(check.not_when, "-") != 0)
        put_template(layout, "NO HELP IF", check.not_when);
    put_sample(layout, sub);
}

/* Changes of one letter that turn one word into the other. */
static int distance(const char *a, const char *b)
{
    int row[64];
    int width = (int)strlen(b);
    if (width >= 63)
        return 63;
    for (int k = 0; k <= width; k++)
        row[k] = k;
    for (int i = 1; *a; a++, i++) {
        int corner = row[0];
        row[0] = i;
        for (int k = 1; k <= width; k++) {
            int best = corner + (*a != b[k - 1]);
            best = row[k] + 1 < best ? row[k] + 1 : best;
            best = row[k - 1] + 1 < best ? row[k - 1] + 1 : best;
            corner = row[k];
            row[k] = best;
        }
    }
    return row[width];
}

/* Ids near the word: those that hold it, and those a few letters away. */
static void complain(const char *word)
{
    const char *part = strchr(word, '/') ? strchr(word, '/') + 1 : word;
    int shown = 0;
    fprintf(stderr, "whyidle explain: no sub-cause '%.60s'", word);
    for (int far = 0; far <= FAR && shown < MOST_NEAR; far++) {
        for (int i = 0; i < WI_SUB_COUNT && shown < MOST_NEAR; i++) {
            const char *id = strchr(wi_subcause_id((enum wi_subcause)i), '/') + 1;
            int apart = strlen(part) > 2 && strstr(id, part) ? 0 : distance(part, id);
            if (i != WI_SUB_COMPUTE && apart == far)
                fprintf(stderr, "%s%s", shown++ ? ", " : "; near: ", id);
        }
    }
    fprintf(stderr, " (all: whyidle explain)\n");
}

int wi_cmd_explain(const struct wi_args *args)
{
    char buf[4096];
    struct wi_out out;
    struct wi_layout layout = {&out, wi_show_width(STDOUT_FILENO, args),
                               wi_show_color(STDOUT_FILENO, args)};
    const char *word = args->rest_count > 0 ? args->rest[0] : NULL;
    int sub = word ? wi_subcause_find(word) : -1, class_id = word ? wi_class_find(word) : -1;
    if (word && (sub < 0 || sub == WI_SUB_COMPUTE) &&
        (class_id < 0 || class_id == WI_CLASS_COMPUTE)) {
        complain(word);
        return WI_EXIT_USAGE;
    }
    wi_out_fd(&out, STDOUT_FILENO, buf, sizeof(buf));
    if (sub >= 0)
        explain(&layout, (enum wi_subcause)sub);
    else
        list(&layout, class_id);
    if (wi_out_finish(&out) == 0)
        return WI_EXIT_OK;
    fprintf(stderr, "whyidle explain: cannot write: %s\n", strerror(errno));
    return WI_EXIT_USAGE;
}
