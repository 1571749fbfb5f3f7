/* The binary event trace, see trace_io.h and docs/trace-format.md; fields from trace_fields.def.
 * Threads: one at a time, the writer's may be inside the job. May not: call malloc, use stdio. */
#include "model/trace_io.h"

#include <string.h>
#include <sys/mman.h>

#include "base/attr.h"
#include "base/err.h"

#define MAGIC_BYTES 8u
#define HEAD_BYTES  8u /* kind, reserved, length */
#define NAME_KIND   0u
#define JOB_KIND    8u
#define NAME_MAX    1000u      /* bytes of one name, as in the name table */
#define PAYLOAD_MAX (1u << 20) /* no record is near it: a larger length is damage */
#define NAME_ID_MAX (1u << 22) /* more distinct names than any budget holds */

enum field_type { TYPE_I64, TYPE_U64, TYPE_I32, TYPE_U32, TYPE_U8, TYPE_NAME, TYPE_UUID };

struct field {
    uint8_t record; /* enum wi_event_kind */
    uint8_t type;   /* enum field_type */
    uint8_t later;  /* older traces end before it */
    uint16_t offset;
};

static const struct field FIELDS[] = {
#define FIELD(record, type, member)                                                                \
    {WI_EVENT_##record, TYPE_##type, 0, offsetof(struct wi_event, u.member)},
#define LATER(record, type, member)                                                                \
    {WI_EVENT_##record, TYPE_##type, 1, offsetof(struct wi_event, u.member)},
#include "model/trace_fields.def"
#undef LATER
#undef FIELD
};

static unsigned width_of(unsigned type)
{
    static const uint8_t WIDTHS[] = {8, 8, 4, 4, 1, 4, 16};
    return WIDTHS[type];
}

static void put(unsigned char *to, uint64_t value, unsigned width)
{
    for (unsigned i = 0; i < width; i++)
        to[i] = (unsigned char)(value >> (8 * i));
}

static uint64_t get(const unsigned char *from, unsigned width)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < width; i++)
        value |= (uint64_t)from[i] << (8 * i);
    return value;
}

static void write_number(struct wi_out *out, uint64_t value, unsigned width)
{
    unsigned char bytes[8];
    put(bytes, value, width);
    wi_out_bytes(out, (const char *)bytes, width);
}

static void write_head(struct wi_out *out, unsigned kind, size_t payload)
{
    write_number(out, kind, 2);
    write_number(out, 0, 2);
    write_number(out, payload, 4);
}

static void write_name(struct wi_out *out, uint32_t id, const char *text)
{
    size_t len = strlen(text);
    write_head(out, NAME_KIND, 4 + len);
    write_number(out, id, 4);
    wi_out_bytes(out, text, len);
}

void wi_trace_begin(struct wi_trace_writer *writer, struct wi_out *out,
                    const struct wi_names *names)
{
    *writer = (struct wi_trace_writer){.out = out, .names = names, .names_written = 1};
    wi_out_bytes(out, WI_TRACE_MAGIC, MAGIC_BYTES);
}

/* Host representation of one field as a number; only called for types of up to 8 bytes. */
static uint64_t load(const void *from, unsigned type)
{
    uint64_t wide;
    uint32_t narrow;
    switch (width_of(type)) {
    case 8:
        memcpy(&wide, from, 8);
        return wide;
    case 4:
        memcpy(&narrow, from, 4);
        return narrow;
    default:
        return *(const uint8_t *)from;
    }
}

static void store(void *to, unsigned type, uint64_t value)
{
    uint32_t narrow = (uint32_t)value;
    switch (width_of(type)) {
    case 8:
        memcpy(to, &value, 8);
        break;
    case 4:
        memcpy(to, &narrow, 4);
        break;
    default:
        *(uint8_t *)to = (uint8_t)value;
    }
}

void wi_trace_write(struct wi_trace_writer *writer, const struct wi_event *event)
{
    unsigned char payload[256]; /* the widest record, a sample, takes 188 bytes */
    size_t len = 0;
    for (size_t i = 0; i < WI_ARRAY_LEN(FIELDS); i++) {
        const struct field *field = &FIELDS[i];
        if (field->record != (unsigned)event->kind)
            continue;
        const char *from = (const char *)event + field->offset;
        if (field->type == TYPE_UUID)
            memcpy(payload + len, from, width_of(TYPE_UUID));
        else
            put(payload + len, load(from, field->type), width_of(field->type));
        len += width_of(field->type);
    }
    if (!len)
        return;
    uint32_t count = wi_names_count(writer->names);
    for (; writer->names_written < count; writer->names_written++)
        write_name(writer->out, writer->names_written,
                   wi_names_text(writer->names, writer->names_written));
    write_head(writer->out, event->kind, len);
    wi_out_bytes(writer->out, (const char *)payload, len);
}

void wi_trace_write_job(struct wi_trace_writer *writer, const struct wi_job *job)
{
    const int64_t numbers[] = {
#define JOB_NUMBER(member) job->member,
#include "model/trace_job.def"
#undef JOB_NUMBER
    };
    const char *const texts[] = {
#define JOB_TEXT(member) job->member,
#include "model/trace_job.def"
#undef JOB_TEXT
    };
    const int64_t later[] = {
#define JOB_NUMBER_LATER(member) job->member,
#include "model/trace_job.def"
#undef JOB_NUMBER_LATER
    };
    size_t lengths[WI_ARRAY_LEN(texts)], payload = sizeof(numbers) + sizeof(later);
    for (size_t i = 0; i < WI_ARRAY_LEN(texts); i++) {
        lengths[i] = texts[i] ? strnlen(texts[i], NAME_MAX) : 0;
        payload += 2 + lengths[i];
    }
    write_head(writer->out, JOB_KIND, payload);
    for (size_t i = 0; i < WI_ARRAY_LEN(numbers); i++)
        write_number(writer->out, (uint64_t)numbers[i], 8);
    for (size_t i = 0; i < WI_ARRAY_LEN(texts); i++) {
        write_number(writer->out, lengths[i], 2);
        wi_out_bytes(writer->out, texts[i], lengths[i]);
    }
    for (size_t i = 0; i < WI_ARRAY_LEN(later); i++)
        write_number(writer->out, (uint64_t)later[i], 8);
}

void wi_trace_reader_init(struct wi_trace_reader *reader, struct wi_names *names)
{
    *reader = (struct wi_trace_reader){.names = names};
}

void wi_trace_reader_free(struct wi_trace_reader *reader)
{
    if (reader->name_map)
        munmap(reader->name_map, reader->name_cap * sizeof(*reader->name_map));
    reader->name_map = NULL;
    reader->name_cap = 0;
}

/* Room for `id` in the map; new entries are zero, which is "no name". */
static int grow_map(struct wi_trace_reader *reader, uint32_t id)
{
    uint32_t cap = reader->name_cap ? reader->name_cap : 1024;
    while (cap <= id)
        cap *= 2;
    if (cap == reader->name_cap)
        return 0;
    uint32_t *map =
        mmap(NULL, cap * sizeof(*map), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED)
        return WI_ERR_NOMEM;
    if (reader->name_map)
        memcpy(map, reader->name_map, reader->name_cap * sizeof(*map));
    wi_trace_reader_free(reader);
    reader->name_map = map;
    reader->name_cap = cap;
    return 0;
}

static int read_name(struct wi_trace_reader *reader, const unsigned char *data, size_t len)
{
    if (len < 4)
        return WI_ERR_FORMAT;
    uint64_t id = get(data, 4);
    if (id == 0 || id >= NAME_ID_MAX || len - 4 > NAME_MAX)
        return WI_ERR_RANGE;
    if (memchr(data + 4, 0, len - 4))
        return WI_ERR_FORMAT;
    int err = grow_map(reader, (uint32_t)id);
    if (!err)
        reader->name_map[id] = wi_names_intern(reader->names, (const char *)data + 4, len - 4);
    return err;
}

/* The rest of a record that is being read. */
struct rest {
    const unsigned char *data;
    size_t len;
    int err;
};

static const unsigned char *take(struct rest *rest, size_t len)
{
    const unsigned char *data = rest->data;
    if (rest->err || len > rest->len) {
        rest->err = WI_ERR_FORMAT;
        return NULL;
    }
    rest->data += len;
    rest->len -= len;
    return data;
}

static int64_t take_number(struct rest *rest)
{
    const unsigned char *data = take(rest, 8);
    return data ? (int64_t)get(data, 8) : 0;
}

static const char *take_text(struct rest *rest, struct wi_names *names)
{
    const unsigned char *data = take(rest, 2);
    size_t len = data ? (size_t)get(data, 2) : 0;
    data = take(rest, len);
    if (!data || !len || memchr(data, 0, len))
        return NULL;
    return wi_names_text(names, wi_names_intern(names, (const char *)data, len));
}

static void settle_looks(int64_t *figure, int64_t least)
{
    wi_figure_settle(figure);
    *figure = *figure < least ? 0 : *figure;
}

/* What cannot be true is not known: the report's schema counts on it. */
static void settle_job(struct wi_job *job)
{
    job->pid = job->pid > 0 ? job->pid : 0;
    job->rank = job->rank >= 0 ? job->rank : WI_UNKNOWN;
    job->world = job->world >= 0 ? job->world : WI_UNKNOWN;
    job->end = (unsigned)job->end <= WI_JOB_IMPORTED ? job->end : WI_JOB_IMPORTED;
    job->level = job->level >= 'A' && job->level <= 'D' ? job->level : 'I';
    wi_figure_settle(&job->helper_cpu_ns);
    wi_figure_settle(&job->memory_bytes);
    wi_figure_settle(&job->flush_ns);
    settle_looks(&job->looks_apart, 1);
    settle_looks(&job->looks_halvings, 0);
    settle_looks(&job->looks_spared_ns, 0);
}

static int read_job(struct wi_trace_reader *reader, const unsigned char *data, size_t len)
{
    struct wi_job job = {0};
    struct rest rest = {.data = data, .len = len};
#define JOB_NUMBER(member) job.member = (__typeof__(job.member))take_number(&rest);
#include "model/trace_job.def"
#undef JOB_NUMBER
#define JOB_TEXT(member)       job.member = take_text(&rest, reader->names);
#define JOB_TEXT_LATER(member) job.member = rest.len ? take_text(&rest, reader->names) : NULL;
#include "model/trace_job.def"
#undef JOB_TEXT
#define JOB_NUMBER_LATER(member) job.member = rest.len ? take_number(&rest) : 0;
#include "model/trace_job.def"
#undef JOB_NUMBER_LATER
    if (rest.err)
        return rest.err;
    settle_job(&job);
    reader->job = job;
    reader->have_job = 1;
    return 0;
}

/* Fills the event of `kind`; 0 for a kind without fields here, 1 if filled, or a negative code. */
static int read_fields(const struct wi_trace_reader *reader, unsigned kind,
                       const unsigned char *data, size_t len, struct wi_event *event)
{
    size_t at = 0;
    memset(event, 0, sizeof(*event));
    for (size_t i = 0; i < WI_ARRAY_LEN(FIELDS); i++) {
        const struct field *field = &FIELDS[i];
        if (field->record != kind)
            continue;
        unsigned width = width_of(field->type);
        char *to = (char *)event + field->offset;
        if (field->later && at == len) {
            store(to, field->type, field->type == TYPE_I64 ? (uint64_t)WI_UNKNOWN : 0);
            continue;
        }
        if (len - at < width)
            return WI_ERR_FORMAT;
        uint64_t value = field->type == TYPE_UUID ? 0 : get(data + at, width);
        if (field->type == TYPE_NAME)
            value = value < reader->name_cap ? reader->name_map[value] : WI_NO_NAME;
        if (field->type == TYPE_UUID)
            memcpy(to, data + at, width);
        else
            store(to, field->type, value);
        at += width;
    }
    if (!at)
        return 0;
    event->kind = (enum wi_event_kind)kind;
    return wi_event_settle(event);
}

long wi_trace_read(struct wi_trace_reader *reader, const unsigned char *data, size_t len,
                   struct wi_event *event, int *have)
{
    *have = 0;
    if (!reader->started) {
        if (memcmp(data, WI_TRACE_MAGIC, len < MAGIC_BYTES ? len : MAGIC_BYTES) != 0)
            return WI_ERR_FORMAT;
        reader->started = len >= MAGIC_BYTES;
        return reader->started ? (long)MAGIC_BYTES : 0;
    }
    if (len < HEAD_BYTES)
        return 0;
    unsigned kind = (unsigned)get(data, 2);
    size_t payload = (size_t)get(data + 4, 4);
    if (payload > PAYLOAD_MAX)
        return WI_ERR_RANGE;
    if (len - HEAD_BYTES < payload)
        return 0;
    data += HEAD_BYTES;
    int got = kind == NAME_KIND  ? read_name(reader, data, payload)
              : kind == JOB_KIND ? read_job(reader, data, payload)
                                 : read_fields(reader, kind, data, payload, event);
    if (got < 0)
        return got;
    *have = got;
    return (long)(HEAD_BYTES + payload);
}
