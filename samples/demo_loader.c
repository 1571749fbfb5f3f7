/* A training loop whose two loader processes are too few: the launching thread sleeps on a pipe
 * until one of them has made the next batch, copies it to the GPU, and runs its step.
 * Expected: data-loading/too-few-workers.
 * Threads: one; the workers are child processes that burn CPU for each batch. */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "gpu.h"
#include "pace.h"

#define WORKERS     2
#define STEPS       24
#define BATCH_BYTES (19u << 20)
#define BATCH_NS    200000000 /* of CPU that one worker needs for a batch */
#define KERNELS     60
#define KERNEL_NS   400000
#define BLOCK       256

/* What a worker does: decode for a while, then say that the batch is there. */
static void work(int ready, pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(0);
    setpriority(PRIO_PROCESS, 0, 3);
    for (;;) {
        pace_burn_until(pace_now() + BATCH_NS);
        if (write(ready, "b", 1) != 1)
            _exit(0);
    }
}

static void wait_for_batch(int ready)
{
    struct pollfd readable = {.fd = ready, .events = POLLIN};
    char byte;

    poll(&readable, 1, -1);
    if (read(ready, &byte, 1) != 1) {
        fprintf(stderr, "the workers are gone\n");
        exit(1);
    }
}

static void step(void *device, const void *batch, float *loss)
{
    gpu_upload(device, batch, BATCH_BYTES);
    for (int i = 0; i < KERNELS; i++)
        gpu_spin(GPU_SPIN, KERNEL_NS, gpu_full_grid(), BLOCK, NULL);
    gpu_download(loss, device, sizeof(*loss));
}

int main(void)
{
    pid_t parent = getpid(), worker[WORKERS];
    float loss = 0;
    int ready[2];

    if (pipe(ready))
        return 1;
    for (int i = 0; i < WORKERS; i++) {
        worker[i] = fork();
        if (!worker[i])
            work(ready[1], parent);
    }
    if (gpu_init())
        return 1;
    void *device = gpu_alloc(BATCH_BYTES);
    char *batch = malloc(BATCH_BYTES);
    memset(batch, 1, BATCH_BYTES);
    for (int i = 0; i < STEPS; i++) {
        wait_for_batch(ready[0]);
        step(device, batch, &loss);
    }
    for (int i = 0; i < WORKERS; i++)
        pace_end_child(worker[i]);
    printf("demo_loader: %d steps with %d workers\n", STEPS, WORKERS);
    return 0;
}
