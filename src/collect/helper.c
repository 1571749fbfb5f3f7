/* The helper: the only thread this library adds to a job. When what is done: draining (drain.h),
 * looks at the machine, rolling reports; how it begins and ends.
 * Threads: the helper itself; wi_helper_start/stop see collect.h.
 * May not: call CUPTI with anything locked (nothing here is); receive a signal of the job. */
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/glibc.h"
#include "base/log.h"
#include "collect/arbiter.h"
#include "collect/blind.h"
#include "collect/collect.h"
#include "collect/demangler.h"
#include "collect/drain.h"
#include "collect/feed.h"
#include "collect/jobinfo.h"
#include "collect/last_thread.h"
#include "collect/outfile.h"
#include "collect/publish.h"
#include "collect/sampling.h"
#include "collect/sites.h"
#include "collect/stack_watch.h"
#include "collect/thread.h"
#include "collect/tool_clock.h"
#include "collect/watch.h"
#include "collect/watch_waits.h"

#define MS              INT64_C(1000000)
#define FLUSH_NS        (1000 * MS)
#define WATCH_NS        (1000 * MS)
#define EARLY_WATCH_NS  (250 * MS) /* short jobs want more than one look, and... */
#define WATCH_AGE       8 /* ...what comes after the last one is lost: an eighth of a run */
#define REPORT_NS       (1000 * MS) /* rolling reports are at least so far apart... */
#define REPORT_AGE      8           /* ...and as far as an eighth of the run so far... */
#define REPORT_COST     250         /* ...and as many times as far as the last one took */
#define BUFFERS_AT_ONCE 4           /* 5 000 records, 2 ms: rings are not left alone for longer */
#define PATIENCE_NS     (20 * MS)   /* a wake-up that got lost costs the end of the job no more */
#define STACK_BYTES     ((size_t)512 << 10)

enum helper_state { RUNNING, FLUSHING, PARKED, GIVEN_UP };
enum helper_request { GO_ON, FLUSH_AND_PARK, PARK };

static struct {
    _Atomic int now;     /* enum helper_state, written by the helper, GIVEN_UP by the stopper */
    _Atomic int request; /* enum helper_request */
    _Atomic int quiet;   /* sleeps for long: the next call after a silence wakes it */
    _Atomic int64_t cpu_ns;
} state;

static void futex_wait(_Atomic int *word, int value, int64_t ns)
{
    struct timespec ts = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, &ts, NULL, 0);
}

static void futex_wake(_Atomic int *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

void wi_helper_wake(void)
{
    if (atomic_load_explicit(&state.quiet, memory_order_relaxed) &&
        atomic_exchange(&state.quiet, 0))
        futex_wake(&state.request);
}

static int64_t note_cpu(void)
{
    int64_t ns = wi_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    atomic_store(&state.cpu_ns, ns);
    return ns;
}

/* FlushAll before any buffer was asked for deadlocks some versions. Another tool's buffers are not
 * ours to flush, nor its dropped records to count. */
static void flush(uint32_t how)
{
    size_t dropped = 0;
    if (!wi_process.activity || !wi_buffers_ever_requested() || wi_blind_is() || !wi_arbiter_take())
        return;
    wi_process.cupti.flush_all(how);
    if (wi_process.cupti.dropped && wi_process.cupti.dropped(NULL, 0, &dropped) == WI_CUPTI_SUCCESS)
        wi_drain_dropped(dropped); /* the call resets the count */
    wi_arbiter_give();
}

/* Never returns: the data now belongs to the thread that ends the process. */
static void park(int request)
{
    int flushing = FLUSHING;
    note_cpu();
    if (request == FLUSH_AND_PARK) {
        atomic_store(&state.now, FLUSHING);
        flush(WI_CUPTI_FLUSH_FORCED);
        note_cpu();
        atomic_compare_exchange_strong(&state.now, &flushing, PARKED);
    } else {
        atomic_store(&state.now, PARKED);
    }
    futex_wake(&state.now);
    for (;;)
        pause();
}

struct schedule {
    int64_t begin_ns, flush_ns, watch_ns, sample_ns, report_ns;
    int samples;
    int announced; /* the folder of the job is there */
};

static int64_t watch_step(int64_t age_ns)
{
    int64_t step = age_ns / WATCH_AGE;
    return step < EARLY_WATCH_NS ? EARLY_WATCH_NS : step < WATCH_NS ? step : WATCH_NS;
}

/* A rolling report with all that can be had by now; returns how long until the next one. */
static int64_t report_step(int64_t age_ns)
{
    int64_t longest = wi_process.settings.checkpoint_s * 1000 * MS, began = note_cpu();
    if (!wi_process.flush_at_end_only)
        flush(0);
    wi_drain(INT_MAX);
    wi_blind_tell(wi_now_ns(), 0);
    wi_publish_rolling();
    int64_t cost = (note_cpu() - began) * REPORT_COST, step = age_ns / REPORT_AGE;
    step = step > cost ? step : cost;
    step = step > REPORT_NS ? step : REPORT_NS;
    return step < longest ? step : longest;
}

/* A sample, or its time is left out where sampling gives way. */
static void watch(struct schedule *next, int64_t now)
{
    int64_t step = next->watch_ns - now;
    if (now < next->sample_ns)
        return;
    next->sample_ns = now + step * wi_sampling_apart() - step / 2;
    next->samples++;
    wi_watch_sample();
    if (next->samples == 2) /* asks the linker and the driver: not when the process ends */
        wi_job_base();
}

static void due(struct schedule *next, int64_t now)
{
    if (now >= next->flush_ns) {
        next->flush_ns = now + FLUSH_NS;
        if (!wi_process.flush_at_end_only)
            flush(0);
        wi_blind_pulse();
        wi_blind_tell(wi_now_ns(), 0);
        wi_arbiter_tick(wi_now_ns());
    }
    wi_tool_clock_sample();
    wi_watch_tick(now);
    if (now >= next->watch_ns) {
        next->watch_ns = now + watch_step(now - next->begin_ns);
        watch(next, now);
        wi_sites_open(wi_process.settings.stacks); /* an interpreter may have come meanwhile */
        wi_demangler_look();
        note_cpu();
    }
    if (now >= next->report_ns)
        next->report_ns = now + report_step(now - next->begin_ns);
}

/* Everything of the job has ended but this thread: with its return the C library ends the process,
 * as it would have without us, and our exit handler finds the helper stopped. No call can be under
 * way beside this flush. */
static void *leave_last(void)
{
    flush(WI_CUPTI_FLUSH_FORCED);
    note_cpu();
    atomic_store(&state.now, PARKED);
    return NULL;
}

static void *run(void *unused)
{
    int64_t now = wi_clock_ns(CLOCK_MONOTONIC);
    struct schedule next = {
        .begin_ns = now, .flush_ns = now + FLUSH_NS, .watch_ns = now, .report_ns = now + REPORT_NS};
    (void)unused;
    prctl(PR_SET_NAME, "whyidle", 0, 0, 0);
    wi_self = &wi_thread_dead; /* whatever a library does on this thread is no call of the job */
    wi_sites_open(wi_process.settings.stacks);
    wi_demangler_look();
    if (wi_process.level == 'C')
        wi_feed_ask_devices();
    for (;;) {
        int request = atomic_load(&state.request);
        if (request != GO_ON)
            park(request);
        int crowded = wi_drain(BUFFERS_AT_ONCE);
        if (wi_drain_found() && !next.announced) {
            next.announced = 1;
            wi_outfile_announce();
        }
        int64_t watch_ns = next.watch_ns, rest_ns = crowded ? WI_CROWDED_NS : wi_drain_rest();
        due(&next, wi_clock_ns(CLOCK_MONOTONIC));
        if (next.watch_ns != watch_ns && wi_last_thread())
            return leave_last();
        if (wi_drain_rest() < rest_ns) /* a report drains as well */
            rest_ns = wi_drain_rest();
        int64_t look_ns = wi_stack_watch(wi_now_ns());
        rest_ns = look_ns < rest_ns ? look_ns : rest_ns;
        look_ns = wi_watch_waits(wi_now_ns());
        rest_ns = look_ns < rest_ns ? look_ns : rest_ns;
        wi_sampling_hold(wi_clock_ns(CLOCK_MONOTONIC));
        atomic_store(&state.quiet, rest_ns > WI_EASY_NS);
        futex_wait(&state.request, GO_ON, rest_ns);
    }
    return NULL;
}

int wi_helper_start(void)
{
    pthread_attr_t attr;
    pthread_t thread;
    sigset_t all, before;
    if (pthread_attr_init(&attr) != 0)
        return WI_ERR_NOMEM;
    pthread_attr_setstacksize(&attr, STACK_BYTES);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before); /* the job's signals are the job's */
    int failed = pthread_create(&thread, &attr, run, NULL);
    sigprocmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attr);
    return failed ? WI_ERR_NOMEM : 0;
}

int wi_helper_stop(int want_flush, int64_t timeout_ms)
{
    int64_t end = wi_clock_ns(CLOCK_MONOTONIC) + timeout_ms * MS;
    int now, flushing = FLUSHING;
    atomic_store(&state.request, want_flush ? FLUSH_AND_PARK : PARK);
    futex_wake(&state.request);
    while ((now = atomic_load(&state.now)) != PARKED) {
        int64_t left = end - wi_clock_ns(CLOCK_MONOTONIC);
        if (left <= 0)
            break;
        futex_wait(&state.now, now, left < PATIENCE_NS ? left : PATIENCE_NS);
    }
    if (atomic_load(&state.now) == PARKED)
        return 0;
    return atomic_compare_exchange_strong(&state.now, &flushing, GIVEN_UP) ? WI_ERR_TIMEOUT
           : flushing == PARKED                                            ? 0
                                                                           : WI_ERR_BUSY;
}

int64_t wi_helper_cpu_ns(void)
{
    return atomic_load(&state.cpu_ns);
}
