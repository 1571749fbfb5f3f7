/* Reads small files, see procfs.h.
 * Threads: the caller's. May not: allocate. */
#include "collect/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/err.h"
#include "model/event.h"

long wi_read_file(const char *path, char *buf, size_t cap)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
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
