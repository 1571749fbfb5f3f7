/* This process's own figures: threads that make no CUDA calls, the one that makes most, page
 * faults, bytes from storage. See watch_parts.h.
 * Threads: the helper. May not: allocate; use privileges. */
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/out.h"
#include "collect/feed.h"
#include "collect/procfs.h"
#include "collect/thread.h"
#include "collect/watch_parts.h"
#include "collect/watch_waits.h"

#define MAX_OTHERS 128 /* each costs 20 us a second */
#define HALF_BUSY  500 /* permille of a core */

/* busy_ns: on a core or ready for one. A thread that works all the time it is let is busy, however
 * many others want the cores; the lack of cores shows elsewhere. */
struct other {
    int64_t tid, busy_ns, permille;
};

struct others {
    struct other list[MAX_OTHERS];
    int count, unmeasured; /* the latter: no schedstat, or no base yet */
    int64_t own_tid, interval_ns;
};

static struct {
    struct others last, now;
    int sampled;
    int64_t issuer_tid, issuer_run_ns, issuer_wait_ns;
} state;
/* apart: what has a value from the start lies in pages that every process writes (load.c) */
static int64_t last_major_faults = WI_UNKNOWN, last_read_bytes = WI_UNKNOWN;

/* Time on a core and time ready without one, since the thread began. */
static int read_schedule(const char *tid, int64_t *run_ns, int64_t *wait_ns)
{
    char text[96];
    const char *at = text;
    if (wi_read_at(text, sizeof(text), "/proc/self/task/%s/schedstat", tid) <= 0)
        return 0;
    *run_ns = wi_take_number(&at);
    *wait_ns = wi_take_number(&at);
    return *run_ns != WI_UNKNOWN && *wait_ns != WI_UNKNOWN;
}

static int calls_cuda(int64_t tid)
{
    int count = wi_thread_count();
    for (int i = 0; i < count; i++) {
        const struct wi_thread *t = wi_thread_at(i);
        if (t->tid == tid && atomic_load(&t->state) == WI_THREAD_USED)
            return 1;
    }
    return 0;
}

static void add_other(void *user, const char *name)
{
    struct others *now = user;
    int64_t run_ns, wait_ns;
    const char *at = name;
    int64_t tid = wi_take_number(&at);
    if (now->count >= MAX_OTHERS || tid == now->own_tid || calls_cuda(tid))
        return;
    if (!read_schedule(name, &run_ns, &wait_ns)) {
        now->unmeasured++;
        return;
    }
    struct other *other = &now->list[now->count++];
    *other = (struct other){tid, run_ns + wait_ns, WI_UNKNOWN};
    for (int i = 0; i < state.last.count && other->permille == WI_UNKNOWN; i++)
        if (state.last.list[i].tid == tid && other->busy_ns >= state.last.list[i].busy_ns)
            other->permille =
                (other->busy_ns - state.last.list[i].busy_ns) * 1000 / now->interval_ns;
    now->unmeasured += other->permille == WI_UNKNOWN;
}

static uint32_t name_of(int64_t tid)
{
    char text[64], clean[128];
    struct wi_out out;
    long len = wi_read_at(text, sizeof(text), "/proc/self/task/%lld/comm", (long long)tid);
    if (len <= 1)
        return WI_NO_NAME;
    text[len - 1] = 0; /* the newline */
    wi_out_mem(&out, clean, sizeof(clean));
    wi_out_clean(&out, text);
    return wi_out_finish(&out) == 0 ? wi_names_str(wi_feed_names(), clean) : WI_NO_NAME;
}

/* Where a thread could not be measured, what the others do is no answer unless one of them is
 * busy. */
static void watch_others(struct wi_host_sample *sample, int64_t interval_ns)
{
    struct others *now = &state.now;
    const struct other *busiest = NULL;
    int64_t busy = 0;
    now->count = now->unmeasured = 0;
    now->own_tid = syscall(SYS_gettid);
    now->interval_ns = interval_ns > 0 ? interval_ns : 1;
    if (wi_each_number("/proc/self/task", now, add_other) != 0)
        return;
    for (int i = 0; i < now->count; i++) {
        const struct other *other = &now->list[i];
        busy += other->permille >= HALF_BUSY;
        if (other->permille != WI_UNKNOWN && (!busiest || other->permille > busiest->permille))
            busiest = other;
    }
    if (state.sampled && (busy || !now->unmeasured)) {
        sample->threads_busy = busy;
        sample->busiest_permille = busiest ? busiest->permille : 0;
        if (busiest && busiest->permille >= HALF_BUSY)
            sample->busiest_name = name_of(busiest->tid);
    }
    state.sampled = 1;
    state.last = *now;
}

/* The thread that issued most in the interval; unknown when another one did before. */
static void watch_issuer(struct wi_host_sample *sample, int64_t interval_ns)
{
    char name[16];
    struct wi_out out;
    int64_t run_ns, wait_ns, tid = wi_watch_issuer();
    wi_out_mem(&out, name, sizeof(name));
    wi_out_i64(&out, tid);
    if (tid == WI_UNKNOWN || wi_out_finish(&out) != 0 || !read_schedule(name, &run_ns, &wait_ns)) {
        state.issuer_tid = 0;
        return;
    }
    if (tid == state.issuer_tid && interval_ns > 0) {
        sample->issuer_run_permille = (run_ns - state.issuer_run_ns) * 1000 / interval_ns;
        sample->issuer_runnable_permille = (wait_ns - state.issuer_wait_ns) * 1000 / interval_ns;
    }
    state.issuer_tid = tid;
    state.issuer_run_ns = run_ns;
    state.issuer_wait_ns = wait_ns;
}

/* Of the process and its children; a child that was waited for is in the process's own figure, so
 * that the sum goes on. One that cannot be read makes the sum unknown. */
static int64_t read_from_storage(void)
{
    char text[512];
    if (wi_read_file("/proc/self/io", text, sizeof(text)) <= 0)
        return WI_UNKNOWN;
    int64_t sum = wi_number_of(text, "read_bytes:"), pid;
    for (int i = 0; sum != WI_UNKNOWN && (pid = wi_watch_child(i)) != WI_UNKNOWN; i++) {
        long len = wi_read_at(text, sizeof(text), "/proc/%lld/io", (long long)pid);
        int64_t bytes = len > 0 ? wi_number_of(text, "read_bytes:") : WI_UNKNOWN;
        sum = bytes == WI_UNKNOWN ? bytes : sum + bytes;
    }
    return sum;
}

static int64_t growth(int64_t value, int64_t *before)
{
    int64_t was = *before;
    *before = value;
    return value == WI_UNKNOWN || was == WI_UNKNOWN || value < was ? WI_UNKNOWN : value - was;
}

void wi_watch_threads(struct wi_host_sample *sample, int64_t interval_ns)
{
    char text[1024];
    struct wi_proc_stat stat = {.major_faults = WI_UNKNOWN};
    watch_others(sample, interval_ns);
    watch_issuer(sample, interval_ns);
    if (wi_read_file("/proc/self/stat", text, sizeof(text)) > 0)
        wi_parse_stat(text, &stat);
    sample->major_faults = growth(stat.major_faults, &last_major_faults);
    sample->read_bytes = growth(read_from_storage(), &last_read_bytes);
}
