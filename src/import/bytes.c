/* Plain and gzip input, see bytes.h.
 * Threads: one at a time. May use: malloc, zlib. inflate() and not gzread(): the latter takes a
 * cut file for a whole one in some versions, and gives no reason for damage. */
#include "import/bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/err.h"

#define PIECE_BYTES (256u << 10) /* measured: larger ones leave the cache and are slower */

enum stage { PLAIN, IN_MEMBER, BETWEEN_MEMBERS, ENDED };

struct wi_bytes {
    int fd;
    enum stage stage;
    int code;   /* why it ended: 0 or negative, told once the bytes before it were given */
    int peeked; /* the last piece was only looked at */
    long piece_len;
    const unsigned char *piece;
    int64_t given;
    const char *problem;
    z_stream z;
    unsigned char in[PIECE_BYTES];
    unsigned char out[PIECE_BYTES];
};

static void end(struct wi_bytes *bytes, int code, const char *problem)
{
    bytes->stage = ENDED;
    bytes->code = code;
    bytes->problem = problem;
}

/* Fills the input buffer as far as the file goes; returns the bytes, 0 at the end of the file. */
static unsigned fill(struct wi_bytes *bytes)
{
    size_t have = 0;
    ssize_t n = 1;
    while (have < PIECE_BYTES && n != 0) {
        n = read(bytes->fd, bytes->in + have, PIECE_BYTES - have);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            end(bytes, WI_ERR_IO, strerror(errno));
            break;
        }
        have += (size_t)n;
    }
    bytes->z.next_in = bytes->in;
    bytes->z.avail_in = (unsigned)have;
    return (unsigned)have;
}

/* Regular files, pipes and /dev/stdin are read; a folder is not. */
static int open_file(const char *path)
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && fstat(fd, &status) == 0 && S_ISDIR(status.st_mode)) {
        close(fd);
        errno = EISDIR;
        return -1;
    }
    return fd;
}

struct wi_bytes *wi_bytes_open(const char *path, int *err)
{
    *err = WI_ERR_IO;
    int fd = open_file(path);
    if (fd < 0)
        return NULL;
    *err = WI_ERR_NOMEM;
    struct wi_bytes *bytes = calloc(1, sizeof(*bytes));
    if (!bytes) {
        close(fd);
        return NULL;
    }
    bytes->fd = fd;
    if (fill(bytes) < 2 || bytes->in[0] != 0x1f || bytes->in[1] != 0x8b)
        return bytes;
    if (inflateInit2(&bytes->z, 15 + 16) != Z_OK) { /* 16: gzip, not zlib, around it */
        close(fd);
        free(bytes);
        return NULL;
    }
    bytes->stage = IN_MEMBER;
    return bytes;
}

void wi_bytes_close(struct wi_bytes *bytes)
{
    if (!bytes)
        return;
    inflateEnd(&bytes->z); /* harmless for plain input */
    close(bytes->fd);
    free(bytes);
}

static long next_plain(struct wi_bytes *bytes)
{
    long have = bytes->z.avail_in ? (long)bytes->z.avail_in : (long)fill(bytes);
    bytes->z.avail_in = 0;
    bytes->piece = bytes->in;
    if (!have && bytes->stage == PLAIN)
        end(bytes, 0, NULL);
    return have;
}

static void inflate_some(struct wi_bytes *bytes)
{
    if (!bytes->z.avail_in && !fill(bytes) && bytes->stage == BETWEEN_MEMBERS)
        end(bytes, 0, NULL);
    if (bytes->stage == BETWEEN_MEMBERS) {
        /* Another member may follow (files that were appended to); other bytes are padding. */
        if (bytes->z.next_in[0] != 0x1f || inflateReset(&bytes->z) != Z_OK)
            end(bytes, 0, NULL);
        else
            bytes->stage = IN_MEMBER;
    }
    if (bytes->stage == ENDED)
        return;
    /* Also without input: output may still be held back. */
    int status = inflate(&bytes->z, Z_NO_FLUSH);
    if (status == Z_STREAM_END)
        bytes->stage = BETWEEN_MEMBERS;
    else if (status == Z_BUF_ERROR)
        end(bytes, WI_ERR_TRUNCATED, "the gzip data ends too early");
    else if (status != Z_OK)
        end(bytes, WI_ERR_FORMAT, "the gzip data is damaged");
}

static long next_gzip(struct wi_bytes *bytes)
{
    bytes->z.next_out = bytes->out;
    bytes->z.avail_out = PIECE_BYTES;
    bytes->piece = bytes->out;
    while (bytes->z.avail_out && bytes->stage != ENDED)
        inflate_some(bytes);
    return (long)(PIECE_BYTES - bytes->z.avail_out);
}

long wi_bytes_next(struct wi_bytes *bytes, const unsigned char **piece)
{
    if (!bytes->peeked)
        bytes->piece_len = bytes->stage == ENDED   ? 0
                           : bytes->stage == PLAIN ? next_plain(bytes)
                                                   : next_gzip(bytes);
    bytes->peeked = 0;
    bytes->given += bytes->piece_len;
    *piece = bytes->piece;
    return bytes->piece_len ? bytes->piece_len : bytes->code;
}

long wi_bytes_peek(struct wi_bytes *bytes, const unsigned char **piece)
{
    long len = wi_bytes_next(bytes, piece);
    bytes->given -= bytes->piece_len;
    bytes->peeked = 1;
    return len;
}

int64_t wi_bytes_offset(const struct wi_bytes *bytes)
{
    return bytes->given;
}

const char *wi_bytes_problem(const struct wi_bytes *bytes)
{
    return bytes->problem ? bytes->problem : "";
}
