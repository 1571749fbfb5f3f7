/* Four ranks as processes that keep step with one another, as a job with NCCL does: there is one
 * device model each and no NCCL here, so a collective is a kernel that lasts until the moment at
 * which the last rank's would end, by a plan that all of them know.
 *   ranks_job work|clock|pause|turns|grid     rank 2 works more, has a slower clock, pauses; the
 *                                             ranks pause in turn; rows and columns, rank 3 is late
 * A rank that cannot keep to the plan says "plan not kept": the machine is too busy.
 * Threads: one a process. Runs on the virtual GPU alone. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "gpu.h"

#define RANKS    4
#define STEPS    60
#define MS       INT64_C(1000000)
#define WORK_NS  (10 * MS)
#define LATE_NS  (10 * MS)
#define EARLY_NS (200 * MS) /* before the first step: for starting CUDA */
#define MOVE_NS  (6 * MS)   /* what a collective takes at least; also room for a late start */

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Returns 1 if this rank is too late for the plan. */
static int collective(void *stream, int64_t end_ns)
{
    int64_t ns = end_ns - now_ns();
    gpu_spin(GPU_SPIN_COLLECTIVE, ns > MS ? ns : MS, 1, 256, stream);
    gpu_sync();
    return ns < MS;
}

static int run_rank(int rank, const char *what, int64_t start_ns)
{
    int grid = !strcmp(what, "grid"), late_rank = grid ? 3 : 2;
    int slow = !strcmp(what, "work") || !strcmp(what, "clock") || grid;
    while (now_ns() < start_ns - EARLY_NS) /* before CUDA, so that it is not part of the window */
        usleep(1000);
    if (gpu_init())
        return 1;
    int late = 0;
    void *rows = gpu_stream(), *columns = gpu_stream();
    while (now_ns() < start_ns)
        usleep(200);
    for (int step = 0; step < STEPS; step++) {
        int64_t row_ns = start_ns + WORK_NS + LATE_NS + MOVE_NS;
        int turn = !strcmp(what, "turns") ? step % RANKS == rank
                                          : !strcmp(what, "pause") && rank == late_rank;
        if (turn)
            usleep(LATE_NS / 1000);
        gpu_spin(GPU_SPIN, WORK_NS + (slow && rank == late_rank ? LATE_NS : 0), gpu_full_grid(),
                 256, rows);
        gpu_sync();
        start_ns = row_ns;
        late += collective(rows, grid && rank < 2 ? row_ns - LATE_NS : row_ns);
        if (grid) {
            start_ns += MOVE_NS + (rank % 2) * 2 * MS; /* the second column takes longer */
            late += collective(columns, start_ns);
            start_ns = row_ns + MOVE_NS + 2 * MS;
        }
    }
    if (late * 8 > STEPS)
        fprintf(stderr, "plan not kept\n");
    return 0;
}

int main(int argc, char **argv)
{
    const char *rank = getenv("RANK"), *start = getenv("RANKS_START_NS");
    char text[32];
    int failed = 0, status = 0;

    if (argc < 2)
        return 2;
    if (rank && start)
        return run_rank(atoi(rank), argv[1], strtoll(start, NULL, 10));
    snprintf(text, sizeof(text), "%lld", (long long)(now_ns() + 1000 * MS));
    setenv("RANKS_START_NS", text, 1);
    setenv("WORLD_SIZE", "4", 1);
    for (int i = 0; i < RANKS; i++) {
        snprintf(text, sizeof(text), "%d", i);
        setenv("RANK", text, 1);
        setenv("VGPU_CLOCK_MHZ", i == 2 && !strcmp(argv[1], "clock") ? "705" : "1410", 1);
        if (fork() == 0) {
            execv("/proc/self/exe", argv);
            _exit(1);
        }
    }
    while (wait(&status) > 0)
        failed |= status != 0;
    return failed;
}
