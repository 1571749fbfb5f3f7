/* Guarded reads of own memory, see peek.h.
 * Threads: any. May not: allocate. */
#include "collect/peek.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/err.h"
#include "collect/thread.h"

#define PAGE UINT64_C(4096)

static int memory_fd = -1; /* /proc/self/mem, where process_vm_readv is refused */

size_t wi_peek_some(uintptr_t from, void *to, size_t size)
{
    struct iovec local = {to, size}, remote = {(void *)from, size};
    long got = memory_fd >= 0
                   ? pread(memory_fd, to, size, (off_t)from)
                   : syscall(SYS_process_vm_readv, getpid(), &local, 1L, &remote, 1L, 0L);
    return got > 0 ? (size_t)got : 0;
}

int wi_peek_once(uintptr_t from, void *to, size_t size)
{
    int saved = errno;
    size_t got = wi_peek_some(from, to, size);
    errno = saved;
    return got == size ? 0 : WI_ERR_IO;
}

void wi_peek_init(void)
{
    int saved = errno;
    uint64_t word = 0, copy = 0;
    if (wi_peek_some((uintptr_t)&word, &copy, sizeof(copy)) != sizeof(copy)) {
        int low = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
        memory_fd = low < 0 ? -1 : fcntl(low, F_DUPFD_CLOEXEC, WI_HIGH_FD);
        if (low >= 0 && memory_fd < 0)
            memory_fd = low;
        else if (low >= 0)
            close(low);
    }
    errno = saved;
}

void wi_peek_reset(struct wi_peek *peek)
{
    peek->count = peek->next = 0;
}

static const uint8_t *page_at(struct wi_peek *peek, uintptr_t page)
{
    for (uint32_t i = 0; i < peek->count; i++)
        if (peek->page[i] == page)
            return peek->bytes[i];
    uint32_t slot = peek->next;
    peek->calls++;
    if (wi_peek_once(page, peek->bytes[slot], PAGE) != 0) {
        peek->page[slot] = 0; /* half a page may have been overwritten */
        return NULL;
    }
    peek->page[slot] = page;
    peek->next = (slot + 1) % WI_PEEK_PAGES;
    peek->count = peek->count < WI_PEEK_PAGES ? peek->count + 1 : WI_PEEK_PAGES;
    return peek->bytes[slot];
}

int wi_peek_read(struct wi_peek *peek, uintptr_t from, void *to, size_t size)
{
    if (from < PAGE || from > UINTPTR_MAX - size)
        return WI_ERR_IO;
    while (size) {
        uintptr_t page = from & ~(PAGE - 1);
        size_t offset = from - page, part = PAGE - offset < size ? PAGE - offset : size;
        const uint8_t *bytes = page_at(peek, page);
        if (!bytes)
            return WI_ERR_IO;
        memcpy(to, bytes + offset, part);
        to = (char *)to + part;
        from += part;
        size -= part;
    }
    return 0;
}
