/* A temporary file without a name, see scratch.h.
 * Threads: one at a time. May use: malloc. */
#include "import/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"

#define BUFFER_BYTES (256u << 10)

struct wi_scratch {
    int fd;
    uint64_t written;
    size_t used;
    unsigned char buffer[BUFFER_BYTES];
};

static int open_file(void)
{
    char path[4096];
    const char *folder = getenv("TMPDIR");
    int len =
        snprintf(path, sizeof(path), "%s/whyidle-XXXXXX", folder && folder[0] ? folder : P_tmpdir);
    int fd = len < (int)sizeof(path) ? mkostemp(path, O_CLOEXEC) : -1;
    if (fd >= 0)
        unlink(path);
    return fd;
}

struct wi_scratch *wi_scratch_create(void)
{
    struct wi_scratch *scratch = malloc(sizeof(*scratch));
    if (!scratch)
        return NULL;
    scratch->fd = open_file();
    scratch->written = 0;
    scratch->used = 0;
    if (scratch->fd >= 0)
        return scratch;
    free(scratch);
    return NULL;
}

void wi_scratch_free(struct wi_scratch *scratch)
{
    if (!scratch)
        return;
    close(scratch->fd);
    free(scratch);
}

int wi_scratch_flush(struct wi_scratch *scratch)
{
    size_t done = 0;
    while (done < scratch->used) {
        ssize_t n = write(scratch->fd, scratch->buffer + done, scratch->used - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return WI_ERR_IO;
        done += (size_t)n;
    }
    scratch->written += done;
    scratch->used = 0;
    return 0;
}

int wi_scratch_append(struct wi_scratch *scratch, const void *data, size_t bytes)
{
    int err = scratch->used + bytes > BUFFER_BYTES ? wi_scratch_flush(scratch) : 0;
    if (err || bytes > BUFFER_BYTES)
        return WI_ERR_IO;
    memcpy(scratch->buffer + scratch->used, data, bytes);
    scratch->used += bytes;
    return 0;
}

int wi_scratch_read(const struct wi_scratch *scratch, uint64_t at, void *to, size_t bytes)
{
    size_t done = 0;
    while (done < bytes) {
        ssize_t n =
            pread(scratch->fd, (unsigned char *)to + done, bytes - done, (off_t)(at + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return WI_ERR_IO;
        done += (size_t)n;
    }
    return 0;
}

uint64_t wi_scratch_size(const struct wi_scratch *scratch)
{
    return scratch->written + scratch->used;
}
