/* Every step writes its line and waits until it is on disk.
 * Expected: host/logging.
 * Threads: one. */
#include <string.h>
#include <unistd.h>

#include "gpu.h"
#include "scratch.h"
#include "step.h"

int main(void)
{
    int fd = scratch_open(0);
    char line[512];

    memset(line, '.', sizeof(line));
    if (fd < 0 || gpu_init())
        return 1;
    while (step_more()) {
        step_run(4, STEP_MS / 2);
        gpu_sync();
        for (int i = 0; i < 3; i++) /* a log, a metric, a summary */
            if (write(fd, line, sizeof(line)) != sizeof(line) || fsync(fd))
                return 1;
    }
    return 0;
}
