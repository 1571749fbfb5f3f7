/* Reads small files, see procfs.h.
 * Threads: the caller's. May not: allocate. */
#include "collect/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/err.h"
#include "base/out.h"
#include "collect/thread.h"
#include "model/event.h"

#define PATH_BYTES 640

#ifdef WI_TEST_ROOT
#include <stdlib.h>

#include "collect/stat_call.h"

/* A link that leads nowhere stands for a file that is not there. */
static int open_path(const char *path, int flags)
{
    char other[PATH_BYTES];
    struct stat there;
    struct wi_out out;
    const char *root = getenv("WI_TEST_ROOT");
    wi_out_mem(&out, other, sizeof(other));
    wi_out_f(&out, "%s%s", root ? root : "", path);
    int found =
        root && wi_out_finish(&out) == 0 && wi_stat_path(other, &there, AT_SYMLINK_NOFOLLOW) == 0;
    return open(found ? other : path, flags);
}
#else
static int open_path(const char *path, int flags)
{
    return open(path, flags);
}
#endif

long wi_read_file(const char *path, char *buf, size_t cap)
{
    int fd = open_path(path, O_RDONLY | O_CLOEXEC);
    size_t len = 0;
    if (fd < 0)
        return errno == ENOENT ? WI_ERR_NOT_FOUND : WI_ERR_IO;
    while (len < cap - 1) {
        ssize_t n = read(fd, buf + len, cap - 1 - len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        len += (size_t)n;
    }
    close(fd);
    buf[len] = 0;
    return (long)len;
}

long wi_read_at(char *buf, size_t cap, const char *fmt, ...)
{
    char path[PATH_BYTES];
    struct wi_out out;
    va_list args;
    wi_out_mem(&out, path, sizeof(path));
    va_start(args, fmt);
    wi_out_vf(&out, fmt, args);
    va_end(args);
    return wi_out_finish(&out) == 0 ? wi_read_file(path, buf, cap) : WI_ERR_RANGE;
}

/* Numbers given up unclosed, where the file behind them may be ours: of those a job has few. */
#define MOST_LOST 16
static int lost;

void wi_lose_kept(int *fd)
{
    lost += *fd >= 0;
    *fd = -1;
}

int wi_keep_open(const char *fmt, ...)
{
    char path[PATH_BYTES];
    struct wi_out out;
    va_list args;
    if (lost >= MOST_LOST)
        return -1;
    wi_out_mem(&out, path, sizeof(path));
    va_start(args, fmt);
    wi_out_vf(&out, fmt, args);
    va_end(args);
    if (wi_out_finish(&out) != 0)
        return -1;
    int low = open_path(path, O_RDONLY | O_CLOEXEC);
    int high = low < 0 ? -1 : fcntl(low, F_DUPFD_CLOEXEC, WI_HIGH_FD);
    if (high < 0)
        return low;
    close(low);
    return high;
}

/* The job may have closed it and opened a file of its own under the number: only a file that
 * answers ESRCH, that of an ended thread, is ours for sure and closed. */
long wi_read_kept(int *fd, char *buf, size_t cap)
{
    ssize_t len = *fd >= 0 ? pread(*fd, buf, cap - 1, 0) : -1;
    buf[len > 0 ? len : 0] = 0;
    if (len > 0)
        return len;
    if (*fd >= 0 && len < 0 && errno == ESRCH) {
        close(*fd);
        *fd = -1;
    }
    wi_lose_kept(fd);
    return WI_ERR_IO;
}

int64_t wi_take_number(const char **at)
{
    const char *text = *at;
    int64_t value = 0;
    while (*text == ' ' || *text == '\t' || *text == '\n')
        text++;
    if (*text < '0' || *text > '9')
        return WI_UNKNOWN;
    for (; *text >= '0' && *text <= '9'; text++)
        value = value > INT64_MAX / 10 - 1 ? value : value * 10 + (*text - '0');
    *at = text;
    return value;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

int64_t wi_take_hex(const char **at)
{
    const char *text = *at;
    uint64_t value = 0;
    while (*text == ' ')
        text++;
    if (text[0] == '0' && text[1] == 'x')
        text += 2;
    if (hex_digit(*text) < 0)
        return WI_UNKNOWN;
    for (; hex_digit(*text) >= 0; text++)
        value = value << 4 | (uint64_t)hex_digit(*text);
    *at = text;
    return (int64_t)value;
}

const char *wi_skip_words(const char *at, int n)
{
    while (*at == ' ')
        at++;
    for (; n > 0 && *at; n--) {
        while (*at && *at != ' ')
            at++;
        while (*at == ' ')
            at++;
    }
    return at;
}

int64_t wi_number_of(const char *text, const char *word)
{
    size_t len = strlen(word);
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, word, len) != 0)
            continue;
        line += len;
        return wi_take_number(&line);
    }
    return WI_UNKNOWN;
}

static int64_t ticks(const char **at)
{
    int64_t value = wi_take_number(at);
    return value > INT64_MAX / WI_TICK_NS ? WI_UNKNOWN : value < 0 ? value : value * WI_TICK_NS;
}

int wi_parse_stat(const char *text, struct wi_proc_stat *stat)
{
    const char *at = strrchr(text, ')'), *id = text; /* the name may hold brackets, too */
    stat->id = wi_take_number(&id);
    if (stat->id == WI_UNKNOWN || !at || at[1] != ' ' || !at[2])
        return WI_ERR_FORMAT;
    stat->state = at[2];
    at = wi_skip_words(at + 2, 7); /* state ppid pgrp session tty tpgid flags */
    stat->minor_faults = wi_take_number(&at);
    at = wi_skip_words(at, 1); /* of its children */
    stat->major_faults = wi_take_number(&at);
    at = wi_skip_words(at, 1);
    stat->user_ns = ticks(&at);
    stat->kernel_ns = ticks(&at);
    at = wi_skip_words(at, 6); /* of its children 2 x, priority, nice, threads, timer */
    stat->start_ticks = wi_take_number(&at);
    return 0;
}

int wi_each_number(const char *folder, void *user, void (*use)(void *user, const char *name))
{
    struct entry {
        uint64_t inode, offset;
        uint16_t length;
        uint8_t type;
        char name[];
    };
    _Alignas(8) char buf[4096];
    int fd = open_path(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    long len;
    if (fd < 0)
        return WI_ERR_IO;
    while ((len = syscall(SYS_getdents64, fd, buf, sizeof(buf))) > 0)
        for (long at = 0; at < len;) {
            const struct entry *entry = (const void *)(buf + at);
            if (entry->name[0] >= '0' && entry->name[0] <= '9')
                use(user, entry->name);
            at += entry->length;
        }
    close(fd);
    return 0;
}
