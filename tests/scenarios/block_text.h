/* For tests: a timeline file made of one block.
 * Threads: one. */
#ifndef WI_BLOCK_TEXT_H
#define WI_BLOCK_TEXT_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "timeline.h"

/* tl_read() of a file with this one block. */
static inline int read_text(struct tl_file *file, const char *block)
{
    char path[] = "/tmp/test_timeline.XXXXXX";
    int fd = mkstemp(path);

    if (fd < 0)
        return -1;
    dprintf(fd, "### X1 \xe2\x80\x94 a case\n\n```timeline one\n%s```\n", block);
    close(fd);
    int rc = tl_read(file, path);
    unlink(path);
    return rc;
}

#endif
