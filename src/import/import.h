/* Readers of other tools' recordings: a table of importers, each turning a file into ordered
 * events. Threads: one at a time. May use: malloc, temporary files, zlib, yajl. Memory is
 * independent of the size of the input: events that do not fit are sorted through temporary files.
 */
#ifndef WI_IMPORT_IMPORT_H
#define WI_IMPORT_IMPORT_H

#include <stddef.h>
#include <stdint.h>

#include "model/event.h"
#include "model/job.h"
#include "model/names.h"

/* Receives the events sorted by wi_event_time (timeless ones first), with WI_EVENT_ADVANCE between
 * them. Returns 0 to go on, else the import stops with that code. */
typedef int (*wi_event_sink)(void *user, const struct wi_event *event);

struct wi_import_error {
    char text[256]; /* one line for people: what is wrong, without the file name */
    int64_t offset; /* byte of the (uncompressed) input, -1 if it has no meaning */
};

struct wi_import_options {
    int partial; /* 1: a damaged end is accepted and marked, 0: it is an error */
};

/* What the recording says about its job; strings live as long as the struct's owner keeps it. */
struct wi_import_info {
    struct wi_job job;
    char program[128];
    char format[32]; /* "kineto", "whyidle-trace" */
    int partial;     /* 1: the file was damaged and only its beginning was used */
    uint64_t events;
};

/* Recognises the file by content and reads it. Returns 0 or a negative code with *error filled. */
int wi_import_file(const char *path, const struct wi_import_options *options,
                   struct wi_names *names, wi_event_sink sink, void *user,
                   struct wi_import_info *info, struct wi_import_error *error);
/* 1 if the first bytes look like something wi_import_file reads (gzip counts). */
int wi_import_probe(const unsigned char *head, size_t len);

#endif
