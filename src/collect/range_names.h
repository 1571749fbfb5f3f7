/* The names of the job's own ranges on the hot path: interned without lock, wait or allocation.
 *
 * The job may free or change a string as soon as its call returns: the first bytes are copied.
 * Names that differ only in their numbers ("step 17") would fill any table: the first
 * WI_RANGE_VARIANTS of a kind are kept apart, the rest share one entry with "#" for the numbers.
 * Threads: any; the table only grows. May not: lock, allocate, call the system. */
#ifndef WI_COLLECT_RANGE_NAMES_H
#define WI_COLLECT_RANGE_NAMES_H

#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

#define WI_RANGE_NAMES      2048u /* entries, a power of two */
#define WI_RANGE_NAME_BYTES 56u   /* kept of a name */
#define WI_RANGE_VARIANTS   8u

/* The id of a name, 1 .. WI_RANGE_NAMES; 0 for NULL, for "", and where there is no room. */
uint32_t wi_range_name(const char *text);
uint32_t wi_range_name_wide(const wchar_t *text);
/* The bytes of an id, not ended by NUL; 0 for an id never given out. */
size_t wi_range_name_text(uint32_t id, const char **text);
/* A name with "#" for every number in it; returns its length, at most `len`. */
size_t wi_range_name_fold(const char *text, size_t len, char folded[WI_RANGE_NAME_BYTES]);
/* Names that found no room. */
uint64_t wi_range_names_refused(void);

#endif
