/* A temporary file without a name, gone with the process: appended to through a buffer, read at any
 * place. It lies where TMPDIR says: /tmp may be memory, and small.
 * Threads: one at a time. May use: malloc. */
#ifndef WI_IMPORT_SCRATCH_H
#define WI_IMPORT_SCRATCH_H

#include <stddef.h>
#include <stdint.h>

struct wi_scratch;

/* NULL: no memory, or no file can be made. */
struct wi_scratch *wi_scratch_create(void);
void wi_scratch_free(struct wi_scratch *scratch);
/* Each 0 or WI_ERR_IO. What was appended can be read after a flush. */
int wi_scratch_append(struct wi_scratch *scratch, const void *data, size_t bytes);
int wi_scratch_flush(struct wi_scratch *scratch);
int wi_scratch_read(const struct wi_scratch *scratch, uint64_t at, void *to, size_t bytes);
/* Bytes appended so far. */
uint64_t wi_scratch_size(const struct wi_scratch *scratch);

#endif
