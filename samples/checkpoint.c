/* Every few steps the state is copied from the device and written to a file, tensor by tensor; the
 * job stands still until it is on disk.
 * Expected: host/checkpoint.
 * Threads: one. */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "gpu.h"
#include "scratch.h"
#include "step.h"

#define TENSORS      256
#define TENSOR_BYTES (512 << 10)
#define PAGE_BYTES   4096
#define STEPS        8

static int save(int fd, const char *state)
{
    for (off_t at = 0; at < (off_t)TENSORS * TENSOR_BYTES; at += TENSOR_BYTES)
        if (pwrite(fd, state + at, TENSOR_BYTES, at) != TENSOR_BYTES)
            return -1;
    return fsync(fd);
}

int main(void)
{
    int fd = scratch_open(O_DIRECT | O_DSYNC);
    void *state;

    if (fd < 0 || posix_memalign(&state, PAGE_BYTES, TENSORS * TENSOR_BYTES) || gpu_init())
        return 1;
    void *device = gpu_alloc(TENSORS * TENSOR_BYTES);
    while (step_more()) {
        for (int i = 0; i < STEPS; i++) {
            step_run(10, STEP_MS);
            gpu_sync();
        }
        gpu_download(state, device, TENSORS * TENSOR_BYTES);
        if (save(fd, state))
            return 1;
    }
    return 0;
}
