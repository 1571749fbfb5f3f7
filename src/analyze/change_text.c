/* Reads a change from a text, see change_text.h.
 * Threads: any. Pure. */
#include "analyze/change_text.h"

#include <stdarg.h>
#include <string.h>

#include "base/attr.h"
#include "base/err.h"
#include "base/out.h"

#define NS_PER_MS  1e6
#define MOST_PARTS 32 /* changes in one text */
#define WORD_BYTES 64

enum value_kind {
#define UNIVERSE_VALUE(id, least, above, most, whole, text) VALUE_##id,
#include "analyze/universe_values.def"
#undef UNIVERSE_VALUE
};

static const struct value {
    double least;
    int above;
    double most;
    int whole;
    const char *text;
} VALUES[] = {
#define UNIVERSE_VALUE(id, least, above, most, whole, text) {least, above, most, whole, text},
#include "analyze/universe_values.def"
#undef UNIVERSE_VALUE
};

struct use {
    enum wi_universe universe;
    const char *key;
    enum value_kind value;
    const char *example, *sentence;
};

static const struct use USES[] = {
#define UNIVERSE_USES(id, key, value, example, sentence)                                           \
    {WI_UNIVERSE_##id, key, VALUE_##value, example, sentence},
#include "analyze/universe_uses.def"
#undef UNIVERSE_USES
};

struct piece {
    const char *start; /* in the text */
    size_t length;
};

/* One universe of the text, with what is said of it. */
struct part {
    struct piece piece;
    enum wi_universe universe;
    struct wi_sayings say;
};

struct reader {
    const char *text, *at;
    struct wi_change_problem *problem;
    struct piece said[WI_ARRAY_LEN(USES)]; /* of the part that is read; start NULL = not said */
    struct part parts[MOST_PARTS];
    int count;
};

/* NULL where the key means nothing for the universe. */
static const struct use *use_of(enum wi_universe universe, const char *key)
{
    for (size_t i = 0; i < WI_ARRAY_LEN(USES); i++)
        if (USES[i].universe == universe && !strcmp(USES[i].key, key))
            return &USES[i];
    return NULL;
}

const char *wi_universe_said(enum wi_universe universe, const char *key)
{
    const struct use *use = use_of(universe, key);
    return use && use->sentence ? use->sentence : wi_universe_sentence(universe);
}

int wi_universe_uses(enum wi_universe universe, const char *key)
{
    return use_of(universe, key) != NULL;
}

/* ---- what is wrong */

/* Begins the sentence about `place`. */
static struct wi_out begin(struct reader *r, const char *place, int universe)
{
    struct wi_out out;
    r->problem->at = (int)(place - r->text);
    r->problem->universe = universe;
    wi_out_mem(&out, r->problem->text, sizeof(r->problem->text));
    return out;
}

static int end(struct wi_out *out)
{
    wi_out_finish(out);
    return WI_ERR_FORMAT;
}

static void put_piece(struct wi_out *out, struct piece piece)
{
    char text[WORD_BYTES];
    size_t length = piece.length < sizeof(text) ? piece.length : sizeof(text) - 1;
    memcpy(text, piece.start, length);
    text[length] = 0;
    wi_out_char(out, '\'');
    wi_out_clean(out, text);
    wi_out_char(out, '\'');
}

static void put_example(struct wi_out *out, const struct use *use)
{
    wi_out_f(out, ", such as %s:%s=%s", wi_universe_word(use->universe), use->key, use->example);
}

static int no_universe(struct reader *r)
{
    struct wi_out out = begin(r, r->at, -1);
    struct piece piece = {r->at, strcspn(r->at, ":+")};
    if (piece.length) {
        put_piece(&out, piece);
        wi_out_str(&out, " is no change that is known, such as gpu-2x");
    } else {
        wi_out_str(&out, "a change is missing here, such as gpu-2x");
    }
    return end(&out);
}

/* No key that the universe has: those that it has. */
static int no_key(struct reader *r, const char *place, enum wi_universe universe)
{
    struct wi_out out = begin(r, place, (int)universe);
    const struct use *first = NULL;
    struct piece piece = {place, strcspn(place, ",+")};
    put_piece(&out, piece);
    wi_out_f(&out, " is no KEY=VALUE of %s, whose keys are ", wi_universe_word(universe));
    for (size_t i = 0; i < WI_ARRAY_LEN(USES); i++) {
        if (USES[i].universe != universe)
            continue;
        wi_out_f(&out, "%s%s", first ? ", " : "", USES[i].key);
        first = first ? first : &USES[i];
    }
    if (first)
        put_example(&out, first);
    return end(&out);
}

static int no_value(struct reader *r, const char *place, const struct use *use)
{
    struct wi_out out = begin(r, place, (int)use->universe);
    wi_out_f(&out, "%s of %s takes %s", use->key, wi_universe_word(use->universe),
             VALUES[use->value].text);
    put_example(&out, use);
    return end(&out);
}

/* Two pieces of the text of which one alone can hold. */
static int twice(struct reader *r, enum wi_universe universe, struct piece a, struct piece b)
{
    struct wi_out out = begin(r, b.start, (int)universe);
    put_piece(&out, a);
    wi_out_str(&out, " and ");
    put_piece(&out, b);
    wi_out_f(&out, " are both said of %s: leave one of them out", wi_universe_word(universe));
    return end(&out);
}

/* How much longer the kernels of a pass get decides everything. */
static int no_kernels(struct reader *r, const struct part *part)
{
    struct wi_out out = begin(r, part->piece.start, (int)part->universe);
    wi_out_str(&out,
               "kernels is missing: batched needs the factor of the duration of every kernel, "
               "such as batched:n=8,kernels=2.5");
    return end(&out);
}

static int too_many(struct reader *r)
{
    struct wi_out out = begin(r, r->at, -1);
    wi_out_f(&out, "at most %d changes fit into one text", MOST_PARTS);
    return end(&out);
}

/* ---- values */

/* "12" or "0.5", whatever the job's locale; 0 if it is anything else. */
static int read_number(const char *text, double *number)
{
    double scale = 1;
    int point = 0;
    *number = 0;
    for (const char *at = text; *at; at++) {
        if (*at == '.' && at > text && at[1] && !point) {
            point = 1;
        } else if (*at >= '0' && *at <= '9') {
            scale *= point ? 10 : 1;
            *number = *number * 10 + (*at - '0');
        } else {
            return 0;
        }
    }
    *number /= scale;
    return *text != 0;
}

static int say_number(struct wi_sayings *say, const struct use *use, const char *text)
{
    struct {
        const char *key;
        double *figure, unit;
    } figures[] = {{"stay", &say->stay_ns, NS_PER_MS},
                   {"x", &say->x, 1},
                   {"divide", &say->divide, 1},
                   {"every", &say->every, 1},
                   {"rate", &say->rate, 1},
                   {"pack", &say->pack_ns, NS_PER_MS},
                   {"spacing", &say->spacing_ns, NS_PER_MS},
                   {"n", &say->n, 1},
                   {"kernels", &say->kernels, 1},
                   {"least", &say->least_ns, NS_PER_MS}};
    const struct value *value = &VALUES[use->value];
    double number;
    if (!read_number(text, &number) || number < value->least || number > value->most ||
        (value->above && number <= value->least) ||
        (value->whole && number != (double)(long long)number))
        return 0;
    for (size_t i = 0; i < WI_ARRAY_LEN(figures); i++)
        if (!strcmp(use->key, figures[i].key))
            *figures[i].figure = number * figures[i].unit;
    return 1;
}

/* A sub-cause whatever its usual remedy, a class only if the universe is about some of it. */
static int say_cause(struct wi_sayings *say, enum wi_universe universe, const char *text)
{
    say->cause_sub = wi_subcause_find(text);
    say->cause_class = wi_class_find(text);
    if (say->cause_sub >= 0)
        return say->cause_sub != WI_SUB_COMPUTE;
    for (int i = 0; i < WI_SUB_COUNT; i++)
        if (say->cause_class >= 0 && wi_universe_answers(universe, (enum wi_subcause)i) &&
            (int)wi_subcause_class((enum wi_subcause)i) == say->cause_class)
            return 1;
    return 0;
}

static int say_value(struct wi_sayings *say, const struct use *use, const char *text)
{
    if (use->value == VALUE_CAUSE)
        return say_cause(say, use->universe, text);
    if (use->value != VALUE_PRODUCER)
        return say_number(say, use, text);
    say->by_storage = !strcmp(text, "storage");
    say->by_workers = !strcmp(text, "workers");
    return say->by_storage || say->by_workers;
}

/* ---- the text */

/* Copies the word at *at up to one of `ends` into out; 0 if it is empty or too long. */
static int take_word(const char **at, const char *ends, char *out, size_t size)
{
    size_t length = strcspn(*at, ends);
    if (!length || length >= size)
        return 0;
    memcpy(out, *at, length);
    out[length] = 0;
    *at += length;
    return 1;
}

/* KEY=VALUE at r->at. */
static int read_key(struct reader *r, struct part *part)
{
    char key[WORD_BYTES], value[WORD_BYTES];
    struct piece piece = {r->at, strcspn(r->at, ",+")};
    if (!take_word(&r->at, "=,+", key, sizeof(key)) || *r->at != '=') {
        int err = no_key(r, piece.start, part->universe);
        r->problem->at = (int)(r->at - r->text);
        return err;
    }
    const struct use *use = use_of(part->universe, key);
    if (!use)
        return no_key(r, piece.start, part->universe);
    ++r->at;
    if (!take_word(&r->at, ",+", value, sizeof(value)) || !say_value(&part->say, use, value))
        return no_value(r, piece.start, use);
    struct piece *said = &r->said[use - USES];
    if (said->start)
        return twice(r, part->universe, *said, piece);
    *said = piece;
    return WI_OK;
}

/* 1 if both are about the same cause: one of them, or the class that it is of. */
static int same_cause(const struct wi_sayings *a, const struct wi_sayings *b)
{
    int a_class =
        a->cause_sub >= 0 ? (int)wi_subcause_class((enum wi_subcause)a->cause_sub) : a->cause_class;
    int b_class =
        b->cause_sub >= 0 ? (int)wi_subcause_class((enum wi_subcause)b->cause_sub) : b->cause_class;
    if (a->cause_sub >= 0 && b->cause_sub >= 0)
        return a->cause_sub == b->cause_sub;
    return a_class < 0 || b_class < 0 || a_class == b_class;
}

/* Workers and storage are two, as are two causes; else a universe can be only one thing. */
static int overlap(const struct part *a, const struct part *b)
{
    int apart =
        (a->say.by_workers && b->say.by_storage) || (a->say.by_storage && b->say.by_workers);
    return a->universe == b->universe && !apart && same_cause(&a->say, &b->say);
}

/* One universe with what is said about it. */
static int read_part(struct reader *r)
{
    char word[WORD_BYTES];
    struct part *part = &r->parts[r->count];
    if (r->count == MOST_PARTS)
        return too_many(r);
    *part = (struct part){.piece = {r->at, strcspn(r->at, "+")}, .say = wi_say_nothing()};
    memset(r->said, 0, sizeof(r->said));
    if (!take_word(&r->at, ":+", word, sizeof(word)))
        return no_universe(r);
    while (strcmp(word, wi_universe_word(part->universe)) != 0)
        if (++part->universe == WI_UNIVERSE_COUNT) {
            r->at = part->piece.start;
            return no_universe(r);
        }
    while (*r->at == ':' || *r->at == ',') {
        ++r->at;
        int err = read_key(r, part);
        if (err)
            return err;
    }
    if (part->universe == WI_UNIVERSE_BATCHED && part->say.kernels <= 0)
        return no_kernels(r, part);
    for (int i = 0; i < r->count; i++)
        if (overlap(&r->parts[i], part))
            return twice(r, part->universe, r->parts[i].piece, part->piece);
    r->count++;
    return WI_OK;
}

int wi_change_parse(struct wi_change *change, const char *text, struct wi_change_problem *problem)
{
    struct reader r = {.text = text, .at = text, .problem = problem};
    wi_change_none(change);
    do {
        r.at += r.at != text;
        int err = read_part(&r);
        if (err)
            return err;
    } while (*r.at == '+');
    for (int i = 0; i < r.count; i++)
        wi_change_say(change, r.parts[i].universe, &r.parts[i].say);
    return WI_OK;
}
