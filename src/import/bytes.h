/* The bytes of an input file, gzip undone, in pieces.
 * Threads: one at a time. May use: malloc, zlib. */
#ifndef WI_IMPORT_BYTES_H
#define WI_IMPORT_BYTES_H

#include <stddef.h>
#include <stdint.h>

struct wi_bytes;

/* Opens a file; *err gets WI_ERR_IO or WI_ERR_NOMEM when NULL is returned (errno tells more). */
struct wi_bytes *wi_bytes_open(const char *path, int *err);
void wi_bytes_close(struct wi_bytes *bytes);
/* The next piece, valid until the next call: its length, 0 at the end, or a negative code.
 * Bytes that could be had before damage are given first. */
long wi_bytes_next(struct wi_bytes *bytes, const unsigned char **piece);
/* The first bytes, without taking them: as many as one piece holds, at least 1 unless empty. */
long wi_bytes_peek(struct wi_bytes *bytes, const unsigned char **piece);
/* Uncompressed bytes given so far. */
int64_t wi_bytes_offset(const struct wi_bytes *bytes);
/* What is wrong, for people, after a negative code. */
const char *wi_bytes_problem(const struct wi_bytes *bytes);

#endif
