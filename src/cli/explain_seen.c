/* How a sub-cause is seen, see explain_seen.h.
 * Threads: main. */
#include "cli/explain_seen.h"

#include <ctype.h>
#include <string.h>

#include "base/attr.h"

/* One row of any table that can give a sub-cause. */
struct seen_row {
    enum wi_subcause subcause;
    const char *id, *where, *condition, *sentence, *limits;
};

static const struct seen_row ROWS[] = {
#define RULE(id, portion, condition, sub, sentence)                                                \
    {WI_SUB_##sub, #id, #portion, #condition, sentence, ""},
#include "analyze/rules.def"
#undef RULE
#define OVERRIDE(id, decided, condition, sub, sentence, share)                                     \
    {WI_SUB_##sub, #id, "decided as " #decided, #condition, sentence, ""},
#include "analyze/overrides.def"
#undef OVERRIDE
#define COPY_CAUSE(sub, condition, sentence) {WI_SUB_##sub, NULL, "copy", #condition, sentence, ""},
#include "analyze/copy_causes.def"
#undef COPY_CAUSE
#define DIRECT_CAUSE(sub, sentence, limits) {WI_SUB_##sub, NULL, NULL, NULL, sentence, limits},
#include "analyze/direct_causes.def"
#undef DIRECT_CAUSE
};

static const struct {
    const char *member, *value, *unit, *reason;
} REASONS[] = {
#define RULE_REASON(member, value, unit, reason) {#member, value, unit, reason},
#include "analyze/rule_reasons.def"
#undef RULE_REASON
};

static const struct {
    const char *id;
    long long value;
    const char *unit, *reason;
} LIMITS[] = {
#define LIMIT(id, value, unit, reason) {#id, value, unit, reason},
#include "analyze/limits.def"
#undef LIMIT
};

/* What conditions are spelt like in the tables, and for people. */
static const struct {
    const char *from, *to;
} SPELLINGS[] = {
    {"e->", ""},      {"f->", ""},       {"WI_LIMIT_", ""}, {"WI_SPAN_", ""}, {"WI_FRAME_", ""},
    {"WI_COPY_", ""}, {" && ", " and "}, {" || ", " or "},  {"!", "not "},
};

void wi_explain_condition(struct wi_out *out, const char *condition)
{
    while (*condition) {
        size_t i = 0;
        while (i < WI_ARRAY_LEN(SPELLINGS) &&
               strncmp(condition, SPELLINGS[i].from, strlen(SPELLINGS[i].from)) != 0)
            i++;
        if (i == WI_ARRAY_LEN(SPELLINGS)) {
            wi_out_char(out, *condition++);
            continue;
        }
        wi_out_str(out, SPELLINGS[i].to);
        condition += strlen(SPELLINGS[i].from);
    }
}

/* 1 if text holds the word, with nothing of a word on either side. */
static int has_word(const char *text, const char *word)
{
    size_t len = strlen(word);
    for (const char *at = text; (at = strstr(at, word)); at++) {
        char before = at > text ? at[-1] : ' ', after = at[len];
        if (!isalnum((unsigned char)before) && before != '_' && before != '.' &&
            !isalnum((unsigned char)after) && after != '_' && after != '.')
            return 1;
    }
    return 0;
}

/* 1 if some row of the sub-cause compares the member with the value. */
static int compares(enum wi_subcause subcause, const char *member, const char *value)
{
    for (size_t i = 0; i < WI_ARRAY_LEN(ROWS); i++)
        if (ROWS[i].subcause == subcause && ROWS[i].condition &&
            has_word(ROWS[i].condition, member) && has_word(ROWS[i].condition, value))
            return 1;
    return 0;
}

static int uses_limit(enum wi_subcause subcause, const char *id)
{
    char spelt[64] = "WI_LIMIT_";
    strncat(spelt, id, sizeof(spelt) - sizeof("WI_LIMIT_"));
    for (size_t i = 0; i < WI_ARRAY_LEN(ROWS); i++)
        if (ROWS[i].subcause == subcause &&
            (has_word(ROWS[i].limits, id) ||
             (ROWS[i].condition && has_word(ROWS[i].condition, spelt))))
            return 1;
    return 0;
}

static void put_row(struct wi_layout *layout, const struct seen_row *row, const char *label)
{
    struct wi_phrase phrase;
    struct wi_out *out = wi_phrase_begin(&phrase);
    wi_out_str(out, row->sentence);
    if (row->id)
        wi_out_f(out, " [%s]", row->id);
    wi_layout_line(layout, label, wi_phrase_end(&phrase));
    if (!row->condition)
        return;
    out = wi_phrase_begin(&phrase);
    wi_out_str(out, "if ");
    if (!strcmp(row->condition, "1"))
        wi_out_str(out, "nothing above it in the table matches");
    else
        wi_explain_condition(out, row->condition);
    if (row->where && strcmp(row->where, "ANY") != 0) {
        wi_out_str(out, ", of what is ");
        for (const char *c = row->where; *c; c++)
            wi_out_char(out, *c == '_' ? '-' : (char)tolower((unsigned char)*c));
    }
    wi_layout_line(layout, "", wi_phrase_end(&phrase));
}

static void put_threshold(struct wi_layout *layout, int first, const char *name, const char *unit,
                          const char *reason)
{
    struct wi_phrase phrase;
    wi_out_f(wi_phrase_begin(&phrase), "%s %s: %s", name, unit, reason);
    wi_layout_line(layout, first ? "THRESHOLDS" : "", wi_phrase_end(&phrase));
}

void wi_explain_seen(struct wi_layout *layout, enum wi_subcause subcause)
{
    int rows = 0, thresholds = 0;
    char name[96];
    struct wi_out out;
    for (size_t i = 0; i < WI_ARRAY_LEN(ROWS); i++)
        if (ROWS[i].subcause == subcause)
            put_row(layout, &ROWS[i], rows++ ? "" : "SEEN WHEN");
    if (!rows)
        wi_layout_line(layout, "SEEN WHEN", "this version has no evidence that gives it");
    for (size_t i = 0; i < WI_ARRAY_LEN(REASONS); i++) {
        if (!compares(subcause, REASONS[i].member, REASONS[i].value))
            continue;
        wi_out_mem(&out, name, sizeof(name));
        wi_out_f(&out, "%s %s", REASONS[i].member, REASONS[i].value);
        wi_out_finish(&out);
        put_threshold(layout, !thresholds++, name, REASONS[i].unit, REASONS[i].reason);
    }
    for (size_t i = 0; i < WI_ARRAY_LEN(LIMITS); i++) {
        if (!uses_limit(subcause, LIMITS[i].id))
            continue;
        wi_out_mem(&out, name, sizeof(name));
        wi_out_f(&out, "%s %lld", LIMITS[i].id, LIMITS[i].value);
        wi_out_finish(&out);
        put_threshold(layout, !thresholds++, name, LIMITS[i].unit, LIMITS[i].reason);
    }
}
