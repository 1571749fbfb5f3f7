/* One JSON object of a Chrome trace as its used members, and what it means as an event.
 * Threads: one at a time. May not: know the JSON parser. */
#ifndef WI_IMPORT_KINETO_RECORD_H
#define WI_IMPORT_KINETO_RECORD_H

#include <stddef.h>
#include <stdint.h>

#include "model/event.h"
#include "model/names.h"

enum wi_kineto_field {
#define FIELD(context, id, key, type) WI_KINETO_##id,
#include "import/kineto_fields.def"
#undef FIELD
    WI_KINETO_FIELDS
};

enum wi_kineto_category {
    WI_CATEGORY_NONE, /* absent or not used */
    WI_CATEGORY_KERNEL,
    WI_CATEGORY_COPY,
    WI_CATEGORY_MEMSET,
    WI_CATEGORY_CALL,
    WI_CATEGORY_OPERATOR,
    WI_CATEGORY_ANNOTATION,
    WI_CATEGORY_OVERHEAD
};

/* Numbers by field; text of the few text fields. */
struct wi_kineto_record {
    uint64_t have;                    /* bit per field: a number was read */
    uint64_t wild;                    /* bit per field: a number beyond every range */
    int64_t number[WI_KINETO_FIELDS]; /* ns for times */
    int64_t grid[3], block[3];
    int grid_count, block_count;
    int skip; /* known to be of no use */
    char phase;
    enum wi_kineto_category category;
    char name[1001]; /* cut, NUL-terminated; the table keeps no more */
    size_t name_len;
    char way[32]; /* of a copy, where the name does not say it */
};

/* What came of a record. */
enum wi_kineto_outcome {
    WI_KINETO_NOTHING,   /* of no use here */
    WI_KINETO_EVENT,     /* *event was filled */
    WI_KINETO_LOST_OP,   /* a device operation without usable times or device */
    WI_KINETO_LOST_CALL, /* a host call without usable times */
    WI_KINETO_WILD       /* a time beyond every range */
};

void wi_kineto_clear(struct wi_kineto_record *record);
/* Gives a number (also one written as a string), or the text of a text field. */
void wi_kineto_set_ns(struct wi_kineto_record *record, int field, const char *text, size_t len);
void wi_kineto_set_int(struct wi_kineto_record *record, int field, const char *text, size_t len);
void wi_kineto_set_text(struct wi_kineto_record *record, int field, const char *text, size_t len);
/* A number of the record that cannot be negative. */
int64_t wi_kineto_count(const struct wi_kineto_record *record, int field, int64_t fallback);
/* The record as an event; times are as in the file, the base time is not added. */
enum wi_kineto_outcome wi_kineto_event(const struct wi_kineto_record *record,
                                       struct wi_names *names, struct wi_event *event);
/* A row of deviceProperties; 0 if it names no device. */
int wi_kineto_device(const struct wi_kineto_record *record, struct wi_names *names,
                     struct wi_device_info *device);
/* Turns the event of a copy between two devices into its time on the other one; 0 if it is no such
 * copy, or the record does not name both. */
int wi_kineto_peer(const struct wi_kineto_record *record, struct wi_event *event);

#endif
