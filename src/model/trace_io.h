/* The binary event trace: the engine's input, in order (docs/trace-format.md).
 * Threads: one at a time. The writer may run in the job: no malloc, no stdio. Layout: a header
 * "WITRACE1", then records of {u16 kind, u16 reserved, u32 payload bytes, payload}, little endian;
 * a NAME record (kind 0) precedes the first event that uses its id; unknown kinds are skipped. */
#ifndef WI_MODEL_TRACE_IO_H
#define WI_MODEL_TRACE_IO_H

#include <stddef.h>
#include <stdint.h>

#include "base/out.h"
#include "model/event.h"
#include "model/job.h"
#include "model/names.h"

#define WI_TRACE_MAGIC "WITRACE1"

struct wi_trace_writer {
    struct wi_out *out;
    const struct wi_names *names;
    uint32_t names_written; /* ids below it have been written */
};

/* Writes the header. */
void wi_trace_begin(struct wi_trace_writer *writer, struct wi_out *out,
                    const struct wi_names *names);
void wi_trace_write(struct wi_trace_writer *writer, const struct wi_event *event);

/* What the job was; anywhere in the file, the last one counts. Strings are cut at 1000 bytes. */
void wi_trace_write_job(struct wi_trace_writer *writer, const struct wi_job *job);

/* A reader over bytes that the caller supplies piecewise. */
struct wi_trace_reader {
    struct wi_names *names;
    uint32_t *name_map; /* ids of the file -> ids of names; owned by the reader */
    uint32_t name_cap;
    int started;
    int have_job;
    struct wi_job job; /* valid if have_job; its strings live in names */
};

void wi_trace_reader_init(struct wi_trace_reader *reader, struct wi_names *names);
void wi_trace_reader_free(struct wi_trace_reader *reader);
/* Takes one record from data[0..len). Returns the bytes consumed (> 0), 0 if more are needed, or
 * a negative code. *have tells whether *event was filled (names and unknown kinds fill nothing). */
long wi_trace_read(struct wi_trace_reader *reader, const unsigned char *data, size_t len,
                   struct wi_event *event, int *have);

#endif
