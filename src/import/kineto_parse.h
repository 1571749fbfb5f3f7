/* The JSON of a Chrome trace, streamed into a sorter.
 * Threads: one at a time. May use: malloc, yajl. */
#ifndef WI_IMPORT_KINETO_PARSE_H
#define WI_IMPORT_KINETO_PARSE_H

#include "import/importer.h"
#include "import/kineto_record.h"
#include "import/sorter.h"

#define WI_KINETO_DEVICES 64 /* rows of deviceProperties that are kept */

/* What a document holds beside its events. */
struct wi_kineto_document {
    struct wi_sorter *sorter;    /* gets the events; times without the base time */
    struct wi_kineto_record top; /* numbers of the document itself */
    uint64_t lost_ops, lost_calls;
    int device_count;
    struct wi_device_info devices[WI_KINETO_DEVICES];
};

/* Reads load->bytes to its end; 0 or a negative code with the error filled. */
int wi_kineto_parse(struct wi_load *load, struct wi_kineto_document *document);

#endif
