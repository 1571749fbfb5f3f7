/* Typed members of a report document: each function reads object[key], checks type and range, and
 * notes the first error. After one, the values mean nothing. Threads: one at a time. */
#ifndef WI_CLI_REPORT_FIELDS_H
#define WI_CLI_REPORT_FIELDS_H

#include "cli/json_doc.h"
#include "cli/report_read.h"

/* 146 years in ns: the writers may then add two figures and subtract any two times. */
#define WI_FIELD_MOST (INT64_MAX / 2)

struct wi_fields {
    struct wi_saved_report *saved; /* whose names and arena the strings go to */
    struct wi_json_error *error;
    int code; /* of the first error, 0 = none */
};

/* Notes "'key' what" at the offset of `at` (may be NULL), unless there was an error before. */
void wi_field_fail(struct wi_fields *reader, const struct wi_json *at, const char *what,
                   const char *key);
/* A member of any type; a missing one is an error and NULL. */
const struct wi_json *wi_field_any(struct wi_fields *reader, const struct wi_json *object,
                                   const char *key);
const struct wi_json *wi_field_object(struct wi_fields *reader, const struct wi_json *object,
                                      const char *key);
const struct wi_json *wi_field_array(struct wi_fields *reader, const struct wi_json *object,
                                     const char *key);
/* An integer in [low, WI_FIELD_MOST]; null, where it is allowed, gives `unknown`. */
int64_t wi_field_integer(struct wi_fields *reader, const struct wi_json *object, const char *key,
                         int64_t low, int nullable, int64_t unknown);
/* A number in [0, most]; null, where it is allowed, gives 0. */
double wi_field_real(struct wi_fields *reader, const struct wi_json *object, const char *key,
                     double most, int nullable);
/* An element of an array of amounts that is called key. */
int64_t wi_field_element(struct wi_fields *reader, const struct wi_json *element, const char *key);
/* A count, size or duration that is always known. */
int64_t wi_field_amount(struct wi_fields *reader, const struct wi_json *object, const char *key);
/* The same where null means WI_UNKNOWN. */
int64_t wi_field_amount_or_unknown(struct wi_fields *reader, const struct wi_json *object,
                                   const char *key);
/* A point in time, null = WI_UNKNOWN; it may lie before the epoch of an imported clock. */
int64_t wi_field_point(struct wi_fields *reader, const struct wi_json *object, const char *key);
/* A figure of at most 32 bits, null = 0 = not known. */
uint32_t wi_field_u32(struct wi_fields *reader, const struct wi_json *object, const char *key);
int32_t wi_field_i32(struct wi_fields *reader, const struct wi_json *object, const char *key);
int wi_field_flag(struct wi_fields *reader, const struct wi_json *object, const char *key);
/* A string, NULL for null. */
const char *wi_field_text(struct wi_fields *reader, const struct wi_json *object, const char *key);
/* The same as an id in the report's name table. */
uint32_t wi_field_name(struct wi_fields *reader, const struct wi_json *object, const char *key);
/* An expanded text, kept from being expanded again: "{" becomes "{{". */
const char *wi_field_literal(struct wi_fields *reader, const struct wi_json *object,
                             const char *key);
/* The row of a table whose word stands here; word_of names the rows 0 to count - 1. */
int wi_field_word(struct wi_fields *reader, const struct wi_json *object, const char *key,
                  int count, const char *(*word_of)(unsigned));
/* object["confidence"] */
enum wi_confidence wi_field_confidence(struct wi_fields *reader, const struct wi_json *object);
/* A full sub-cause id; the short forms that people may type are not for documents. */
enum wi_subcause wi_field_subcause(struct wi_fields *reader, const struct wi_json *object,
                                   const char *key);

#endif
