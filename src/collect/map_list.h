/* What is mapped into this process, by /proc/self/maps.
 * Threads: the helper. May not: allocate; be called often (the file of a large job is 1 MB). */
#ifndef WI_COLLECT_MAP_LIST_H
#define WI_COLLECT_MAP_LIST_H

#include <stddef.h>
#include <stdint.h>

#define WI_MAP_VDSO "[vdso]" /* path of the code that the kernel maps into each process */

struct wi_map {
    uintptr_t start, end;
    uint64_t offset; /* in the file */
    int executable;
    char path[512]; /* "" for memory that is no file; WI_MAP_VDSO */
};

/* Calls use() for each mapping, in order of address, until it returns nonzero; returns that, or 0
 * at the end of the list. */
int wi_map_each(int (*use)(void *user, const struct wi_map *map), void *user);
/* The path of the first mapped file whose path contains part; 0 if there is none. */
int wi_map_path_with(const char *part, char *path, size_t cap);

#endif
