/* Holds back the signals of failed writes, see quiet_write.h.
 * Threads: as there. May not: allocate. */
#include "base/quiet_write.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

static const int SIGNALS[] = {SIGPIPE, SIGXFSZ};
#define SIGNAL_COUNT (sizeof(SIGNALS) / sizeof(SIGNALS[0]))

void wi_quiet_write_begin(struct wi_quiet_write *quiet)
{
    int saved = errno;
    sigset_t held;
    sigemptyset(&held);
    for (size_t i = 0; i < SIGNAL_COUNT; i++)
        sigaddset(&held, SIGNALS[i]);
    quiet->on =
        sigpending(&quiet->pending) == 0 && sigprocmask(SIG_BLOCK, &held, &quiet->mask) == 0;
    errno = saved;
}

/* Takes back the signal of a write that failed: the kernel names the writer as its sender. One from
 * elsewhere is sent on. */
static void take_own(int signal)
{
    const struct timespec no_wait = {0, 0};
    siginfo_t info;
    sigset_t one;
    int got;
    sigemptyset(&one);
    sigaddset(&one, signal);
    do
        got = sigtimedwait(&one, &info, &no_wait);
    while (got < 0 && errno == EINTR);
    if (got == signal && info.si_pid != getpid())
        kill(getpid(), signal);
}

/* One that the job had blocked and pending stays so. */
void wi_quiet_write_end(struct wi_quiet_write *quiet)
{
    int saved = errno;
    if (!quiet->on)
        return;
    for (size_t i = 0; i < SIGNAL_COUNT; i++)
        if (!sigismember(&quiet->pending, SIGNALS[i]))
            take_own(SIGNALS[i]);
    sigprocmask(SIG_SETMASK, &quiet->mask, NULL);
    errno = saved;
}
