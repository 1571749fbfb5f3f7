/* Typed members of a report document, see report_fields.h.
 * Threads: one at a time. */
#include "cli/report_fields.h"

#include <stdio.h>
#include <string.h>

#include "base/err.h"

void wi_field_fail(struct wi_fields *reader, const struct wi_json *at, const char *what,
                   const char *key)
{
    if (reader->code)
        return;
    reader->code = WI_ERR_FORMAT;
    reader->error->offset = at ? at->offset : -1;
    snprintf(reader->error->text, sizeof(reader->error->text), "'%.80s' %s", key, what);
}

const struct wi_json *wi_field_any(struct wi_fields *reader, const struct wi_json *object,
                                   const char *key)
{
    const struct wi_json *value = wi_json_get(object, key);
    if (!value)
        wi_field_fail(reader, object, "is missing", key);
    return value;
}

static const struct wi_json *need_type(struct wi_fields *reader, const struct wi_json *object,
                                       const char *key, enum wi_json_type type, const char *word)
{
    const struct wi_json *value = wi_field_any(reader, object, key);
    if (value && value->type != type) {
        wi_field_fail(reader, value, word, key);
        return NULL;
    }
    return value;
}

const struct wi_json *wi_field_object(struct wi_fields *reader, const struct wi_json *object,
                                      const char *key)
{
    return need_type(reader, object, key, WI_JSON_OBJECT, "is not an object");
}

const struct wi_json *wi_field_array(struct wi_fields *reader, const struct wi_json *object,
                                     const char *key)
{
    return need_type(reader, object, key, WI_JSON_ARRAY, "is not an array");
}

int64_t wi_field_integer(struct wi_fields *reader, const struct wi_json *object, const char *key,
                         int64_t low, int nullable, int64_t unknown)
{
    const struct wi_json *value = wi_field_any(reader, object, key);
    if (!value || (value->type == WI_JSON_NULL && nullable))
        return unknown;
    if (value->type != WI_JSON_INT)
        wi_field_fail(reader, value,
                      nullable ? "is neither an integer nor null" : "is not an integer", key);
    else if (value->number < low || value->number > WI_FIELD_MOST)
        wi_field_fail(reader, value, "is out of range", key);
    return value->number;
}

double wi_field_real(struct wi_fields *reader, const struct wi_json *object, const char *key,
                     double most, int nullable)
{
    const struct wi_json *value = wi_field_any(reader, object, key);
    if (!value || (value->type == WI_JSON_NULL && nullable))
        return 0;
    if (value->type != WI_JSON_REAL && value->type != WI_JSON_INT) {
        wi_field_fail(reader, value, nullable ? "is neither a number nor null" : "is not a number",
                      key);
        return 0;
    }
    double number = value->type == WI_JSON_REAL ? value->real : (double)value->number;
    if (!(number >= 0 && number <= most))
        wi_field_fail(reader, value, "is out of range", key);
    return number;
}

int64_t wi_field_element(struct wi_fields *reader, const struct wi_json *element, const char *key)
{
    if (element->type == WI_JSON_INT && element->number >= 0 && element->number <= WI_FIELD_MOST)
        return element->number;
    wi_field_fail(reader, element, "holds something else than amounts", key);
    return 0;
}

int64_t wi_field_amount(struct wi_fields *reader, const struct wi_json *object, const char *key)
{
    return wi_field_integer(reader, object, key, 0, 0, 0);
}

int64_t wi_field_amount_or_unknown(struct wi_fields *reader, const struct wi_json *object,
                                   const char *key)
{
    return wi_field_integer(reader, object, key, 0, 1, WI_UNKNOWN);
}

int64_t wi_field_point(struct wi_fields *reader, const struct wi_json *object, const char *key)
{
    return wi_field_integer(reader, object, key, -WI_FIELD_MOST, 1, WI_UNKNOWN);
}

uint32_t wi_field_u32(struct wi_fields *reader, const struct wi_json *object, const char *key)
{
    int64_t value = wi_field_integer(reader, object, key, 0, 1, 0);
    if (value > UINT32_MAX)
        wi_field_fail(reader, object, "is out of range", key);
    return (uint32_t)value;
}

int32_t wi_field_i32(struct wi_fields *reader, const struct wi_json *object, const char *key)
{
    int64_t value = wi_field_integer(reader, object, key, INT32_MIN, 0, 0);
    if (value > INT32_MAX)
        wi_field_fail(reader, object, "is out of range", key);
    return (int32_t)value;
}

int wi_field_flag(struct wi_fields *reader, const struct wi_json *object, const char *key)
{
    const struct wi_json *value =
        need_type(reader, object, key, WI_JSON_BOOL, "is neither true nor false");
    return value && value->number;
}

const char *wi_field_text(struct wi_fields *reader, const struct wi_json *object, const char *key)
{
    const struct wi_json *value = wi_field_any(reader, object, key);
    if (!value || value->type == WI_JSON_NULL)
        return NULL;
    if (value->type != WI_JSON_TEXT)
        wi_field_fail(reader, value, "is neither a string nor null", key);
    return value->text;
}

uint32_t wi_field_name(struct wi_fields *reader, const struct wi_json *object, const char *key)
{
    return wi_names_str(reader->saved->names, wi_field_text(reader, object, key));
}

const char *wi_field_literal(struct wi_fields *reader, const struct wi_json *object,
                             const char *key)
{
    const char *from = wi_field_text(reader, object, key);
    if (!from || !strchr(from, '{'))
        return from;
    char *copy = wi_arena_alloc(&reader->saved->arena, strlen(from) * 2 + 1);
    for (char *to = copy; copy && *from; from++) {
        if (*from == '{')
            *to++ = '{';
        *to++ = *from;
    }
    if (!copy)
        wi_field_fail(reader, object, "is too long", key);
    return copy;
}

int wi_field_word(struct wi_fields *reader, const struct wi_json *object, const char *key,
                  int count, const char *(*word_of)(unsigned))
{
    const char *wanted = wi_field_text(reader, object, key);
    for (int i = 0; wanted && i < count; i++)
        if (!strcmp(word_of((unsigned)i), wanted))
            return i;
    wi_field_fail(reader, wi_json_get(object, key), "has an unknown word", key);
    return 0;
}

static const char *confidence_word(unsigned value)
{
    return wi_confidence_word((enum wi_confidence)value);
}

enum wi_confidence wi_field_confidence(struct wi_fields *reader, const struct wi_json *object)
{
    return (enum wi_confidence)wi_field_word(reader, object, "confidence", WI_CONF_HIGH + 1,
                                             confidence_word);
}

enum wi_subcause wi_field_subcause(struct wi_fields *reader, const struct wi_json *object,
                                   const char *key)
{
    const char *id = wi_field_text(reader, object, key);
    int found = id && strchr(id, '/') ? wi_subcause_find(id) : -1;
    if (found < 0)
        wi_field_fail(reader, wi_json_get(object, key), "is no sub-cause that this whyidle knows",
                      key);
    return found < 0 ? WI_SUB_UNDETERMINED : (enum wi_subcause)found;
}
