/* Another job takes the cores, and this one is the less important: its launching thread is ready
 * to run and does not get to.
 * Expected: host/cpu-contention.
 * Threads: one; a process for every core, none of them a child of this one. */
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gpu.h"
#include "step.h"

#define LESS_IMPORTANT 10
#define MOST           64

/* Ends when this process does: then the pipe has no writer. */
static void burn_until_closed(int fd)
{
    char byte;

    fcntl(fd, F_SETFL, O_NONBLOCK);
    while (read(fd, &byte, 1) != 0)
        step_burn(STEP_MS);
    _exit(0);
}

static int start_other_job(int processes)
{
    int alive[2];

    if (pipe(alive))
        return -1;
    pid_t child = fork();
    if (child) {
        close(alive[0]);
        return child < 0 || waitpid(child, NULL, 0) < 0 ? -1 : 0;
    }
    close(alive[1]);
    for (int i = 0; i < processes; i++)
        if (fork() == 0)
            burn_until_closed(alive[0]);
    _exit(0);
}

int main(void)
{
    int cores = (int)sysconf(_SC_NPROCESSORS_ONLN);

    if (start_other_job(cores < MOST ? cores : MOST) || gpu_init())
        return 1;
    setpriority(PRIO_PROCESS, 0, LESS_IMPORTANT);
    while (step_more()) {
        step_run(5, STEP_MS);
        gpu_sync();
        step_burn(3 * STEP_MS);
    }
    return 0;
}
