/* Numbers as text, taken exactly: never through a binary floating-point number, which cannot hold
 * microseconds since 1970 to the nanosecond.
 * Threads: any. May not: allocate. */
#ifndef WI_IMPORT_DECIMAL_H
#define WI_IMPORT_DECIMAL_H

#include <stddef.h>
#include <stdint.h>

/* text = [space] [sign] digits [. digits] [e [sign] digits] [space], times 10^shift, rounded half
 * away from zero into *value. Returns 0, WI_ERR_FORMAT, or WI_ERR_RANGE beyond 2^62. */
int wi_decimal_round(const char *text, size_t len, int shift, int64_t *value);
/* The same cut towards zero. */
int wi_decimal_cut(const char *text, size_t len, int64_t *value);

#endif
