/* Reads memory of this process that may not be there: through the kernel, which answers with an
 * error where a load would end the job.
 * Threads: one struct belongs to one thread. May not: be used on the hot path, except for the
 * one self-test and the last resort of native stacks. */
#ifndef WI_COLLECT_PEEK_H
#define WI_COLLECT_PEEK_H

#include <stddef.h>
#include <stdint.h>

#define WI_PEEK_PAGES 16

/* Pages read so far: the frames of a stack mostly lie together. */
struct wi_peek {
    uint32_t count, next;
    uint32_t calls; /* system calls made */
    uintptr_t page[WI_PEEK_PAGES];
    uint8_t bytes[WI_PEEK_PAGES][4096];
};

/* Forgets what was read, so that the next read is a fresh one. */
void wi_peek_reset(struct wi_peek *peek);
/* Copies size bytes at `from`; 0, or WI_ERR_IO if they cannot be read. */
int wi_peek_read(struct wi_peek *peek, uintptr_t from, void *to, size_t size);
/* The same without keeping pages: one system call. */
int wi_peek_once(uintptr_t from, void *to, size_t size);
/* As far as the first byte that cannot be read; returns how many there were, 0 for none. */
size_t wi_peek_some(uintptr_t from, void *to, size_t size);
/* Once, before the first read, on any thread: where the kernel does not allow one process to read
 * its own memory by call, a file does the same. */
void wi_peek_init(void);

#endif
