/* Loader processes, see crew.h.
 * Threads: the launching thread; the workers are processes. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "crew.h"
#include "pace.h"

#define MOST 64

static struct {
    int ready[2];
    pid_t worker[MOST];
    int workers;
} crew;

int crew_start(int workers, void (*work)(void))
{
    pid_t parent = getpid();

    if (workers > MOST || pipe(crew.ready))
        return -1;
    crew.workers = workers;
    for (int i = 0; i < workers; i++) {
        crew.worker[i] = fork();
        if (crew.worker[i] < 0)
            return -1;
        if (crew.worker[i])
            continue;
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        close(crew.ready[0]);
        if (getppid() == parent)
            work();
        _exit(0);
    }
    close(crew.ready[1]);
    return 0;
}

void crew_send(void)
{
    if (write(crew.ready[1], "b", 1) != 1)
        _exit(0);
}

void crew_wait(void)
{
    char byte;

    if (read(crew.ready[0], &byte, 1) == 1)
        return;
    fprintf(stderr, "the workers are gone\n");
    exit(1);
}

void crew_end(void)
{
    for (int i = 0; i < crew.workers; i++)
        pace_end_child(crew.worker[i]);
    close(crew.ready[0]);
}
