/* Unpacks sections with zlib, see unpack.h.
 * Threads: main. */
#include "cli/unpack.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include "symbols/elf_symbols.h"

#define MOST_BYTES (UINT64_C(256) << 20) /* of one section; those of the largest libraries */
#define CHUNK      65536u

struct copy {
    int from, to;
    uint64_t at, end; /* in from */
    uint64_t written; /* to the end of `to` */
    uint8_t in[CHUNK], out[CHUNK];
};

static int put(struct copy *c, size_t len)
{
    size_t done = 0;
    while (done < len) {
        ssize_t got = write(c->to, c->out + done, len - done);
        if (got <= 0)
            return 0;
        done += (size_t)got;
    }
    c->written += len;
    return 1;
}

static size_t get(struct copy *c)
{
    uint64_t left = c->end - c->at;
    ssize_t got = pread(c->from, c->in, left < CHUNK ? (size_t)left : CHUNK, (off_t)c->at);
    c->at += got > 0 ? (uint64_t)got : 0;
    return got > 0 ? (size_t)got : 0;
}

/* One zlib stream; 1 if it came to its end. */
static int unpack(struct copy *c)
{
    z_stream stream = {.next_in = NULL};
    uint64_t before = c->written;
    int status = inflateInit(&stream);
    while (status == Z_OK && c->written - before < MOST_BYTES) {
        if (!stream.avail_in) {
            stream.next_in = c->in;
            stream.avail_in = (uInt)get(c);
        }
        stream.next_out = c->out;
        stream.avail_out = CHUNK;
        status = inflate(&stream, Z_NO_FLUSH);
        if ((status == Z_OK || status == Z_STREAM_END) && !put(c, CHUNK - stream.avail_out))
            status = Z_ERRNO;
    }
    inflateEnd(&stream);
    return status == Z_STREAM_END;
}

/* Appends a section to the copy and tells where it went. */
static int take(struct copy *c, const struct wi_dwarf_section *packed,
                const struct wi_dwarf_section *plain, struct wi_dwarf_section *to)
{
    Elf64_Chdr head;
    to->offset = c->written;
    if (packed->size > sizeof(head)) {
        if (pread(c->from, &head, sizeof(head), (off_t)packed->offset) != (ssize_t)sizeof(head) ||
            head.ch_type != ELFCOMPRESS_ZLIB)
            return 0;
        c->at = packed->offset + sizeof(head);
        c->end = packed->offset + packed->size;
        if (!unpack(c))
            return 0;
    } else {
        c->at = plain->offset;
        c->end = plain->offset + (plain->size < MOST_BYTES ? plain->size : MOST_BYTES);
        for (size_t got; c->at < c->end && (got = get(c));) {
            memcpy(c->out, c->in, got);
            if (!put(c, got))
                return 0;
        }
    }
    to->size = c->written - to->offset;
    return 1;
}

int wi_unpack_lines(int fd, struct wi_dwarf_sections *sections)
{
    struct wi_dwarf_sections plain, packed;
    wi_elf_lines(fd, &plain, &packed);
    if (!packed.line.size && !packed.line_str.size && !packed.str.size)
        return -1;
    struct copy *c = calloc(1, sizeof(*c));
    int to = c ? memfd_create("whyidle-lines", MFD_CLOEXEC) : -1;
    if (to >= 0) {
        c->from = fd;
        c->to = to;
        if (!take(c, &packed.line, &plain.line, &sections->line) ||
            !take(c, &packed.line_str, &plain.line_str, &sections->line_str) ||
            !take(c, &packed.str, &plain.str, &sections->str)) {
            close(to);
            to = -1;
        }
    }
    free(c);
    return to;
}
