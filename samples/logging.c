/* Every few steps a hundred images go to the log, each forced to disk.
 * Expected: host/logging.
 * Threads: one. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpu.h"
#include "scratch.h"
#include "step.h"

#define IMAGES      100
#define IMAGE_BYTES (256 << 10)
#define STEPS       5

static int write_images(int fd, const char *image)
{
    for (int i = 0; i < IMAGES; i++)
        if (pwrite(fd, image, IMAGE_BYTES, (off_t)i * IMAGE_BYTES) != IMAGE_BYTES)
            return -1;
    return fsync(fd);
}

int main(void)
{
    int fd = scratch_open(O_DIRECT);
    void *image;

    if (fd < 0 || posix_memalign(&image, 4096, IMAGE_BYTES) || gpu_init())
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
