/* Every few steps the state is copied from the device and written to a file; the job stands still
 * until it is on disk.
 * Expected: host/checkpoint.
 * Threads: one. */
#include <stdlib.h>
#include <unistd.h>

#include "gpu.h"
#include "scratch.h"
#include "step.h"

#define STATE_BYTES (48 << 20)
#define STEPS       10

int main(void)
{
    int fd = scratch_open(0);
    char *state = malloc(STATE_BYTES);

    if (fd < 0 || !state || gpu_init())
        return 1;
    void *device = gpu_alloc(STATE_BYTES);
    while (step_more()) {
        for (int i = 0; i < STEPS; i++) {
            step_run(10, STEP_MS);
            gpu_sync();
        }
        gpu_download(state, device, STATE_BYTES);
        if (pwrite(fd, state, STATE_BYTES, 0) != STATE_BYTES || fsync(fd))
            return 1;
    }
    return 0;
}
