/* What a thread did in a silence between two CUDA calls, or in a call that took long, by the
 * scheduler's own figures.
 * Threads: the thread itself (part of the hot path: rule 4 of hot.h), at most once per silence or
 * call of more than 1 ms. May not: allocate, lock, change errno.
 *
 * Two reads and not one: schedstat alone is only brought up to date by the timer tick (up to 4 ms
 * late, as long as the silences themselves); asking for the thread's CPU clock updates it. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "collect/hot.h"

/* The second number of schedstat, time runnable without a core; WI_UNKNOWN if it is not to be had
 * (the job may have closed our descriptor and opened another under the same number). */
static int64_t thread_wait_ns(struct wi_thread *t)
{
    char text[96];
    int64_t value = 0;
    ssize_t len = t->schedstat_fd >= 0 ? pread(t->schedstat_fd, text, sizeof(text) - 1, 0) : 0;
    ssize_t at = 0, digits = 0;
    for (; at < len && text[at] >= '0' && text[at] <= '9'; at++)
        digits++;
    if (!digits || at >= len || text[at] != ' ') {
        t->schedstat_fd = -1;
        return WI_UNKNOWN;
    }
    for (digits = 0, at++; at < len && text[at] >= '0' && text[at] <= '9' && digits < 18; at++) {
        value = value * 10 + (text[at] - '0');
        digits++;
    }
    return digits ? value : WI_UNKNOWN;
}

static int64_t clamp(int64_t value, int64_t high)
{
    return value < 0 ? 0 : value > high ? high : value;
}

/* Time without a core since the base, as far as it can have passed by `now`; WI_UNKNOWN if it is
 * not to be had. A thread often loses its core in the system calls of this file, after `now` was
 * read: what is beyond is left for what comes next. */
static int64_t waited_by(const struct wi_thread *t, int64_t now, int64_t cpu, int64_t wait)
{
    if (!t->base_wall_ns || wait == WI_UNKNOWN || t->base_wait_ns == WI_UNKNOWN)
        return WI_UNKNOWN;
    int64_t room = now - t->base_wall_ns - (cpu - t->base_cpu_ns);
    return clamp(wait - t->base_wait_ns, room > 0 ? room : 0);
}

static void set_base(struct wi_thread *t, int64_t now, int64_t cpu, int64_t wait)
{
    int64_t waited = waited_by(t, now, cpu, wait);
    t->base_wait_ns = waited == WI_UNKNOWN ? wait : t->base_wait_ns + waited;
    t->base_wall_ns = now;
    t->base_cpu_ns = cpu;
    t->blocked_ns = 0;
}

/* The base may lie before the silence: the calls in between ran without sleeping, except inside
 * blocking calls. So sleep and waiting for a core belong to the silence as far as they fit, unless
 * the blocking calls could account for much of them: then nothing is said. */
void wi_silence_end(struct wi_thread *t, int64_t now)
{
    int saved = errno;
    int64_t silence = now - atomic_load_explicit(&t->last_exit_ns, memory_order_relaxed);
    int64_t cpu = wi_clock_ns(CLOCK_THREAD_CPUTIME_ID), wait = thread_wait_ns(t);
    t->run_ns = t->runnable_ns = WI_UNKNOWN;
    if (t->base_wall_ns && t->blocked_ns <= silence / 4) {
        int64_t total = now - t->base_wall_ns, run = cpu - t->base_cpu_ns;
        int64_t waited = waited_by(t, now, cpu, wait);
        int64_t runnable = waited == WI_UNKNOWN ? 0 : clamp(waited, silence);
        int64_t asleep = clamp(total - run - runnable, silence - runnable);
        t->run_ns = silence - runnable - asleep;
        t->runnable_ns = waited == WI_UNKNOWN ? WI_UNKNOWN : runnable;
    }
    set_base(t, now, cpu, wait);
    wi_helper_wake(); /* a burst begins after a silence; at the quiet pace it could fill the ring */
    errno = saved;
}

/* Likewise for the call itself: what the thread waited for a core since the base belongs to it as
 * far as it fits. */
int64_t wi_blocked_end(struct wi_thread *t, int64_t enter, int64_t now)
{
    int saved = errno;
    int64_t cpu = wi_clock_ns(CLOCK_THREAD_CPUTIME_ID), wait = thread_wait_ns(t);
    int64_t held = waited_by(t, now, cpu, wait);
    if (held != WI_UNKNOWN)
        held = t->blocked_ns <= (now - enter) / 4 ? clamp(held, now - enter) : WI_UNKNOWN;
    set_base(t, now, cpu, wait);
    errno = saved;
    return held;
}
