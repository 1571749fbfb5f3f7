/* Cores of the machine and of the job: idle, allowed, stopped by a quota; the run queue. See
 * watch_parts.h.
 * Threads: the helper. May not: allocate; use privileges. */
#include <sched.h>
#include <string.h>
#include <time.h>

#include "base/attr.h"
#include "base/clock.h"
#include "base/glibc.h"
#include "base/out.h"
#include "collect/collect.h"
#include "collect/procfs.h"
#include "collect/watch_parts.h"

#define MAX_CPUS   1024
#define LONGEST_NS (INT64_MAX / 2000 / MAX_CPUS) /* over an hour: products do not overflow */
#define CGROUPS    "/sys/fs/cgroup"

struct cpus {
    uint64_t bits[MAX_CPUS / 64];
    int count;
};

/* Where a cgroup version keeps its figures: the first folder of `roots` that has the path. */
struct cgroup {
    char folder[512]; /* "" = this version does not apply */
    size_t root_len;  /* of the part that is no cgroup's name */
};

static struct {
    int64_t idle_ticks[MAX_CPUS], disk_ticks[MAX_CPUS];
    int64_t own_ns; /* CPU time of this process at the previous sample */
    struct cgroup v1, v2;
    int found;
    int64_t queue_sum, queue_looks;
    char text[64 << 10];
} state;
/* apart: what has a value from the start lies in pages that every process writes (load.c) */
static int queue_fd = -1;
static int64_t last_throttled_ns = WI_UNKNOWN; /* of the previous sample */

static void allow(struct cpus *cpus, int64_t cpu)
{
    uint64_t bit = UINT64_C(1) << (cpu % 64);
    if (cpu < 0 || cpu >= MAX_CPUS || cpus->bits[cpu / 64] & bit)
        return;
    cpus->bits[cpu / 64] |= bit;
    cpus->count++;
}

static int allows(const struct cpus *cpus, int64_t cpu)
{
    return cpu >= 0 && cpu < MAX_CPUS && cpus->bits[cpu / 64] >> (cpu % 64) & 1;
}

/* "0-3,8": as /proc/self/status lists what the affinity allows. */
static int parse_list(const char *at, struct cpus *cpus)
{
    do {
        at += *at == ',';
        int64_t first = wi_take_number(&at), last = first;
        if (first == WI_UNKNOWN)
            return 0;
        if (*at == '-') {
            at++;
            last = wi_take_number(&at);
        }
        last = last < MAX_CPUS ? last : MAX_CPUS - 1;
        for (int64_t cpu = first; cpu <= last; cpu++)
            allow(cpus, cpu);
    } while (*at == ',');
    return cpus->count > 0;
}

static int read_allowed(struct cpus *cpus)
{
    static const char WORD[] = "\nCpus_allowed_list:";
    memset(cpus, 0, sizeof(*cpus));
    if (wi_read_file("/proc/self/status", state.text, sizeof(state.text)) > 0) {
        const char *at = strstr(state.text, WORD);
        if (at && parse_list(at + sizeof(WORD) - 1, cpus))
            return 1;
    }
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(wi_process.pid, sizeof(set), &set) != 0)
        return 0;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &set))
            allow(cpus, cpu);
    return cpus->count > 0;
}

/* What is left of the cores' time without idling and without this process and its children: others
 * have it. A child that ended since the last sample counts among them. */
static void watch_others(struct wi_host_sample *sample, int64_t busy_ns, int64_t ours_ns,
                         int64_t interval_ns)
{
    sample->others_permille = busy_ns > ours_ns ? (busy_ns - ours_ns) * 1000 / interval_ns : 0;
}

/* CPU time of this process since the last sample, WI_UNKNOWN if the clock cannot be read. */
static int64_t own_time(void)
{
    int64_t own_ns = wi_clock_ns(CLOCK_PROCESS_CPUTIME_ID), before_ns = state.own_ns;
    state.own_ns = own_ns;
    return own_ns > 0 && own_ns >= before_ns ? own_ns - before_ns : WI_UNKNOWN;
}

/* Beyond any interval: the first look, or a number that is none. */
static int64_t grown_ns(int64_t ticks, int64_t before)
{
    int64_t more = ticks > before ? ticks - before : 0;
    return more < LONGEST_NS / WI_TICK_NS ? more * WI_TICK_NS : 0;
}

/* The cores of the machine, and the idle share of those that this process may use. */
static void watch_idle(struct wi_host_sample *sample, const struct cpus *allowed,
                       int64_t interval_ns)
{
    int64_t idle_ns = 0, disk_ns = 0, machine = 0, known = 0;
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
        machine++;
        field = wi_skip_words(field, 3); /* user nice system */
        int64_t idle = wi_take_number(&field), before = state.idle_ticks[cpu];
        int64_t disk = wi_take_number(&field), disk_before = state.disk_ticks[cpu];
        if (idle == WI_UNKNOWN)
            continue;
        state.idle_ticks[cpu] = idle;
        state.disk_ticks[cpu] = disk = disk < 0 ? 0 : disk;
        if (allows(allowed, cpu) && idle >= before) {
            idle_ns += grown_ns(idle, before);
            disk_ns += grown_ns(disk, disk_before);
            known++;
        }
    }
    if (machine)
        sample->cores_machine = machine;
    int64_t own_ns = own_time();
    if (!known || interval_ns <= 0 || interval_ns > LONGEST_NS) /* the first one has no base */
        return;
    sample->cores_idle_permille = idle_ns * 1000 / interval_ns;
    if (own_ns != WI_UNKNOWN)
        watch_others(sample, known * interval_ns - idle_ns - disk_ns,
                     own_ns + wi_watch_children_cpu_ns(), interval_ns);
}

/* Is `word` one of the names in the comma-separated list? */
static int lists(const char *list, size_t len, const char *word)
{
    size_t want = strlen(word);
    for (size_t at = 0; at <= len;) {
        size_t end = at;
        while (end < len && list[end] != ',')
            end++;
        if (end - at == want && !memcmp(list + at, word, want))
            return 1;
        at = end + 1;
    }
    return 0;
}

/* The folder of the group below one of the roots; a container often sees its own group as the
 * root, so that is taken when the full path does not exist. `proof` is a file that must be there.
 */
static void find_group(struct cgroup *group, const char *const *roots, const char *path, size_t len,
                       const char *proof)
{
    char text[64];
    int outside = len >= 3 && !memcmp(path, "/..", 3);
    for (int whole = !outside; whole >= 0; whole--)
        for (int i = 0; roots[i]; i++) {
            struct wi_out out;
            wi_out_mem(&out, group->folder, sizeof(group->folder));
            wi_out_str(&out, roots[i]);
            wi_out_bytes(&out, path, whole && len > 1 ? len : 0);
            group->root_len = strlen(roots[i]);
            if (wi_out_finish(&out) == 0 &&
                wi_read_at(text, sizeof(text), "%s/%s", group->folder, proof) >= 0)
                return;
        }
    group->folder[0] = 0;
}

static void find_groups(void)
{
    static const char *const V1[] = {CGROUPS "/cpu", CGROUPS "/cpu,cpuacct", CGROUPS "/cpuacct,cpu",
                                     NULL};
    static const char *const V2[] = {CGROUPS, CGROUPS "/unified", NULL};
    char text[4096];
    state.found = 1;
    if (wi_read_file("/proc/self/cgroup", text, sizeof(text)) <= 0)
        return;
    for (const char *line = text; line && *line; line = strchr(line, '\n')) {
        line += *line == '\n';
        const char *names = strchr(line, ':'), *path = names ? strchr(names + 1, ':') : NULL;
        if (!path)
            break;
        size_t len = strcspn(path + 1, "\n"), names_len = (size_t)(path - names - 1);
        if (names_len == 0)
            find_group(&state.v2, V2, path + 1, len, "cpu.stat");
        else if (lists(names + 1, names_len, "cpu"))
            find_group(&state.v1, V1, path + 1, len, "cpu.cfs_quota_us");
    }
}

/* A group's own quota in thousandths of a core; WI_UNKNOWN without one. */
static int64_t quota_of(const char *folder, int v2)
{
    int64_t quota = WI_UNKNOWN, period = WI_UNKNOWN;
    const char *at = state.text;
    if (v2) {
        if (wi_read_at(state.text, sizeof(state.text), "%s/cpu.max", folder) > 0)
            quota = wi_take_number(&at); /* "max" is no number */
        period = quota == WI_UNKNOWN ? quota : wi_take_number(&at);
    } else if (wi_read_at(state.text, sizeof(state.text), "%s/cpu.cfs_quota_us", folder) > 0) {
        quota = wi_take_number(&at); /* nor is -1 */
        at = state.text;
        if (wi_read_at(state.text, sizeof(state.text), "%s/cpu.cfs_period_us", folder) > 0)
            period = wi_take_number(&at);
    }
    int known = quota != WI_UNKNOWN && quota < INT64_MAX / 1000 && period > 0;
    return known ? quota * 1000 / period : WI_UNKNOWN;
}

static int64_t throttled_of(const char *folder, int v2)
{
    if (wi_read_at(state.text, sizeof(state.text), "%s/cpu.stat", folder) <= 0)
        return WI_UNKNOWN;
    int64_t value = wi_number_of(state.text, v2 ? "throttled_usec " : "throttled_time ");
    if (value == WI_UNKNOWN || value > INT64_MAX / 1000)
        return WI_UNKNOWN;
    return value * (v2 ? 1000 : 1);
}

/* The tightest quota from the job's group up to the root, and the time stopped there. */
static int64_t tightest(const struct cgroup *group, int v2, int64_t *throttled_ns)
{
    char folder[sizeof(group->folder)];
    int64_t least = WI_UNKNOWN;
    *throttled_ns = WI_UNKNOWN;
    memcpy(folder, group->folder, sizeof(folder));
    for (int first = 1; folder[0]; first = 0) {
        int64_t quota = quota_of(folder, v2);
        int tighter = quota != WI_UNKNOWN && (least == WI_UNKNOWN || quota < least);
        if (first || tighter)
            *throttled_ns = throttled_of(folder, v2);
        least = tighter ? quota : least;
        char *slash = strrchr(folder, '/');
        if (!slash || (size_t)(slash - folder) < group->root_len)
            break;
        *slash = 0;
    }
    return least;
}

static void watch_quota(struct wi_host_sample *sample)
{
    int64_t throttled[2];
    int64_t quota[2] = {tightest(&state.v1, 0, &throttled[0]),
                        tightest(&state.v2, 1, &throttled[1])};
    int v2 = quota[0] == WI_UNKNOWN && (quota[1] != WI_UNKNOWN || throttled[0] == WI_UNKNOWN);
    if (quota[v2] != WI_UNKNOWN && sample->cores_allowed != WI_UNKNOWN &&
        quota[v2] < sample->cores_allowed * 1000)
        sample->cores_allowed = quota[v2] > 1000 ? quota[v2] / 1000 : 1;
    if (throttled[v2] != WI_UNKNOWN && last_throttled_ns != WI_UNKNOWN &&
        throttled[v2] >= last_throttled_ns)
        sample->throttled_ns = throttled[v2] - last_throttled_ns;
    last_throttled_ns = throttled[v2];
}

void wi_watch_cores(struct wi_host_sample *sample, int64_t interval_ns)
{
    struct cpus allowed;
    if (!state.found)
        find_groups();
    if (read_allowed(&allowed))
        sample->cores_allowed = allowed.count;
    watch_idle(sample, &allowed, interval_ns);
    watch_quota(sample);
    if (state.queue_looks)
        sample->runnable = (state.queue_sum + state.queue_looks / 2) / state.queue_looks;
    state.queue_sum = state.queue_looks = 0;
}

/* "0.08 0.03 0.01 2/345 678": the fourth word counts those that run, this thread among them. */
void wi_watch_cores_tick(void)
{
    char text[96];
    if (queue_fd < 0)
        queue_fd = wi_keep_open("/proc/loadavg");
    if (wi_read_kept(&queue_fd, text, sizeof(text)) <= 0)
        return;
    const char *at = wi_skip_words(text, 3);
    int64_t running = wi_take_number(&at);
    if (running < 1 || *at != '/')
        return;
    state.queue_sum += running - 1;
    state.queue_looks++;
}
