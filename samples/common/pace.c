/* Clocks, sleeping and burning, without CUDA.
 * Threads: any. */
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "pace.h"

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

void pace_end_child(pid_t child)
{
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}
