/* Figures for people: a number of at most three digits and its unit; unknown is "-".
 * Threads: the owner of the writer. May not: allocate, use stdio. */
#ifndef WI_REPORT_HUMAN_H
#define WI_REPORT_HUMAN_H

#include <stdint.h>

#include "base/out.h"

/* "850 ns", "4.3 us", "214 ms", "2.31 s", "52.3 min", "14.2 h". Negative or WI_UNKNOWN: "-". */
void wi_human_ns(struct wi_out *out, int64_t ns);
/* The number of ns in the unit of `whole` and without it: "215" of 306 ms. */
void wi_human_part(struct wi_out *out, int64_t ns, int64_t whole);
/* "306 -> 96 ms": both in the unit of `before`, kept together in one line; unknown is "-". */
void wi_human_change(struct wi_out *out, int64_t before_ns, int64_t after_ns);
/* "512 B", "19.3 MB" (powers of 1000). Negative or WI_UNKNOWN: "-". */
void wi_human_bytes(struct wi_out *out, int64_t bytes);
/* "12.4 GB/s" of bytes moved in ns; "-" if either is not known or ns is 0. */
void wi_human_rate(struct wi_out *out, int64_t bytes, int64_t ns);
/* "28.1 %" of part in whole, `decimals` digits; "-" if whole is 0 or either is not known. */
void wi_human_share(struct wi_out *out, int64_t part, int64_t whole, int decimals);
/* The number alone, or "-". */
void wi_human_count(struct wi_out *out, int64_t count);

#endif
