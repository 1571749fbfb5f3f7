/* Every few steps the state is copied from the device and written to a file, tensor by tensor; the
 * job stands still until it is on disk.
 * Expected: host/checkpoint.
 * Threads: one. */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "gpu.h"
#include "pace.h"
#include "scratch.h"
#include "step.h"

#define STATE_BYTES  (128 << 20)
#define TENSOR_BYTES (512 << 10)
#define PAGE_BYTES   4096
#define STEPS        8
#define SAVE_NS      (80 * STEP_MS) /* the state is as large as the disk takes in this time */

static int save(int fd, const char *state)
{
    off_t at = 0;

    for (int64_t end = pace_now() + SAVE_NS; pace_now() < end; at += TENSOR_BYTES)
        if (pwrite(fd, state + at % STATE_BYTES, TENSOR_BYTES, at) != TENSOR_BYTES)
            return -1;
    return fsync(fd);
}

int main(void)
{
    int fd = scratch_open(O_DIRECT);
    void *state;

    if (posix_memalign(&state, PAGE_BYTES, STATE_BYTES) || gpu_init())
        return 1;
    void *device = gpu_alloc(STATE_BYTES);
    while (step_more()) {
        for (int i = 0; i < STEPS; i++) {
            step_run(10, STEP_MS);
            gpu_sync();
        }
        gpu_download(state, device, STATE_BYTES);
        if (save(fd, state))
            return 1;
    }
    return 0;
}
