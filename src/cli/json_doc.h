/* A small JSON document in memory, with the byte offset of every value for error messages.
 * Threads: one at a time. Memory hangs in an arena. Nesting, size and count are bounded. */
#ifndef WI_CLI_JSON_DOC_H
#define WI_CLI_JSON_DOC_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

enum wi_json_type {
    WI_JSON_NULL,
    WI_JSON_BOOL,
    WI_JSON_INT,
    WI_JSON_REAL,
    WI_JSON_TEXT,
    WI_JSON_ARRAY,
    WI_JSON_OBJECT
};

struct wi_json {
    enum wi_json_type type;
    const char *key;       /* as a member of an object, else NULL */
    int64_t number;        /* INT and BOOL */
    double real;           /* REAL */
    const char *text;      /* TEXT */
    int64_t offset;        /* of the end of the value's first token in the input */
    int count;             /* members of ARRAY and OBJECT */
    struct wi_json *child; /* the first of them */
    struct wi_json *next;
};

struct wi_json_error {
    char text[256];
    int64_t offset;
};

/* Parses exactly one document. NULL with *error filled if it is none: bad syntax, numbers out of
 * range, invalid UTF-8, more than 64 levels, or more than the arena holds. */
struct wi_json *wi_json_parse(const unsigned char *data, size_t len, struct wi_arena *arena,
                              struct wi_json_error *error);
/* The member called key, NULL if there is none (or object is NULL or no object). */
const struct wi_json *wi_json_get(const struct wi_json *object, const char *key);

#endif
