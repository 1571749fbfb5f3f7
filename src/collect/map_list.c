/* Reads /proc/self/maps, see map_list.h.
 * Threads: the helper. May not: allocate. */
#include "collect/map_list.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static uint64_t take_hex(const char **at)
{
    uint64_t value = 0;
    for (;; (*at)++) {
        char c = **at;
        if (c >= '0' && c <= '9')
            value = value * 16 + (uint64_t)(c - '0');
        else if (c >= 'a' && c <= 'f')
            value = value * 16 + (uint64_t)(c - 'a' + 10);
        else
            return value;
    }
}

/* The kernel's own code in the process is tables and symbols like a file's; the rest in brackets is
 * memory. */
static const char *path_in(const char *line)
{
    const char *path = strchr(line, '/');
    return path ? path : strstr(line, WI_MAP_VDSO);
}

/* "start-end perms offset dev inode   path" */
static int parse(const char *line, struct wi_map *map)
{
    map->start = take_hex(&line);
    if (*line++ != '-')
        return 0;
    map->end = take_hex(&line);
    if (*line != ' ' || strlen(line) < 6)
        return 0;
    map->executable = line[3] == 'x';
    line += 6;
    map->offset = take_hex(&line);
    const char *path = path_in(line);
    size_t len = path ? strlen(path) : 0;
    len = len < sizeof(map->path) ? len : 0;
    memcpy(map->path, path ? path : "", len);
    map->path[len] = 0;
    return 1;
}

struct reader {
    int fd;
    size_t len, at;
    char text[4096];
};

/* The next line without its end; a line longer than the buffer is cut. 0 at the end. */
static int next_line(struct reader *r, char *line, size_t cap)
{
    size_t used = 0;
    for (;;) {
        if (r->at == r->len) {
            ssize_t got = read(r->fd, r->text, sizeof(r->text));
            if (got <= 0)
                return 0;
            r->len = (size_t)got;
            r->at = 0;
        }
        char c = r->text[r->at++];
        if (c == '\n')
            break;
        if (used < cap - 1)
            line[used++] = c;
    }
    line[used] = 0;
    return 1;
}

int wi_map_each(int (*use)(void *user, const struct wi_map *map), void *user)
{
    struct reader reader = {.fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC)};
    struct wi_map map;
    char line[1024];
    int result = 0;
    if (reader.fd < 0)
        return 0;
    while (!result && next_line(&reader, line, sizeof(line)))
        if (parse(line, &map))
            result = use(user, &map);
    close(reader.fd);
    return result;
}

struct search {
    const char *part;
    char *path;
    size_t cap;
};

static int has_part(void *user, const struct wi_map *map)
{
    struct search *search = user;
    size_t len = strlen(map->path);
    if (!len || len >= search->cap || !strstr(map->path, search->part))
        return 0;
    memcpy(search->path, map->path, len + 1);
    return 1;
}

int wi_map_path_with(const char *part, char *path, size_t cap)
{
    struct search search = {part, path, cap};
    return wi_map_each(has_part, &search);
}
