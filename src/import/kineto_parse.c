/* The JSON of a Chrome trace, see kineto_parse.h. What one event means is decided in
 * kineto_record.c.
 * Threads: one at a time. May use: malloc, yajl. */
#include "import/kineto_parse.h"

#include <stdio.h>
#include <string.h>
#include <yajl/yajl_parse.h>

#include "base/attr.h"
#include "base/err.h"
#include "import/decimal.h"

#define MAX_DEPTH 512 /* containers inside each other; real traces have 6 */

/* Where in the document the parser is. */
enum context { DOCUMENT, TOP, EVENTS, EVENT, ARGS, TRIPLE, PROPS, PROP, DIST, DONE };

enum type { NS, INT, TEXT, NEST };

struct field {
    const char *key;
    uint8_t len, context, type;
};

static const struct field FIELDS[] = {
#define FIELD(context, id, key, type) {key, sizeof(key) - 1, context, type},
#include "import/kineto_fields.def"
#undef FIELD
};

struct parse {
    struct wi_kineto_document *document;
    struct wi_load *load;
    yajl_handle yajl;
    enum context context;
    uint8_t first[DONE + 1], end[DONE + 1]; /* the FIELDS of a context lie between */
    int field;                              /* of the value that follows, -1 = not used */
    int skip;                               /* containers open inside a value that is not used */
    int bare;                               /* the document is an array of events */
    int events;                             /* an array of events was seen */
    int objects;                            /* something in it looked like an event */
    int code;                               /* why a callback stopped the parser */
    const char *problem;
    struct wi_kineto_record record; /* the event or device row being read */
};

static int stop(struct parse *parse, int code, const char *problem)
{
    parse->code = code;
    parse->problem = problem;
    return 0;
}

static int skip_container(struct parse *parse)
{
    if (parse->skip >= MAX_DEPTH)
        return stop(parse, WI_ERR_FORMAT, "nested too deeply");
    parse->skip++;
    return 1;
}

static struct wi_kineto_record *record_of(struct parse *parse)
{
    return parse->context == TOP || parse->context == DIST ? &parse->document->top : &parse->record;
}

static int on_key(void *user, const unsigned char *key, size_t len)
{
    struct parse *parse = user;
    parse->field = -1;
    if (parse->skip || (parse->context == EVENT && parse->record.skip))
        return 1;
    for (int i = parse->first[parse->context]; i < parse->end[parse->context]; i++) {
        if (FIELDS[i].context == (unsigned)parse->context && FIELDS[i].len == len &&
            FIELDS[i].key[0] == (char)key[0] && !memcmp(FIELDS[i].key, key, len)) {
            parse->field = i;
            break;
        }
    }
    return 1;
}

/* A number, or a string that may be one. */
static void take_number(struct parse *parse, const char *text, size_t len)
{
    struct wi_kineto_record *record = record_of(parse);
    if (FIELDS[parse->field].type == NS)
        wi_kineto_set_ns(record, parse->field, text, len);
    else if (FIELDS[parse->field].type == INT)
        wi_kineto_set_int(record, parse->field, text, len);
}

/* One of the three numbers of a grid or a block. */
static int take_size(struct parse *parse, const char *text, size_t len)
{
    struct wi_kineto_record *record = &parse->record;
    int is_grid = parse->field == WI_KINETO_GRID;
    int *count = is_grid ? &record->grid_count : &record->block_count;
    int64_t *values = is_grid ? record->grid : record->block;
    int64_t value = 0;
    if (wi_decimal_cut(text, len, &value) != 0)
        value = 0;
    if (*count < 3)
        values[*count] = value;
    if (*count < 4) /* four or more is no size */
        (*count)++;
    return 1;
}

static int take_scalar(struct parse *parse, const char *text, size_t len, int is_string)
{
    if (parse->skip || parse->context == EVENTS || parse->context == PROPS)
        return 1;
    if (parse->context == DOCUMENT)
        return stop(parse, WI_ERR_FORMAT, "not a trace: the document is a single value");
    if (parse->context == TRIPLE)
        return take_size(parse, text, len);
    if (parse->field == WI_KINETO_TRACE_EVENTS)
        return stop(parse, WI_ERR_FORMAT, "not a trace: \"traceEvents\" is not an array");
    if (parse->field < 0)
        return 1;
    if (is_string && FIELDS[parse->field].type == TEXT)
        wi_kineto_set_text(record_of(parse), parse->field, text, len);
    else
        take_number(parse, text, len);
    return 1;
}

static int on_number(void *user, const char *text, size_t len)
{
    return take_scalar(user, text, len, 0);
}

static int on_string(void *user, const unsigned char *text, size_t len)
{
    return take_scalar(user, (const char *)text, len, 1);
}

/* null, true and false are no value of any member that is used. */
static int on_null(void *user)
{
    return take_scalar(user, "", 0, 0);
}

static int on_boolean(void *user, int value)
{
    (void)value;
    return take_scalar(user, "", 0, 0);
}

static int begin_record(struct parse *parse, enum context context)
{
    wi_kineto_clear(&parse->record);
    parse->context = context;
    parse->field = -1;
    return 1;
}

static int on_start_map(void *user)
{
    struct parse *parse = user;
    if (parse->skip)
        return skip_container(parse);
    switch (parse->context) {
    case DOCUMENT:
        parse->context = TOP;
        return 1;
    case EVENTS:
        return begin_record(parse, EVENT);
    case PROPS:
        return begin_record(parse, PROP);
    case EVENT:
        if (parse->field != WI_KINETO_ARGUMENTS || parse->record.skip)
            return skip_container(parse);
        parse->context = ARGS;
        return 1;
    case TOP:
        if (parse->field == WI_KINETO_TRACE_EVENTS)
            return stop(parse, WI_ERR_FORMAT, "not a trace: \"traceEvents\" is not an array");
        if (parse->field != WI_KINETO_DISTRIBUTED)
            return skip_container(parse);
        parse->context = DIST;
        return 1;
    default:
        return skip_container(parse);
    }
}

static int on_start_array(void *user)
{
    struct parse *parse = user;
    int field = parse->field;
    if (parse->skip)
        return skip_container(parse);
    if (parse->context == DOCUMENT || (parse->context == TOP && field == WI_KINETO_TRACE_EVENTS)) {
        parse->bare = parse->context == DOCUMENT;
        parse->context = EVENTS;
        parse->events = 1;
    } else if (parse->context == TOP && field == WI_KINETO_PROPERTIES) {
        parse->context = PROPS;
    } else if (parse->context == ARGS && (field == WI_KINETO_GRID || field == WI_KINETO_BLOCK)) {
        *(field == WI_KINETO_GRID ? &parse->record.grid_count : &parse->record.block_count) = 0;
        parse->context = TRIPLE;
    } else {
        return skip_container(parse);
    }
    return 1;
}

static int end_event(struct parse *parse)
{
    struct wi_event event;
    parse->context = EVENTS;
    parse->objects |= parse->record.phase != 0;
    switch (wi_kineto_event(&parse->record, parse->load->names, &event)) {
    case WI_KINETO_NOTHING:
        return 1;
    case WI_KINETO_LOST_OP:
        parse->document->lost_ops++;
        return 1;
    case WI_KINETO_LOST_CALL:
        parse->document->lost_calls++;
        return 1;
    case WI_KINETO_WILD:
        return stop(parse, WI_ERR_RANGE, "a time is out of range");
    case WI_KINETO_EVENT:
        break;
    }
    int64_t *pid = &parse->load->info->job.pid;
    if (event.kind == WI_EVENT_CALL && !*pid)
        *pid = wi_kineto_count(&parse->record, WI_KINETO_PID, 0);
    int err = wi_sorter_add(parse->document->sorter, &event);
    if (!err && wi_kineto_peer(&parse->record, &event))
        err = wi_sorter_add(parse->document->sorter, &event);
    return err ? stop(parse, err, "the temporary file cannot be written") : 1;
}

static int end_device(struct parse *parse)
{
    struct wi_kineto_document *document = parse->document;
    parse->context = PROPS;
    if (document->device_count < WI_KINETO_DEVICES)
        document->device_count += wi_kineto_device(&parse->record, parse->load->names,
                                                   &document->devices[document->device_count]);
    return 1;
}

static int on_end_map(void *user)
{
    struct parse *parse = user;
    if (parse->skip) {
        parse->skip--;
        return 1;
    }
    switch (parse->context) {
    case EVENT:
        return end_event(parse);
    case ARGS:
        parse->context = EVENT;
        return 1;
    case PROP:
        return end_device(parse);
    case DIST:
        parse->context = TOP;
        return 1;
    default:
        parse->context = DONE;
        return 1;
    }
}

static int on_end_array(void *user)
{
    struct parse *parse = user;
    if (parse->skip)
        parse->skip--;
    else if (parse->context == TRIPLE)
        parse->context = ARGS;
    else if (parse->context == PROPS || !parse->bare)
        parse->context = TOP;
    else
        parse->context = DONE;
    parse->field = -1;
    return 1;
}

/* yajl's message in one line, without what it adds for terminals. */
static void yajl_problem(struct parse *parse, char *text, size_t cap)
{
    unsigned char *message = yajl_get_error(parse->yajl, 0, NULL, 0);
    snprintf(text, cap, "%s", message ? (const char *)message : "damaged JSON");
    yajl_free_error(parse->yajl, message);
    text[strcspn(text, "\n")] = 0;
}

/* The parser stopped at this offset: 0 if that is accepted as damage. */
static int refuse(struct parse *parse, int64_t offset)
{
    char text[200];
    if (parse->code == WI_ERR_IO || parse->code == WI_ERR_NOMEM)
        return wi_load_fail(parse->load, parse->code, -1, parse->problem);
    if (parse->code)
        return wi_load_damage(parse->load, parse->code, offset, parse->problem);
    yajl_problem(parse, text, sizeof(text));
    return wi_load_damage(parse->load, WI_ERR_FORMAT, offset, text);
}

/* Feeds the whole input to the parser; 0 also if damage at its end was accepted. */
static int parse_all(struct parse *parse)
{
    struct wi_bytes *bytes = parse->load->bytes;
    const unsigned char *piece;
    long len;
    while ((len = wi_bytes_next(bytes, &piece)) > 0) {
        if (yajl_parse(parse->yajl, piece, (size_t)len) == yajl_status_ok)
            continue;
        int64_t before = wi_bytes_offset(bytes) - len;
        return refuse(parse, before + (int64_t)yajl_get_bytes_consumed(parse->yajl));
    }
    if (len < 0)
        return wi_load_damage(parse->load, (int)len, wi_bytes_offset(bytes),
                              wi_bytes_problem(bytes));
    if (parse->context != DONE)
        return wi_load_damage(parse->load, WI_ERR_TRUNCATED, wi_bytes_offset(bytes),
                              "the JSON ends too early");
    if (yajl_complete_parse(parse->yajl) != yajl_status_ok)
        return refuse(parse, wi_bytes_offset(bytes));
    return 0;
}

static void find_fields(struct parse *parse)
{
    for (size_t i = WI_ARRAY_LEN(FIELDS); i-- > 0;) {
        int context = FIELDS[i].context;
        parse->first[context] = (uint8_t)i;
        if (!parse->end[context])
            parse->end[context] = (uint8_t)(i + 1);
    }
}

static int is_trace(struct parse *parse)
{
    if (!parse->events)
        return wi_load_fail(parse->load, WI_ERR_FORMAT, -1,
                            "not a trace: the JSON has no \"traceEvents\"");
    if (parse->bare && !parse->objects)
        return wi_load_fail(parse->load, WI_ERR_FORMAT, -1,
                            "not a trace: the JSON array holds no trace event");
    return 0;
}

int wi_kineto_parse(struct wi_load *load, struct wi_kineto_document *document)
{
    static const yajl_callbacks CALLBACKS = {.yajl_null = on_null,
                                             .yajl_boolean = on_boolean,
                                             .yajl_number = on_number,
                                             .yajl_string = on_string,
                                             .yajl_start_map = on_start_map,
                                             .yajl_map_key = on_key,
                                             .yajl_end_map = on_end_map,
                                             .yajl_start_array = on_start_array,
                                             .yajl_end_array = on_end_array};
    struct parse parse = {.document = document, .load = load, .context = DOCUMENT, .field = -1};
    find_fields(&parse);
    parse.yajl = yajl_alloc(&CALLBACKS, NULL, &parse);
    if (!parse.yajl)
        return wi_load_fail(load, WI_ERR_NOMEM, -1, wi_err_str(WI_ERR_NOMEM));
    /* Names in real traces are not always UTF-8; whoever prints them cleans them. */
    yajl_config(parse.yajl, yajl_dont_validate_strings, 1);
    int err = parse_all(&parse);
    yajl_free(parse.yajl);
    return err ? err : is_trace(&parse);
}
