/* Two ranks; rank 0 has twice the work, and rank 1 waits for it inside the collective. There is one
 * device and no NCCL here: rank 1's collective is a kernel that takes as long as NCCL's would.
 * Expected, with whyidle merge: communication/comm-wait, and rank 0 as the straggler.
 * Threads: one in each of two processes. */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gpu.h"
#include "step.h"

#define STEPS   40
#define BLOCK   256
#define MOVE_NS STEP_MS /* what moving the data takes */
#define MOST_NS (20 * STEP_MS)

static int run_rank(int rank)
{
    int64_t work_ns = rank == 0 ? MOST_NS : MOST_NS / 2;

    if (gpu_init())
        return 1;
    for (int step = 0; step < STEPS; step++) {
        step_run(10, work_ns / 10);
        gpu_spin(GPU_SPIN_COLLECTIVE, MOST_NS - work_ns + MOVE_NS, 1, BLOCK, NULL);
        gpu_sync();
    }
    return 0;
}

int main(int argc, char **argv)
{
    const char *rank = getenv("RANK");
    int status = 0, failed = 0;

    (void)argc;
    if (rank)
        return run_rank(atoi(rank));
    setenv("WORLD_SIZE", "2", 1);
    for (int i = 0; i < 2; i++) {
        setenv("RANK", i ? "1" : "0", 1);
        if (fork() == 0) {
            execv("/proc/self/exe", argv);
            _exit(1);
        }
    }
    while (wait(&status) > 0)
        failed |= status != 0;
    return failed;
}
