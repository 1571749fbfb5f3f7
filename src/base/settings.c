/* Reads the WHYIDLE_* variables, see settings.h.
 * Threads: the caller's. May not: allocate, keep state. */
#include "base/settings.h"

#include <stddef.h>
#include <string.h>

#include "base/attr.h"
#include "base/out.h"

#define TYPE_FIELDS_FLAG(d, l, h) .number_default = (d), .low = (l), .high = (h)
#define TYPE_FIELDS_INT(d, l, h)  .number_default = (d), .low = (l), .high = (h)
#define TYPE_FIELDS_WORD(d, l, h) .text_default = (d), .words = (l)
#define TYPE_FIELDS_TEXT(d, l, h) .text_default = (d)

static const struct wi_setting_row ROWS[] = {
#define SETTING(id, setting_name, kind, d, l, h, text)                                             \
    {.name = setting_name,                                                                         \
     .type = WI_SETTING_##kind,                                                                    \
     .sentence = text,                                                                             \
     TYPE_FIELDS_##kind(d, l, h)},
#include "base/settings.def"
#undef SETTING
};

static const size_t OFFSETS[] = {
#define SETTING(id, name, type, def, low, high, sentence) offsetof(struct wi_settings, id),
#include "base/settings.def"
#undef SETTING
};

const struct wi_setting_row *wi_settings_rows(int *count)
{
    *count = (int)WI_ARRAY_LEN(ROWS);
    return ROWS;
}

static int parse_number(const char *text, int64_t *value)
{
    int64_t total = 0;
    int negative = *text == '-';
    text += negative;
    if (!*text)
        return -1;
    for (; *text; text++) {
        if (*text < '0' || *text > '9' || total > INT64_MAX / 10 - 1)
            return -1;
        total = total * 10 + (*text - '0');
    }
    *value = negative ? -total : total;
    return 0;
}

static int in_words(const char *words, const char *word)
{
    size_t len = strlen(word);
    for (const char *at = words; at && len; at = strchr(at, '|')) {
        at += *at == '|';
        if (!strncmp(at, word, len) && (at[len] == '|' || !at[len]))
            return 1;
    }
    return 0;
}

void wi_setting_allowed(struct wi_out *out, const struct wi_setting_row *row)
{
    if (row->type == WI_SETTING_FLAG || row->type == WI_SETTING_INT)
        wi_out_f(out, "%lld %s %lld", (long long)row->low,
                 row->type == WI_SETTING_FLAG ? "or" : "to", (long long)row->high);
    for (const char *at = row->words; at && *at; at++) {
        if (*at == '|')
            wi_out_str(out, ", ");
        else
            wi_out_char(out, *at);
    }
}

static void refuse(const struct wi_setting_row *row, const char *problem, const char *then,
                   wi_settings_warn warn)
{
    char text[160];
    struct wi_out out;
    if (!warn)
        return;
    wi_out_mem(&out, text, sizeof(text));
    wi_out_f(&out, "%s ", problem);
    wi_setting_allowed(&out, row);
    wi_out_f(&out, "; %s is used", then);
    wi_out_finish(&out);
    warn(row->name, text);
}

static void set_number(const struct wi_setting_row *row, int64_t *field, const char *text,
                       wi_settings_warn warn)
{
    int64_t value;
    if (parse_number(text, &value) != 0) {
        refuse(row, "is not a whole number,", "the default", warn);
        return;
    }
    *field = value < row->low ? row->low : value > row->high ? row->high : value;
    if (*field != value)
        refuse(row, "is outside of", "the nearest of these", warn);
}

static void set_field(struct wi_settings *settings, int row_index, const char *text,
                      wi_settings_warn warn)
{
    const struct wi_setting_row *row = &ROWS[row_index];
    void *field = (char *)settings + OFFSETS[row_index];
    if (!*text)
        return;
    if (row->type == WI_SETTING_FLAG || row->type == WI_SETTING_INT) {
        set_number(row, field, text, warn);
    } else if (row->type == WI_SETTING_TEXT || in_words(row->words, text)) {
        *(const char **)field = text;
    } else {
        refuse(row, "is none of", "the default", warn);
    }
}

static void set_defaults(struct wi_settings *settings)
{
    for (size_t i = 0; i < WI_ARRAY_LEN(ROWS); i++) {
        void *field = (char *)settings + OFFSETS[i];
        if (ROWS[i].type == WI_SETTING_FLAG || ROWS[i].type == WI_SETTING_INT)
            *(int64_t *)field = ROWS[i].number_default;
        else
            *(const char **)field = ROWS[i].text_default;
    }
}

static int find_row(const char *entry, size_t len)
{
    for (size_t i = 0; i < WI_ARRAY_LEN(ROWS); i++)
        if (strlen(ROWS[i].name) == len && !memcmp(ROWS[i].name, entry, len))
            return (int)i;
    return -1;
}

void wi_settings_parse(struct wi_settings *settings, char **environment, wi_settings_warn warn)
{
    set_defaults(settings);
    for (; environment && *environment; environment++) {
        const char *entry = *environment;
        const char *equals = strchr(entry, '=');
        if (!equals || strncmp(entry, "WHYIDLE", 7) != 0)
            continue;
        size_t len = (size_t)(equals - entry);
        int row = find_row(entry, len);
        if (row >= 0)
            set_field(settings, row, equals + 1, warn);
        else if (warn && (entry[7] == '_' || entry[7] == '='))
            warn(entry, "is no setting of whyidle");
    }
}
