/* Every few steps images go to the log, one after the other, past the page cache.
 * Expected: host/logging.
 * Threads: one. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpu.h"
#include "pace.h"
#include "scratch.h"
#include "step.h"

#define IMAGE_BYTES (256 << 10)
#define STEPS       5
#define WRITE_NS    (40 * STEP_MS) /* there are as many images as the disk takes in this time */

static int write_images(int fd, const char *image)
{
    off_t at = 0;

    for (int64_t end = pace_now() + WRITE_NS; pace_now() < end; at += IMAGE_BYTES)
        if (pwrite(fd, image, IMAGE_BYTES, at) != IMAGE_BYTES)
            return -1;
    return fsync(fd);
}

int main(void)
{
    int fd = scratch_open(O_DIRECT);
    void *image;

    if (posix_memalign(&image, 4096, IMAGE_BYTES) || gpu_init())
        return 1;
    memset(image, '.', IMAGE_BYTES);
    while (step_more()) {
        for (int i = 0; i < STEPS; i++) {
            step_run(10, STEP_MS / 2);
            gpu_sync();
        }
        if (write_images(fd, image))
            return 1;
    }
    return 0;
}
