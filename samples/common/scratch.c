/* A file on disk, see scratch.h.
 * Threads: any. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "scratch.h"

#define CANNOT_SHOW 77

int scratch_open(int flags)
{
    char path[PATH_MAX];
    const char *folder = getenv("TMPDIR");

    snprintf(path, sizeof(path), "%s/sample-XXXXXX", folder ? folder : ".");
    int fd = mkostemp(path, flags);
    if (fd < 0) {
        perror(path);
        exit(CANNOT_SHOW);
    }
    unlink(path);
    return fd;
}
