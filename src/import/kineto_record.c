/* What a trace event of the PyTorch profiler means, see kineto_record.h.
 * Threads: one at a time. May not: know the JSON parser. */
#include "import/kineto_record.h"

#include <string.h>
#include <strings.h>

#include "base/attr.h"
#include "base/err.h"
#include "import/api_names.h"
#include "import/decimal.h"
#include "model/collective.h"

#define MAX_DEVICE 4095 /* no machine has more: a larger number is damage */
#define MAX_LENGTH_NS                                                                              \
    (INT64_MAX / 4) /* 73 years; decimals end at 2^62: the sum cannot overflow                     \
                     */

struct word {
    const char *text;
    uint8_t len, value;
};

static const struct word CATEGORIES[] = {
#define CATEGORY(text, kind) {text, sizeof(text) - 1, WI_CATEGORY_##kind},
#include "import/categories.def"
#undef CATEGORY
};
static const struct word COPIES[] = {
#define COPY_WORD(text, direction) {text, sizeof(text) - 1, WI_COPY_##direction},
#include "import/copy_words.def"
#undef COPY_WORD
};
static const struct word MEMORIES[] = {
#define MEMORY_WORD(text, kind) {text, sizeof(text) - 1, WI_MEM_##kind},
#include "import/memory_words.def"
#undef MEMORY_WORD
};
static const struct word ANNOTATIONS[] = {
#define ANNOTATION(text, kind) {text, sizeof(text) - 1, WI_SPAN_##kind},
#include "import/annotations.def"
#undef ANNOTATION
};

static const struct word OVERHEADS[] = {
#define OVERHEAD_WORD(text, kind) {text, sizeof(text) - 1, WI_SPAN_##kind},
#include "import/overhead_words.def"
#undef OVERHEAD_WORD
};

/* The value of a whole word, case aside. */
static int find_word(const struct word *words, size_t count, const char *text, size_t len,
                     int fallback)
{
    for (size_t i = 0; i < count; i++) {
        if (words[i].len == len && !strncasecmp(words[i].text, text, len))
            return words[i].value;
    }
    return fallback;
}

void wi_kineto_clear(struct wi_kineto_record *record)
{
    record->have = 0;
    record->wild = 0;
    record->grid_count = 0;
    record->block_count = 0;
    record->skip = 0;
    record->phase = 0;
    record->category = WI_CATEGORY_NONE;
    record->name[0] = 0;
    record->name_len = 0;
    record->way[0] = 0;
}

static void set_number(struct wi_kineto_record *record, int field, int err)
{
    uint64_t bit = (uint64_t)1 << field;
    record->have = err ? record->have & ~bit : record->have | bit;
    record->wild = err == WI_ERR_RANGE ? record->wild | bit : record->wild & ~bit;
}

void wi_kineto_set_ns(struct wi_kineto_record *record, int field, const char *text, size_t len)
{
    int64_t *value = &record->number[field];
    int err = wi_decimal_round(text, len, 3, value);
    if (!err && field == WI_KINETO_LENGTH && *value > MAX_LENGTH_NS)
        err = WI_ERR_RANGE;
    set_number(record, field, err);
}

void wi_kineto_set_int(struct wi_kineto_record *record, int field, const char *text, size_t len)
{
    int64_t *value = &record->number[field];
    int err = wi_decimal_cut(text, len, value);
    if (err && field == WI_KINETO_TID) { /* "stream 7" */
        size_t digits = 0;
        while (digits < len && text[len - 1 - digits] >= '0' && text[len - 1 - digits] <= '9')
            digits++;
        err = wi_decimal_cut(text + len - digits, digits, value);
    }
    set_number(record, field, err);
}

static size_t keep(char *to, size_t cap, const char *text, size_t len)
{
    size_t kept = strnlen(text, len < cap - 1 ? len : cap - 1);
    memcpy(to, text, kept);
    to[kept] = 0;
    return kept;
}

void wi_kineto_set_text(struct wi_kineto_record *record, int field, const char *text, size_t len)
{
    switch (field) {
    case WI_KINETO_PHASE:
        record->phase = len == 1 ? text[0] : 0;
        /* 'B' is kept to count operations whose end is missing. */
        record->skip |= record->phase != 'X' && record->phase != 'B';
        break;
    case WI_KINETO_CATEGORY:
        record->category = (enum wi_kineto_category)find_word(CATEGORIES, WI_ARRAY_LEN(CATEGORIES),
                                                              text, len, WI_CATEGORY_NONE);
        record->skip |= record->category == WI_CATEGORY_NONE;
        break;
    case WI_KINETO_NAME:
    case WI_KINETO_MODEL:
        record->name_len = keep(record->name, sizeof(record->name), text, len);
        break;
    case WI_KINETO_WAY:
        keep(record->way, sizeof(record->way), text, len);
        break;
    default:
        break;
    }
}

static int has(const struct wi_kineto_record *record, int field)
{
    return record->have >> field & 1;
}

static int64_t number_or(const struct wi_kineto_record *record, int field, int64_t fallback)
{
    return has(record, field) ? record->number[field] : fallback;
}

int64_t wi_kineto_count(const struct wi_kineto_record *record, int field, int64_t fallback)
{
    return has(record, field) && record->number[field] >= 0 ? record->number[field] : fallback;
}

/* A count that fits, or 0 = unknown. */
static uint32_t count_of(int64_t value)
{
    return value > 0 && value <= UINT32_MAX ? (uint32_t)value : 0;
}

static uint64_t id_of(const struct wi_kineto_record *record, int field)
{
    int64_t value = number_or(record, field, 0);
    return value > 0 ? (uint64_t)value : 0;
}

/* Thread ids are small, or addresses: both halves are folded so that they stay apart. */
static uint32_t thread_of(const struct wi_kineto_record *record)
{
    uint64_t tid = (uint64_t)number_or(record, WI_KINETO_TID, 0);
    return (uint32_t)(tid ^ tid >> 32);
}

/* "Memcpy HtoD (Pageable -> Device)": the way and the memory of both sides. */
static void read_copy(const struct wi_kineto_record *record, struct wi_device_op *op)
{
    const char *way = record->name;
    if (!strncasecmp(way, "Memcpy ", 7))
        way += 7;
    else if (!strncasecmp(way, "Copy", 4))
        way += 4;
    size_t len = strcspn(way, " (");
    int direction = find_word(COPIES, WI_ARRAY_LEN(COPIES), way, len, WI_COPY_UNKNOWN);
    if (direction == WI_COPY_UNKNOWN)
        direction = find_word(COPIES, WI_ARRAY_LEN(COPIES), record->way, strlen(record->way),
                              WI_COPY_UNKNOWN);
    op->direction = (uint8_t)direction;
    const char *open = strchr(way, '(');
    const char *arrow = open ? strstr(open, " -> ") : NULL;
    const char *close = arrow ? strchr(arrow, ')') : NULL;
    if (!close)
        return;
    op->src_mem = (uint8_t)find_word(MEMORIES, WI_ARRAY_LEN(MEMORIES), open + 1,
                                     (size_t)(arrow - open - 1), WI_MEM_UNKNOWN);
    op->dst_mem = (uint8_t)find_word(MEMORIES, WI_ARRAY_LEN(MEMORIES), arrow + 4,
                                     (size_t)(close - arrow - 4), WI_MEM_UNKNOWN);
}

/* Three sizes that make a whole, or all of them unknown. */
static void read_sizes(const int64_t *from, int count, uint32_t *to)
{
    for (int i = 0; i < 3 && count == 3; i++)
        to[i] = count_of(from[i]);
    if (!to[0] || !to[1] || !to[2])
        to[0] = to[1] = to[2] = 0;
}

static void read_kernel(const struct wi_kineto_record *record, struct wi_device_op *op)
{
    read_sizes(record->grid, record->grid_count, op->grid);
    read_sizes(record->block, record->block_count, op->block);
    op->registers = count_of(number_or(record, WI_KINETO_REGISTERS, 0));
    op->shared_bytes = count_of(number_or(record, WI_KINETO_SHARED, 0));
    if (wi_name_is_collective(record->name))
        op->flags |= WI_OP_COLLECTIVE;
}

static enum wi_kineto_outcome make_op(const struct wi_kineto_record *record, struct wi_names *names,
                                      struct wi_event *event)
{
    static const uint8_t KINDS[] = {[WI_CATEGORY_KERNEL] = WI_OP_KERNEL,
                                    [WI_CATEGORY_COPY] = WI_OP_COPY,
                                    [WI_CATEGORY_MEMSET] = WI_OP_MEMSET};
    int64_t pid = number_or(record, WI_KINETO_PID, -1);
    int64_t device = number_or(record, WI_KINETO_DEVICE, pid);
    if (device < 0 || device > MAX_DEVICE)
        return WI_KINETO_LOST_OP;
    int64_t start_ns = record->number[WI_KINETO_START];
    int64_t thread = number_or(record, WI_KINETO_TID, 0);
    event->kind = WI_EVENT_OP;
    event->u.op = (struct wi_device_op){
        .start_ns = start_ns,
        .end_ns = start_ns + record->number[WI_KINETO_LENGTH],
        .corr = id_of(record, WI_KINETO_CORRELATION),
        .stream = (uint64_t)number_or(record, WI_KINETO_STREAM, thread),
        .bytes = id_of(record, WI_KINETO_BYTES),
        .name = wi_names_intern(names, record->name, record->name_len),
        .device = (int32_t)device,
        .kind = KINDS[record->category],
        .flags = id_of(record, WI_KINETO_GRAPH) || id_of(record, WI_KINETO_GRAPH_NODE)
                     ? WI_OP_GRAPH_NODE
                     : 0};
    if (record->category == WI_CATEGORY_KERNEL)
        read_kernel(record, &event->u.op);
    if (record->category == WI_CATEGORY_COPY)
        read_copy(record, &event->u.op);
    return WI_KINETO_EVENT;
}

int wi_kineto_peer(const struct wi_kineto_record *record, struct wi_event *event)
{
    struct wi_device_op *op = &event->u.op;
    int64_t from = number_or(record, WI_KINETO_FROM_DEVICE, -1);
    int64_t to = number_or(record, WI_KINETO_TO_DEVICE, -1);
    if (event->kind != WI_EVENT_OP || op->direction != WI_COPY_P2P || from == to ||
        (op->device != from && op->device != to))
        return 0;
    int64_t other = op->device == from ? to : from;
    if (other < 0 || other > MAX_DEVICE)
        return 0;
    op->device = (int32_t)other;
    op->flags |= WI_OP_PEER;
    return 1;
}

static enum wi_kineto_outcome make_call(const struct wi_kineto_record *record,
                                        struct wi_names *names, struct wi_event *event)
{
    struct wi_api_kind kind = wi_api_kind(record->name);
    uint64_t corr = id_of(record, WI_KINETO_CORRELATION);
    /* Not memsets: those of no bytes leave no record, and their size is not in the file. */
    int queues = kind.api_class == WI_API_LAUNCH || kind.api_class == WI_API_GRAPH_LAUNCH ||
                 kind.api_class == WI_API_COPY;
    int64_t enter_ns = record->number[WI_KINETO_START];
    uint64_t bytes = id_of(record, WI_KINETO_BYTES);
    event->kind = WI_EVENT_CALL;
    event->u.call =
        (struct wi_host_call){.enter_ns = enter_ns,
                              .exit_ns = enter_ns + record->number[WI_KINETO_LENGTH],
                              .run_ns = WI_UNKNOWN,
                              .runnable_ns = WI_UNKNOWN,
                              .held_ns = WI_UNKNOWN,
                              .corr = corr,
                              .bytes = bytes ? bytes : id_of(record, WI_KINETO_SIZE),
                              .thread = thread_of(record),
                              .api = wi_names_intern(names, record->name, record->name_len),
                              .device = WI_NO_DEVICE,
                              .api_class = (uint8_t)kind.api_class,
                              .flags = (uint8_t)((kind.blocking ? WI_CALL_BLOCKING : 0) |
                                                 (queues && corr ? WI_CALL_OWES : 0))};
    return WI_KINETO_EVENT;
}

/* What a record says of its thread: a span kind, or -1. */
static int span_kind(const struct wi_kineto_record *record)
{
    if (record->category == WI_CATEGORY_OVERHEAD)
        return find_word(OVERHEADS, WI_ARRAY_LEN(OVERHEADS), record->name, record->name_len, -1);
    for (size_t i = 0; i < WI_ARRAY_LEN(ANNOTATIONS); i++)
        if (!strncmp(record->name, ANNOTATIONS[i].text, ANNOTATIONS[i].len))
            return ANNOTATIONS[i].value;
    return record->category == WI_CATEGORY_OPERATOR ? (int)WI_SPAN_CPU_OP : -1;
}

static enum wi_kineto_outcome make_span(const struct wi_kineto_record *record,
                                        struct wi_names *names, struct wi_event *event)
{
    int kind = span_kind(record);
    if (kind < 0)
        return WI_KINETO_NOTHING;
    int64_t start_ns = record->number[WI_KINETO_START];
    event->kind = WI_EVENT_SPAN;
    event->u.span =
        (struct wi_host_span){.start_ns = start_ns,
                              .end_ns = start_ns + record->number[WI_KINETO_LENGTH],
                              .thread = thread_of(record),
                              .name = wi_names_intern(names, record->name, record->name_len),
                              .kind = (uint8_t)kind};
    return WI_KINETO_EVENT;
}

enum wi_kineto_outcome wi_kineto_event(const struct wi_kineto_record *record,
                                       struct wi_names *names, struct wi_event *event)
{
    const uint64_t times = (uint64_t)1 << WI_KINETO_START | (uint64_t)1 << WI_KINETO_LENGTH;
    int is_op = record->category >= WI_CATEGORY_KERNEL && record->category <= WI_CATEGORY_MEMSET;
    if (record->skip || record->category == WI_CATEGORY_NONE || !record->phase)
        return WI_KINETO_NOTHING;
    if (record->wild & times)
        return WI_KINETO_WILD;
    if ((record->have & times) != times || record->phase == 'B' ||
        record->number[WI_KINETO_LENGTH] < 0)
        return is_op                                  ? WI_KINETO_LOST_OP
               : record->category == WI_CATEGORY_CALL ? WI_KINETO_LOST_CALL
                                                      : WI_KINETO_NOTHING;
    if (is_op)
        return make_op(record, names, event);
    if (record->category == WI_CATEGORY_CALL)
        return make_call(record, names, event);
    return make_span(record, names, event);
}

int wi_kineto_device(const struct wi_kineto_record *record, struct wi_names *names,
                     struct wi_device_info *device)
{
    int64_t id = number_or(record, WI_KINETO_ID, -1);
    if (id < 0 || id > MAX_DEVICE)
        return 0;
    int64_t shared = number_or(record, WI_KINETO_SHARED_PER_SM_HIP, 0);
    *device = (struct wi_device_info){
        .device = (int32_t)id,
        .name = wi_names_intern(names, record->name, record->name_len),
        .sms = count_of(number_or(record, WI_KINETO_SMS, 0)),
        .threads_per_sm = count_of(number_or(record, WI_KINETO_THREADS_PER_SM, 0)),
        .blocks_per_sm = count_of(number_or(record, WI_KINETO_BLOCKS_PER_SM, 0)),
        .registers_per_sm = count_of(number_or(record, WI_KINETO_REGISTERS_PER_SM, 0)),
        .shared_bytes_per_sm = count_of(number_or(record, WI_KINETO_SHARED_PER_SM, shared)),
        .memory_bytes = id_of(record, WI_KINETO_MEMORY)};
    return 1;
}
