/* Samples the machine, see watch.h.
 * Threads: the helper. May not: allocate; read /proc more than about once a second. */
#include "collect/watch.h"

#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/err.h"
#include "base/out.h"
#include "collect/collect.h"
#include "collect/feed.h"
#include "collect/nvml.h"
#include "collect/procfs.h"

#define MAX_CHILDREN 256
#define MAX_CPUS     1024
#define SECOND_NS    INT64_C(1000000000)
#define TICK_NS      (SECOND_NS / 100) /* USER_HZ, part of the ABI of /proc */

struct child {
    int64_t pid, busy_ns;
};

static struct {
    int64_t at_ns, throttled_ns;
    struct child children[MAX_CHILDREN]; /* of the previous sample */
    int child_count;
    int64_t idle_ticks[MAX_CPUS];
    char cgroup_v2[512], cgroup_cpu[512]; /* folders; "" = not there */
    int started;
    char text[64 << 10]; /* one file at a time */
} state;

/* Reads /proc/<pid>/<file>; what can be read is cut at the buffer. */
static long read_of(int64_t pid, const char *file, char *text, size_t cap)
{
    char path[64];
    struct wi_out out;
    wi_out_mem(&out, path, sizeof(path));
    wi_out_f(&out, "/proc/%lld/%s", (long long)pid, file);
    return wi_out_finish(&out) == 0 ? wi_read_file(path, text, cap) : WI_ERR_RANGE;
}

/* Time its main thread waited for a core. Added to its CPU time: a loader that works all the time
 * it is let is busy, however many others want the cores; the lack of cores shows elsewhere. */
static int64_t waited_ns(int64_t pid)
{
    char text[96];
    const char *at = text;
    if (read_of(pid, "schedstat", text, sizeof(text)) <= 0)
        return 0;
    wi_take_number(&at);
    int64_t waited = wi_take_number(&at);
    return waited == WI_UNKNOWN ? 0 : waited;
}

/* Reads state, busy time and start (ticks since boot) of a process; 0 if it is gone. */
static int read_child(int64_t pid, int64_t *busy_ns, int64_t *start, char *life)
{
    char text[1024];
    if (read_of(pid, "stat", text, sizeof(text)) <= 0)
        return 0;
    const char *at = strrchr(text, ')'); /* the name before it may hold anything */
    if (!at || at[1] != ' ')
        return 0;
    *life = at[2];
    at = wi_skip_words(at + 2, 11); /* state ppid pgrp session tty tpgid flags 4 x faults */
    int64_t user = wi_take_number(&at), kernel = wi_take_number(&at);
    int known = user != WI_UNKNOWN && kernel != WI_UNKNOWN;
    *busy_ns = known ? (user + kernel) * TICK_NS + waited_ns(pid) : WI_UNKNOWN;
    at = wi_skip_words(at, 6); /* of its children 2 x, priority, nice, threads, timer */
    *start = wi_take_number(&at);
    return *life != 'Z';
}

static int64_t busy_before(int64_t pid)
{
    for (int i = 0; i < state.child_count; i++)
        if (state.children[i].pid == pid)
            return state.children[i].busy_ns;
    return WI_UNKNOWN;
}

struct children {
    struct child list[MAX_CHILDREN];
    int count, on_disk, measured;
    int64_t interval_ns, boot_ns; /* since the previous sample; since boot */
    int64_t permille;             /* sum over the measured ones */
};

/* Busy share since the previous sample, or since its start if it is younger. */
static void measure_child(struct children *now, int64_t busy_ns, int64_t before, int64_t start)
{
    int64_t age_ns = now->boot_ns - start * TICK_NS, span_ns = now->interval_ns;
    if (busy_ns == WI_UNKNOWN || start == WI_UNKNOWN)
        return;
    if (before == WI_UNKNOWN) {
        before = 0;
        span_ns = age_ns;
    }
    if (span_ns < TICK_NS)
        return;
    now->permille += (busy_ns - before) * 1000 / span_ns;
    now->measured++;
}

static void add_child(struct children *now, int64_t pid)
{
    char life;
    int64_t busy_ns, start, before = busy_before(pid);
    if (now->count >= MAX_CHILDREN || !read_child(pid, &busy_ns, &start, &life))
        return;
    now->list[now->count++] = (struct child){pid, busy_ns};
    now->on_disk += life == 'D';
    measure_child(now, busy_ns, before, start);
}

/* The children of one of this process's threads. */
static void children_of_task(struct children *now, const char *task)
{
    char path[128];
    struct wi_out out;
    wi_out_mem(&out, path, sizeof(path));
    wi_out_f(&out, "/proc/self/task/%s/children", task);
    if (wi_out_finish(&out) != 0 || wi_read_file(path, state.text, sizeof(state.text)) <= 0)
        return;
    const char *at = state.text;
    for (int64_t pid; (pid = wi_take_number(&at)) != WI_UNKNOWN;)
        add_child(now, pid);
}

/* Calls use() for every entry of the folder that is a number; no opendir: that allocates. */
static int each_number(const char *folder, struct children *now,
                       void (*use)(struct children *now, const char *name))
{
    struct entry {
        uint64_t inode, offset;
        uint16_t length;
        uint8_t type;
        char name[];
    };
    _Alignas(8) char buf[4096];
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    long len;
    if (fd < 0)
        return -1;
    while ((len = syscall(SYS_getdents64, fd, buf, sizeof(buf))) > 0)
        for (long at = 0; at < len;) {
            const struct entry *entry = (const void *)(buf + at);
            if (entry->name[0] >= '0' && entry->name[0] <= '9')
                use(now, entry->name);
            at += entry->length;
        }
    close(fd);
    return 0;
}

static void watch_children(struct wi_host_sample *sample, int64_t interval_ns)
{
    static struct children now;
    struct timespec boot;
    memset(&now, 0, sizeof(now));
    clock_gettime(CLOCK_BOOTTIME, &boot);
    now.boot_ns = (int64_t)boot.tv_sec * SECOND_NS + boot.tv_nsec;
    now.interval_ns = interval_ns;
    if (each_number("/proc/self/task", &now, children_of_task) != 0)
        return;
    sample->children = now.count;
    if (now.measured)
        sample->child_cpu_permille = now.permille / now.measured;
    if (now.count)
        sample->child_disk_permille = 1000 * now.on_disk / now.count;
    memcpy(state.children, now.list, sizeof(state.children));
    state.child_count = now.count;
}

/* The idle share of the cores this process may use, from /proc/stat. */
static void watch_cores(struct wi_host_sample *sample, const cpu_set_t *allowed,
                        int64_t interval_ns)
{
    int64_t idle_ns = 0;
    int known = 0;
    if (wi_read_file("/proc/stat", state.text, sizeof(state.text)) <= 0)
        return;
    for (const char *at = state.text; at; at = strchr(at, '\n')) {
        at += *at == '\n';
        if (strncmp(at, "cpu", 3) != 0)
            break;
        const char *field = at + 3;
        int64_t cpu = *field == ' ' ? WI_UNKNOWN : wi_take_number(&field);
        if (cpu < 0 || cpu >= MAX_CPUS)
            continue;
        field = wi_skip_words(field, 3); /* user nice system */
        int64_t idle = wi_take_number(&field), before = state.idle_ticks[cpu];
        state.idle_ticks[cpu] = idle;
        if (CPU_ISSET((int)cpu, allowed) && idle >= before) {
            idle_ns += (idle - before) * TICK_NS;
            known = 1;
        }
    }
    if (known && interval_ns > 0)
        sample->cores_idle_permille = idle_ns * 1000 / interval_ns;
}

static void append_path(char *to, size_t cap, const char *root, const char *path, size_t len)
{
    struct wi_out out;
    wi_out_mem(&out, to, cap);
    wi_out_str(&out, root);
    wi_out_bytes(&out, path, len);
    if (wi_out_finish(&out) != 0)
        to[0] = 0;
}

/* Where this process's cgroup lies; a container often sees its own as the root, so that is tried
 * when the full path does not exist. */
static void find_cgroups(void)
{
    char text[4096];
    if (wi_read_file("/proc/self/cgroup", text, sizeof(text)) <= 0)
        return;
    for (const char *line = text; line && *line; line = strchr(line, '\n')) {
        line += *line == '\n';
        const char *name = strchr(line, ':'), *path = name ? strchr(name + 1, ':') : NULL;
        if (!path)
            break;
        size_t len = strcspn(path + 1, "\n");
        size_t names = (size_t)(path - name - 1);
        if (names == 0)
            append_path(state.cgroup_v2, sizeof(state.cgroup_v2), "/sys/fs/cgroup", path + 1, len);
        else if (memmem(name, names + 1, "cpu,", 4) || memmem(name, names + 2, "cpu:", 4))
            append_path(state.cgroup_cpu, sizeof(state.cgroup_cpu), "/sys/fs/cgroup/cpu", path + 1,
                        len);
    }
}

static long read_cgroup(const char *folder, const char *root, const char *file)
{
    char path[600];
    struct wi_out out;
    const char *dirs[] = {folder, root};
    for (int i = 0; i < 2; i++) {
        wi_out_mem(&out, path, sizeof(path));
        wi_out_f(&out, "%s/%s", dirs[i], file);
        if (dirs[i][0] && wi_out_finish(&out) == 0) {
            long len = wi_read_file(path, state.text, sizeof(state.text));
            if (len > 0)
                return len;
        }
    }
    return WI_ERR_NOT_FOUND;
}

/* CPU quota in cores, WI_UNKNOWN without one. */
static int64_t quota_cores(void)
{
    int64_t quota = WI_UNKNOWN, period = WI_UNKNOWN;
    const char *at = state.text;
    if (read_cgroup(state.cgroup_v2, "/sys/fs/cgroup", "cpu.max") > 0) {
        quota = wi_take_number(&at); /* "max" is no number */
        period = wi_take_number(&at);
    } else if (read_cgroup(state.cgroup_cpu, "/sys/fs/cgroup/cpu", "cpu.cfs_quota_us") > 0) {
        quota = wi_take_number(&at); /* nor is -1 */
        at = state.text;
        if (read_cgroup(state.cgroup_cpu, "/sys/fs/cgroup/cpu", "cpu.cfs_period_us") > 0)
            period = wi_take_number(&at);
    }
    if (quota == WI_UNKNOWN || period == WI_UNKNOWN || !period)
        return WI_UNKNOWN;
    return quota > period ? quota / period : 1;
}

static int64_t throttled_ns(void)
{
    static const struct {
        const char *word;
        int64_t unit_ns;
    } FIELDS[] = {{"throttled_usec ", 1000}, {"throttled_time ", 1}};
    if (read_cgroup(state.cgroup_v2, "/sys/fs/cgroup", "cpu.stat") <= 0 &&
        read_cgroup(state.cgroup_cpu, "/sys/fs/cgroup/cpu", "cpu.stat") <= 0)
        return WI_UNKNOWN;
    for (size_t i = 0; i < WI_ARRAY_LEN(FIELDS); i++) {
        const char *at = strstr(state.text, FIELDS[i].word);
        if (at) {
            at += strlen(FIELDS[i].word);
            int64_t value = wi_take_number(&at);
            return value == WI_UNKNOWN ? value : value * FIELDS[i].unit_ns;
        }
    }
    return WI_UNKNOWN;
}

static void watch_allowed(struct wi_host_sample *sample, int64_t interval_ns)
{
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    if (sched_getaffinity(wi_process.pid, sizeof(allowed), &allowed) != 0)
        return;
    int64_t quota = quota_cores(), cores = CPU_COUNT(&allowed);
    sample->cores_allowed = quota != WI_UNKNOWN && quota < cores ? quota : cores;
    watch_cores(sample, &allowed, interval_ns);
    int64_t throttled = throttled_ns();
    if (throttled != WI_UNKNOWN && state.throttled_ns != WI_UNKNOWN)
        sample->throttled_ns = throttled - state.throttled_ns;
    state.throttled_ns = throttled;
}

void wi_watch_sample(void)
{
    int64_t now = wi_now_ns(), interval_ns = now - state.at_ns;
    struct wi_event event = {.kind = WI_EVENT_SAMPLE};
    struct wi_host_sample *sample = &event.u.sample;
    wi_host_sample_clear(sample);
    sample->at_ns = now;
    sample->interval_ns = interval_ns;
    if (!state.started) {
        find_cgroups();
        state.throttled_ns = WI_UNKNOWN;
    }
    watch_children(sample, interval_ns);
    watch_allowed(sample, interval_ns);
    sample->gpu_util_permille = wi_nvml_utilisation();
    state.at_ns = now;
    if (state.started)
        wi_feed_event(&event);
    state.started = 1;
}
