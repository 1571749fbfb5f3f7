/* Buffered text writer without stdio, malloc or locale: to a descriptor, or to memory.
 * Threads: one writer belongs to one thread. May not: allocate, use stdio or floating formats.
 * Errors stick: after one, everything else is dropped and wi_out_finish() returns it. */
#ifndef WI_BASE_OUT_H
#define WI_BASE_OUT_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"

struct wi_out {
    char *buf;
    size_t cap;
    size_t len;
    int fd;     /* -1: memory only; overflow is WI_ERR_RANGE and cuts the text */
    int err;    /* first error, 0 if none */
    size_t col; /* characters since the last newline (UTF-8 continuation bytes not counted) */
};

/* A writer to fd that collects in buf[cap] and flushes when full. */
void wi_out_fd(struct wi_out *out, int fd, char *buf, size_t cap);
/* A writer to memory; buf is NUL-terminated by wi_out_finish. */
void wi_out_mem(struct wi_out *out, char *buf, size_t cap);
/* Flushes (fd) or terminates (memory); returns 0 or the first error. */
int wi_out_finish(struct wi_out *out);

void wi_out_bytes(struct wi_out *out, const char *text, size_t len);
void wi_out_str(struct wi_out *out, const char *text);
void wi_out_char(struct wi_out *out, char c);
void wi_out_pad(struct wi_out *out, char c, int times);
void wi_out_i64(struct wi_out *out, int64_t value);
void wi_out_u64(struct wi_out *out, uint64_t value);
/* value with `decimals` digits after the point, rounded half away from zero; NaN, and what has more
 * than 18 digits, prints "-". */
void wi_out_fixed(struct wi_out *out, double value, int decimals);
/* The subset %s %c %d %i %u %x %ld %lu %lld %llu %zu %%, with width, '-' and '0'; nothing else. */
void wi_out_f(struct wi_out *out, const char *fmt, ...) WI_PRINTF(2, 3);
void wi_out_vf(struct wi_out *out, const char *fmt, va_list args);
/* text with every control byte and invalid UTF-8 shown as '?': safe on a terminal. */
void wi_out_clean(struct wi_out *out, const char *text);
/* Letters that are safe in a file's name, none that would hide it; at most 64 of them. */
void wi_out_name(struct wi_out *out, const char *text);
/* As wi_out_fixed, but what it has no digits for is null. */
void wi_out_json_fixed(struct wi_out *out, double value, int decimals);
/* A JSON string literal with quotes; NULL prints null. */
void wi_out_json(struct wi_out *out, const char *text);

#endif
