/* The binary event trace of a job, see docs/trace-format.md.
 * Threads: one at a time. May use: malloc. A live trace holds events as they became known, so they
 * are sorted again; its ADVANCE records are replaced by those that sorted events allow. */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "import/importer.h"
#include "import/paced_sink.h"
#include "import/sorter.h"
#include "model/trace_io.h"

#define WINDOW_BYTES (2u << 20) /* a record is at most 1 MiB; a piece of input 256 KiB */

struct window {
    unsigned char *data;
    size_t at, len;
    int64_t offset; /* of data[at] in the input */
};

int wi_eventfile_probe(const unsigned char *head, size_t len)
{
    size_t magic = strlen(WI_TRACE_MAGIC);
    return len >= magic && !memcmp(head, WI_TRACE_MAGIC, magic);
}

/* Takes every whole record of the window; 0 or a negative code. */
static int take_records(struct wi_trace_reader *reader, struct window *window,
                        struct wi_sorter *sorter)
{
    for (;;) {
        struct wi_event event;
        int have = 0;
        long used = wi_trace_read(reader, window->data + window->at, window->len - window->at,
                                  &event, &have);
        if (used <= 0)
            return (int)used;
        window->at += (size_t)used;
        window->offset += used;
        int err = have && event.kind != WI_EVENT_ADVANCE ? wi_sorter_add(sorter, &event) : 0;
        if (err)
            return err;
    }
}

/* Moves the rest to the front and puts the next piece behind it; its length, 0 or a code. */
static long refill(struct wi_bytes *bytes, struct window *window)
{
    const unsigned char *piece;
    window->len -= window->at;
    memmove(window->data, window->data + window->at, window->len);
    window->at = 0;
    long len = wi_bytes_next(bytes, &piece);
    if (len > 0 && window->len + (size_t)len > WINDOW_BYTES)
        return WI_ERR_FORMAT;
    if (len > 0) {
        memcpy(window->data + window->len, piece, (size_t)len);
        window->len += (size_t)len;
    }
    return len;
}

static int read_all(struct wi_load *load, struct wi_trace_reader *reader, struct window *window,
                    struct wi_sorter *sorter)
{
    long len;
    while ((len = refill(load->bytes, window)) > 0) {
        int err = take_records(reader, window, sorter);
        if (err == WI_ERR_IO || err == WI_ERR_NOMEM)
            return wi_load_fail(load, err, -1, wi_err_str(err));
        if (err)
            return wi_load_damage(load, err, window->offset, wi_err_str(err));
    }
    if (len < 0)
        return wi_load_damage(load, (int)len, window->offset, wi_bytes_problem(load->bytes));
    if (window->len != window->at)
        return wi_load_damage(load, WI_ERR_TRUNCATED, window->offset, "the last record is cut off");
    return 0;
}

/* Before any event is given: the receiver may need the level. */
static void take_job(struct wi_load *load, const struct wi_trace_reader *reader)
{
    struct wi_job *job = &load->info->job;
    const char *source = job->source;
    if (!reader->have_job)
        return;
    *job = reader->job;
    job->source = source;
}

static int load_with(struct wi_load *load, struct wi_trace_reader *reader, struct window *window,
                     struct wi_sorter *sorter)
{
    struct wi_paced_sink paced;
    if (!window->data || !sorter)
        return wi_load_fail(load, WI_ERR_NOMEM, -1, wi_err_str(WI_ERR_NOMEM));
    int err = read_all(load, reader, window, sorter);
    if (err)
        return err;
    take_job(load, reader);
    err = wi_load_begin(load, &paced);
    if (!err)
        err = wi_sorter_drain(sorter, wi_paced_event, &paced);
    err = wi_load_finish(load, &paced, err);
    if (reader->have_job) {
        load->info->job.start_ns = reader->job.start_ns;
        load->info->job.end_ns = reader->job.end_ns;
    }
    return err;
}

int wi_eventfile_load(struct wi_load *load)
{
    struct wi_trace_reader reader;
    struct window window = {.data = malloc(WINDOW_BYTES)};
    struct wi_sorter *sorter = wi_sorter_create(0);
    wi_trace_reader_init(&reader, load->names);
    int err = load_with(load, &reader, &window, sorter);
    wi_trace_reader_free(&reader);
    wi_sorter_free(sorter);
    free(window.data);
    return err;
}
