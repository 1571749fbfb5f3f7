/* Clocks, sleeping and burning, without CUDA.
 * Threads: any. */
#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "pace.h"

#define SLICE_NS 10000000 /* of a burner's duty cycle */

int64_t pace_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

void pace_burn_until(int64_t until_ns)
{
    while (pace_now() < until_ns)
        ;
}

void pace_sleep_until(int64_t until_ns)
{
    struct timespec until = {until_ns / 1000000000, until_ns % 1000000000};

    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
        ;
}

pid_t pace_burner(int percent)
{
    pid_t parent = getpid(), child = fork();

    if (child)
        return child;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(0);
    setpriority(PRIO_PROCESS, 0, 10);
    for (int64_t start = pace_now();; start += SLICE_NS) {
        pace_burn_until(start + SLICE_NS / 100 * percent);
        pace_sleep_until(start + SLICE_NS);
    }
}

void pace_end_child(pid_t child)
{
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}
