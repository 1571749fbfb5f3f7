/* Spans and samples, see timeline_watch.h.
 * Threads: one. */
#include <string.h>

#include "timeline_watch.h"

#define LOOK_NS      2000000 /* stacks are looked at 500 times a second */
#define SEEN_WAIT_NS 1000000 /* a shorter silence is not looked into, unless the budget allows */
#define BUSY_PERCENT 50      /* from here on a thread counts as busy */
#define PERMILLE(of) ((of)*10)

void tl_watch_start(struct tl_watch *watch, const struct tl_side *side, struct wi_names *names)
{
    *watch = (struct tl_watch){.side = side, .names = names, .last_look_ns = INT64_MIN / 2};
}

static int wait_span(const struct tl_side *side, enum tl_how how)
{
    static const int kinds[TL_HOW_COUNT] = {
        [TL_FUTEX] = WI_SPAN_WAIT_FUTEX,
        [TL_POLL] = WI_SPAN_WAIT_POLL,
        [TL_EPOLL] = WI_SPAN_WAIT_POLL,
        [TL_READ] = WI_SPAN_WAIT_FILE,
        [TL_FSYNC] = WI_SPAN_WAIT_FSYNC,
        [TL_CONDVAR] = WI_SPAN_WAIT_FUTEX,
        [TL_CHILD] = WI_SPAN_WAIT_CHILD,
        [TL_GIL] = WI_SPAN_WAIT_LOCK,
        [TL_RUNQ] = -1,
        [TL_THROTTLED] = -1,
    };

    return how == TL_EPOLL && side->serves == 1 ? WI_SPAN_WAIT_REQUEST : kinds[how];
}

static int is_collector(const struct tl_side *side, const char *what)
{
    return side->collector == 1 && (strstr(what, "garbage") || !strncmp(what, "gc", 2));
}

static int cpu_span(struct tl_watch *watch, const struct tl_line *line, struct wi_host_span *span)
{
    if (!*line->what)
        return 0;
    span->kind = WI_SPAN_FRAME;
    if (!strcmp(line->what, "spin") || !strcmp(line->what, "busy-poll"))
        span->kind = WI_SPAN_BUSY_POLL;
    else if (is_collector(watch->side, line->what))
        span->kind = WI_SPAN_COLLECTING;
    else
        span->name = wi_names_str(watch->names, line->what);
    return 1;
}

int tl_watch_span(struct tl_watch *watch, const struct tl_line *line, int64_t a, int64_t b,
                  struct wi_host_span *span)
{
    *span = (struct wi_host_span){.start_ns = a, .end_ns = b};
    if (line->op == TL_WAIT) {
        int kind = wait_span(watch->side, line->how);

        span->kind = (uint8_t)kind;
        /* That a socket is waited for shows in its epoll set, however short the wait. */
        return kind >= 0 && (b - a > SEEN_WAIT_NS || kind == WI_SPAN_WAIT_REQUEST);
    }
    if (b - a <= SEEN_WAIT_NS && a - watch->last_look_ns < LOOK_NS)
        return 0;
    watch->last_look_ns = a;
    return cpu_span(watch, line, span);
}

/* Workers end when the pause begins and are started one after the other. */
static void respawn(struct tl_watch *watch, int64_t a, int64_t b, int64_t from, int64_t to)
{
    int64_t due = watch->side->workers * (to - a) / (b - a);

    if (from == a) {
        watch->exits += watch->side->workers;
        watch->started = 0;
    }
    watch->starts += due - watch->started;
    watch->started = due;
}

/* Variants of a case change the pause, not what is said of it. */
static int is_respawn(const struct tl_side *side, int64_t ns)
{
    return side->respawn_gap_s > 0 && side->workers > 0 && ns > side->respawn_gap_s * 500000000;
}

void tl_watch_silence(struct tl_watch *watch, const struct tl_line *line, int64_t a, int64_t b,
                      int64_t from, int64_t to)
{
    const struct tl_side *side = watch->side;
    int64_t run, runnable;

    if (to <= from)
        return;
    watch->silent_ns += to - from;
    tl_watch_schedule(watch, line, to - from, &run, &runnable);
    watch->runnable_ns += runnable;
    if (line->op == TL_WAIT && line->how == TL_THROTTLED)
        watch->throttled_ns += to - from;
    if (line->op == TL_WAIT && line->how == TL_CHILD && is_respawn(side, b - a))
        respawn(watch, a, b, from, to);
}

void tl_watch_schedule(const struct tl_watch *watch, const struct tl_line *line, int64_t ns,
                       int64_t *run_ns, int64_t *runnable_ns)
{
    int64_t share = watch->side->launch_runnable_percent;

    *run_ns = *runnable_ns = 0;
    if (line->op == TL_WAIT) {
        /* A throttled thread stands in the run queue, too. */
        if (line->how == TL_RUNQ || line->how == TL_THROTTLED)
            *runnable_ns = ns;
        return;
    }
    *runnable_ns = share > 0 ? ns * share / 100 : 0;
    *run_ns = ns - *runnable_ns;
}

static void see_workers(struct tl_watch *watch, struct wi_host_sample *sample)
{
    const struct tl_side *side = watch->side;

    if (side->workers >= 0)
        sample->children = side->workers;
    if (side->worker_cpu_percent >= 0)
        sample->child_cpu_permille = PERMILLE(side->worker_cpu_percent);
    if (side->worker_disk_wait == 0)
        sample->child_disk_permille = 0;
    else if (side->worker_disk_wait > 0 && side->worker_cpu_percent >= 0)
        sample->child_disk_permille = 1000 - PERMILLE(side->worker_cpu_percent);
    sample->child_starts = watch->starts;
    sample->child_exits = watch->exits;
}

static void see_threads(const struct tl_watch *watch, struct wi_host_sample *sample)
{
    const struct tl_side *side = watch->side;
    int64_t cpu = side->thread_cpu_percent;

    if (cpu < 0)
        return;
    if (side->threads_in_gap == 1 && watch->silent_ns * 2 < sample->interval_ns)
        cpu = 0;
    sample->busiest_permille = PERMILLE(cpu);
    sample->threads_busy = cpu < BUSY_PERCENT ? 0 : side->threads < 0 ? 1 : side->threads;
    if (*side->thread_name)
        sample->busiest_name = wi_names_str(watch->names, side->thread_name);
}

/* Where the launching thread has to share its core, the number of threads that do follows from its
 * share; where it has not, nobody waits and the busy cores tell. */
static int64_t runnable_threads(const struct tl_side *side)
{
    if (side->cores < 0)
        return WI_UNKNOWN;
    if (side->launch_runnable_percent > 0 && side->launch_run_percent > 0)
        return side->cores * 100 / side->launch_run_percent;
    if (side->user_percent >= 0 && side->system_percent >= 0)
        return side->cores * (side->user_percent + side->system_percent) / 100;
    return side->cores_idle >= 0 ? side->cores - side->cores_idle : WI_UNKNOWN;
}

static void see_machine(const struct tl_side *side, struct wi_host_sample *sample)
{
    if (side->cores < 0)
        return;
    sample->cores_allowed = sample->cores_machine = side->cores;
    sample->runnable = runnable_threads(side);
    if (side->cores_idle >= 0)
        sample->cores_idle_permille = side->cores_idle * 1000;
    else if (side->user_percent >= 0 && side->system_percent >= 0)
        sample->cores_idle_permille =
            side->cores * PERMILLE(100 - side->user_percent - side->system_percent);
}

static void see_launching_thread(const struct tl_watch *watch, struct wi_host_sample *sample)
{
    const struct tl_side *side = watch->side;

    if (side->launch_run_percent >= 0 && side->launch_partly != 1)
        sample->issuer_run_permille = PERMILLE(side->launch_run_percent);
    if (side->launch_runnable_percent >= 0)
        sample->issuer_runnable_permille = PERMILLE(side->launch_runnable_percent);
    else if (sample->interval_ns > 0)
        sample->issuer_runnable_permille = watch->runnable_ns * 1000 / sample->interval_ns;
}

void tl_watch_sample(struct tl_watch *watch, int64_t at_ns, int64_t interval_ns,
                     struct wi_host_sample *sample)
{
    wi_host_sample_clear(sample);
    sample->at_ns = at_ns;
    sample->interval_ns = interval_ns;
    sample->throttled_ns = watch->throttled_ns;
    see_workers(watch, sample);
    see_threads(watch, sample);
    see_machine(watch->side, sample);
    see_launching_thread(watch, sample);
    watch->silent_ns = watch->runnable_ns = watch->throttled_ns = 0;
    watch->starts = watch->exits = 0;
}
