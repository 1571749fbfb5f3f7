/* Any bytes as a binary trace: the reader must refuse or give events that can be written and read
 * back unchanged.
 * Threads: one. Built by scripts/fuzz.sh. */
#include <stdlib.h>
#include <string.h>

#include "model/trace_io.h"

static void require(int truth)
{
    if (!truth)
        abort();
}

/* Takes records until an event; the bytes used, or <= 0. */
static long next_event(struct wi_trace_reader *reader, const unsigned char *data, size_t len,
                       struct wi_event *event)
{
    size_t at = 0;
    int have = 0;
    while (!have) {
        long used = wi_trace_read(reader, data + at, len - at, event, &have);
        require(used <= (long)(len - at));
        if (used <= 0)
            return used;
        at += (size_t)used;
    }
    return (long)at;
}

/* The bytes of an event as they are written; its length. */
static size_t bytes_of(struct wi_names *names, const struct wi_event *event, char *buf, size_t cap)
{
    struct wi_out out;
    struct wi_trace_writer writer;
    wi_out_mem(&out, buf, cap);
    wi_trace_begin(&writer, &out, names);
    writer.names_written = wi_names_count(names); /* the event alone: it is compared */
    wi_trace_write(&writer, event);
    require(wi_out_finish(&out) == 0);
    return out.len;
}

/* A reader whose ids are those of the table. */
static void read_back(struct wi_names *names, const char *bytes, size_t len)
{
    struct wi_trace_reader reader;
    struct wi_event event;
    char again[512];
    wi_trace_reader_init(&reader, names);
    uint32_t count = wi_names_count(names);
    uint32_t *map = calloc(count, sizeof(*map));
    require(map != NULL);
    for (uint32_t i = 1; i < count; i++)
        map[i] = i;
    reader.name_map = map;
    reader.name_cap = count;
    require(next_event(&reader, (const unsigned char *)bytes, len, &event) == (long)len);
    require(bytes_of(names, &event, again, sizeof(again)) == len && !memcmp(bytes, again, len));
    free(map);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t len)
{
    struct wi_names *names = wi_names_create(1 << 20);
    struct wi_trace_reader reader;
    struct wi_event event;
    char bytes[512];
    long used;
    wi_trace_reader_init(&reader, names);
    while ((used = next_event(&reader, data, len, &event)) > 0) {
        data += used;
        len -= (size_t)used;
        read_back(names, bytes, bytes_of(names, &event, bytes, sizeof(bytes)));
    }
    wi_trace_reader_free(&reader);
    wi_names_free(names);
    return 0;
}
