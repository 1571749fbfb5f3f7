/* The child processes of the job: how many, how busy, who came and went, see watch_parts.h.
 * Threads: the helper. May not: allocate; use privileges. */
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/out.h"
#include "collect/collect.h"
#include "collect/procfs.h"
#include "collect/stat_call.h"
#include "collect/watch_parts.h"

#define MAX_CHILDREN   256
#define MAX_PARENTS    4 /* threads whose children are looked for between samples: 15 us each */
#define LOOKS_PER_TICK 4 /* each costs 25 us */
#define SECOND_NS      INT64_C(1000000000)

struct child {
    int64_t pid, start_ticks, busy_ns;
    int64_t cpu_ns; /* the part of busy_ns on a core */
};

struct children {
    struct child list[MAX_CHILDREN];
    int count, measured;
    int64_t interval_ns, boot_ns; /* since the previous sample; since boot */
    int64_t permille;             /* sum over the measured ones */
    int64_t cpu_ns;               /* likewise, since the previous sample */
    int on_disk;
};

/* Who is there, dead or not: what lives for less than the time between two samples counts, too. */
struct roster {
    int64_t pid[MAX_CHILDREN];
    int count;
};

/* The list of a thread's children, kept open from one sample to the next: it is read ten times a
 * second. */
struct list_file {
    int64_t tid;
    int fd; /* -1: not open */
    dev_t device;
    ino_t inode; /* the job may have closed it, and have a file of its own under the number */
};

static struct {
    struct children last;
    struct roster there, seen;
    int64_t parents[MAX_PARENTS]; /* threads that had children at the last sample */
    int parent_count;
    int64_t starts, exits; /* since the previous sample */
    int sampled;           /* 0 until there is a base */
    unsigned version;
    int next;                 /* of the looks between samples */
    int64_t looks, disk_hits; /* since the previous sample */
    struct children now;
    struct list_file lists[MAX_PARENTS + 1]; /* the main thread's, too */
    int list_count;
    char text[16 << 10];
} state;

/* Time its main thread waited for a core. Added to its CPU time: a loader that works all the time
 * it is let is busy, however many others want the cores; the lack of cores shows elsewhere. */
static int64_t waited_ns(int64_t pid)
{
    char text[96];
    const char *at = text;
    if (wi_read_at(text, sizeof(text), "/proc/%lld/schedstat", (long long)pid) <= 0)
        return 0;
    wi_take_number(&at);
    int64_t waited = wi_take_number(&at);
    return waited == WI_UNKNOWN ? 0 : waited;
}

static int read_stat(int64_t pid, struct wi_proc_stat *stat)
{
    char text[1024];
    return wi_read_at(text, sizeof(text), "/proc/%lld/stat", (long long)pid) > 0 &&
           wi_parse_stat(text, stat) == 0;
}

static const struct child *same_child(const struct children *list, const struct child *wanted)
{
    for (int i = 0; i < list->count; i++)
        if (list->list[i].pid == wanted->pid && list->list[i].start_ticks == wanted->start_ticks)
            return &list->list[i];
    return NULL;
}

/* Busy share since the previous sample, or since its start if it is younger. */
static void measure(struct children *now, const struct child *child)
{
    const struct child *before = same_child(&state.last, child);
    int64_t age_ns = now->boot_ns - child->start_ticks * WI_TICK_NS;
    if (child->busy_ns == WI_UNKNOWN || child->start_ticks == WI_UNKNOWN ||
        (before && before->busy_ns == WI_UNKNOWN))
        return;
    int64_t span_ns = before ? now->interval_ns : age_ns;
    int64_t busy_ns = child->busy_ns - (before ? before->busy_ns : 0);
    if (span_ns < WI_TICK_NS || busy_ns < 0)
        return;
    now->permille += busy_ns * 1000 / span_ns;
    now->cpu_ns += child->cpu_ns - (before ? before->cpu_ns : 0);
    now->measured++;
}

static void add_child(struct children *now, int64_t pid)
{
    struct wi_proc_stat stat;
    if (now->count >= MAX_CHILDREN || !read_stat(pid, &stat) || stat.state == 'Z')
        return;
    struct child *child = &now->list[now->count++];
    int known = stat.user_ns != WI_UNKNOWN && stat.kernel_ns != WI_UNKNOWN;
    int64_t cpu_ns = known ? stat.user_ns + stat.kernel_ns : 0;
    *child = (struct child){.pid = pid,
                            .start_ticks = stat.start_ticks,
                            .busy_ns = known ? cpu_ns + waited_ns(pid) : WI_UNKNOWN,
                            .cpu_ns = cpu_ns};
    now->on_disk += stat.state == 'D';
    measure(now, child);
}

static void enlist(struct roster *roster, int64_t pid)
{
    if (roster->count < MAX_CHILDREN)
        roster->pid[roster->count++] = pid;
}

static int lists(const struct roster *roster, int64_t pid)
{
    for (int i = 0; i < roster->count; i++)
        if (roster->pid[i] == pid)
            return 1;
    return 0;
}

static void take_children(struct children *user, const char *task)
{
    const char *at = state.text, *number = task;
    int before = state.seen.count;
    for (int64_t pid; (pid = wi_take_number(&at)) != WI_UNKNOWN;) {
        enlist(&state.seen, pid);
        if (user)
            add_child(user, pid);
    }
    if (user && state.seen.count > before && state.parent_count < MAX_PARENTS)
        state.parents[state.parent_count++] = wi_take_number(&number);
}

static void children_of_task(void *user, const char *task)
{
    if (wi_read_at(state.text, sizeof(state.text), "/proc/self/task/%s/children", task) > 0)
        take_children(user, task);
}

static int is_open(const struct list_file *list)
{
    struct stat file;
    return list->fd >= 0 && wi_stat_fd(list->fd, &file) == 0 && file.st_dev == list->device &&
           file.st_ino == list->inode;
}

/* At each sample: a thread of the same number may be another one by then. */
static void forget_lists(void)
{
    for (; state.list_count; state.list_count--)
        if (is_open(&state.lists[state.list_count - 1]))
            close(state.lists[state.list_count - 1].fd);
}

static struct list_file *list_of(int64_t tid)
{
    struct stat file;
    for (int i = 0; i < state.list_count; i++)
        if (state.lists[i].tid == tid)
            return &state.lists[i];
    struct list_file *list = &state.lists[state.list_count++];
    *list = (struct list_file){.tid = tid, .fd = -1};
    int fd = wi_keep_open("/proc/self/task/%lld/children", (long long)tid);
    if (fd >= 0 && wi_stat_fd(fd, &file) == 0)
        *list = (struct list_file){tid, fd, file.st_dev, file.st_ino};
    else if (fd >= 0)
        close(fd);
    return list;
}

/* The same between two samples. An empty list is an answer. */
static void look_at_parent(int64_t tid, const char *task)
{
    struct list_file *list = list_of(tid);
    long len = is_open(list) ? pread(list->fd, state.text, sizeof(state.text) - 1, 0) : -1;
    if (len < 0) {
        wi_lose_kept(&list->fd);
        children_of_task(NULL, task);
        return;
    }
    state.text[len] = 0;
    take_children(NULL, task);
}

/* Counts who came and who went since the last look. Whoever is not listed but lives has only got
 * another thread of the process as its parent. */
static void call_the_roll(void)
{
    struct roster *seen = &state.seen, *there = &state.there;
    struct wi_proc_stat stat;
    for (int i = 0; i < there->count; i++) {
        if (lists(seen, there->pid[i]))
            continue;
        if (read_stat(there->pid[i], &stat) && stat.state != 'Z')
            enlist(seen, there->pid[i]);
        else
            state.exits++;
    }
    for (int i = 0; i < seen->count; i++)
        state.starts += !lists(there, seen->pid[i]);
    *there = *seen;
    seen->count = 0;
}

/* Not every kernel lists children. */
static int can_be_seen(void)
{
    char text[16];
    return wi_read_file("/proc/thread-self/children", text, sizeof(text)) >= 0;
}

void wi_watch_children(struct wi_host_sample *sample, int64_t interval_ns)
{
    struct children *now = &state.now;
    memset(now, 0, sizeof(*now));
    now->boot_ns = wi_clock_ns(CLOCK_BOOTTIME);
    now->interval_ns = interval_ns;
    state.seen.count = state.parent_count = 0;
    forget_lists();
    if (!can_be_seen() || wi_each_number("/proc/self/task", now, children_of_task) != 0)
        return;
    sample->children = now->count;
    if (now->measured)
        sample->child_cpu_permille = now->permille / now->measured;
    if (now->count)
        sample->child_disk_permille =
            1000 * (now->on_disk + state.disk_hits) / (now->count + state.looks);
    call_the_roll();
    if (state.sampled) {
        sample->child_starts = state.starts;
        sample->child_exits = state.exits;
    }
    state.version += state.starts || state.exits;
    state.starts = state.exits = 0;
    state.looks = state.disk_hits = 0;
    state.sampled = 1;
    state.last = *now;
}

/* The main thread starts most children, also those of a process that has none yet. */
static void look_at_parents(void)
{
    int main_too = 1;
    char task[24];
    for (int i = 0; i < state.parent_count + main_too && state.sampled; i++) {
        int64_t tid = i < state.parent_count ? state.parents[i] : wi_process.pid;
        struct wi_out out;
        wi_out_mem(&out, task, sizeof(task));
        wi_out_i64(&out, tid);
        main_too &= tid != wi_process.pid || i == state.parent_count;
        if (wi_out_finish(&out) == 0)
            look_at_parent(tid, task);
    }
    if (state.sampled)
        call_the_roll();
}

void wi_watch_children_tick(void)
{
    struct wi_proc_stat stat;
    look_at_parents();
    for (int i = 0; i < LOOKS_PER_TICK && i < state.last.count; i++) {
        int at = state.next++ % state.last.count;
        if (!read_stat(state.last.list[at].pid, &stat))
            continue;
        state.looks++;
        state.disk_hits += stat.state == 'D';
    }
}

int64_t wi_watch_child(int i)
{
    return i < state.last.count ? state.last.list[i].pid : WI_UNKNOWN;
}

int64_t wi_watch_children_cpu_ns(void)
{
    return state.last.cpu_ns;
}

unsigned wi_watch_children_version(void)
{
    return state.version;
}
