/* Interned strings: every name in an event is an id into one table.
 * Threads: the owner of the table only. May not: call malloc; the memory is a budgeted arena.
 * Id 0 is "no name"; when the budget is used up new strings get the id of "(name table full)". */
#ifndef WI_MODEL_NAMES_H
#define WI_MODEL_NAMES_H

#include <stddef.h>
#include <stdint.h>

struct wi_names;

/* An empty table that takes at most budget_bytes; NULL if the first chunk cannot be had. */
struct wi_names *wi_names_create(size_t budget_bytes);
void wi_names_free(struct wi_names *names);
/* The id of text[0..len); at most 1000 bytes of it are kept (longer kernel names are cut). */
uint32_t wi_names_intern(struct wi_names *names, const char *text, size_t len);
/* The same for a NUL-terminated string; NULL and "" give WI_NO_NAME. */
uint32_t wi_names_str(struct wi_names *names, const char *text);
/* The text of an id, NUL-terminated, valid as long as the table; "" for 0 or an unknown id. */
const char *wi_names_text(const struct wi_names *names, uint32_t id);
/* Number of ids given out, id 0 included. */
uint32_t wi_names_count(const struct wi_names *names);

#endif
