/* A small JSON document in memory, see json_doc.h.
 * Threads: one at a time. */
#include "cli/json_doc.h"

#include <stdio.h>
#include <string.h>
#include <yajl/yajl_parse.h>

#define MAX_DEPTH 64 /* a report has 5 */

struct builder {
    struct wi_arena *arena;
    yajl_handle yajl;
    struct wi_json *root;
    struct wi_json *open[MAX_DEPTH]; /* containers that are not closed yet */
    struct wi_json *last[MAX_DEPTH]; /* their newest member */
    int depth;
    const char *key;
    const char *problem; /* why a callback stopped */
};

static int stop(struct builder *builder, const char *problem)
{
    builder->problem = problem;
    return 0;
}

/* A new value at the current place, NULL if it may not be there. */
static struct wi_json *add(struct builder *builder, enum wi_json_type type)
{
    struct wi_json *value = wi_arena_alloc(builder->arena, sizeof(*value));
    if (!value) {
        stop(builder, "the document is too large");
        return NULL;
    }
    value->type = type;
    value->offset = (int64_t)yajl_get_bytes_consumed(builder->yajl);
    value->key = builder->key;
    builder->key = NULL;
    if (builder->depth == 0) {
        builder->root = value;
        return value;
    }
    int at = builder->depth - 1;
    if (builder->last[at])
        builder->last[at]->next = value;
    else
        builder->open[at]->child = value;
    builder->last[at] = value;
    builder->open[at]->count++;
    return value;
}

/* A copy for C: a NUL inside would hide what follows it. */
static const char *copy(struct builder *builder, const unsigned char *text, size_t len)
{
    char *kept = wi_arena_strn(builder->arena, (const char *)text, len);
    for (size_t i = 0; kept && i < len; i++)
        if (!kept[i])
            kept[i] = '?';
    if (!kept)
        stop(builder, "the document is too large");
    return kept;
}

static int on_null(void *user)
{
    return add(user, WI_JSON_NULL) != NULL;
}

static int on_bool(void *user, int value)
{
    struct wi_json *node = add(user, WI_JSON_BOOL);
    if (node)
        node->number = value;
    return node != NULL;
}

static int on_int(void *user, long long value)
{
    struct wi_json *node = add(user, WI_JSON_INT);
    if (node)
        node->number = value;
    return node != NULL;
}

static int on_real(void *user, double value)
{
    struct wi_json *node = add(user, WI_JSON_REAL);
    if (node)
        node->real = value;
    return node != NULL;
}

static int on_text(void *user, const unsigned char *text, size_t len)
{
    struct wi_json *node = add(user, WI_JSON_TEXT);
    if (node)
        node->text = copy(user, text, len);
    return node && node->text;
}

static int on_key(void *user, const unsigned char *text, size_t len)
{
    struct builder *builder = user;
    builder->key = copy(builder, text, len);
    return builder->key != NULL;
}

static int enter(struct builder *builder, enum wi_json_type type)
{
    if (builder->depth == MAX_DEPTH)
        return stop(builder, "nested too deeply");
    struct wi_json *node = add(builder, type);
    if (!node)
        return 0;
    builder->open[builder->depth] = node;
    builder->last[builder->depth] = NULL;
    builder->depth++;
    return 1;
}

static int on_object(void *user)
{
    return enter(user, WI_JSON_OBJECT);
}

static int on_array(void *user)
{
    return enter(user, WI_JSON_ARRAY);
}

static int on_end(void *user)
{
    ((struct builder *)user)->depth--;
    return 1;
}

/* yajl's own words, one line: "lexical error: ...", without its drawing of the place. */
static void yajl_problem(struct builder *builder, struct wi_json_error *error)
{
    unsigned char *text = yajl_get_error(builder->yajl, 0, NULL, 0);
    snprintf(error->text, sizeof(error->text), "%.200s", text ? (const char *)text : "bad JSON");
    error->text[strcspn(error->text, "\n.")] = 0;
    yajl_free_error(builder->yajl, text);
}

static const yajl_callbacks CALLBACKS = {
    on_null, on_bool, on_int, on_real, NULL, on_text, on_object, on_key, on_end, on_array, on_end,
};

struct wi_json *wi_json_parse(const unsigned char *data, size_t len, struct wi_arena *arena,
                              struct wi_json_error *error)
{
    struct builder builder = {.arena = arena};
    builder.yajl = yajl_alloc(&CALLBACKS, NULL, &builder);
    if (!builder.yajl) {
        *error = (struct wi_json_error){"out of memory", -1};
        return NULL;
    }
    yajl_status status = yajl_parse(builder.yajl, data, len);
    error->offset = (int64_t)yajl_get_bytes_consumed(builder.yajl);
    if (status == yajl_status_ok) {
        status = yajl_complete_parse(builder.yajl);
        error->offset = (int64_t)len;
    }
    if (builder.problem)
        snprintf(error->text, sizeof(error->text), "%s", builder.problem);
    else if (status != yajl_status_ok)
        yajl_problem(&builder, error);
    yajl_free(builder.yajl);
    return status == yajl_status_ok ? builder.root : NULL;
}

const struct wi_json *wi_json_get(const struct wi_json *object, const char *key)
{
    if (!object || object->type != WI_JSON_OBJECT)
        return NULL;
    for (const struct wi_json *member = object->child; member; member = member->next)
        if (!strcmp(member->key, key))
            return member;
    return NULL;
}
