/* Contention and quotas, see live_cores.h.
 * Threads: the launching thread. May not: leave spinning processes behind: they die with the
 * player; or leave the group that it was started in but for a child of that. */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "live_cores.h"
#include "live_workers.h"
#include "pace.h"

#define MAX_SPINNERS 256
#define SHARED_NICE  5       /* for everybody here: other users of the machine come first */
#define USED_UP_NS   8000000 /* the other process of the group has used the quota by then */
#define PERIOD_US    100000
#define QUOTA_US     1000 /* 1 % of a core: throttled as good as always */
static struct {
    int spinners;
    pid_t spinner[MAX_SPINNERS];
    char group[1024]; /* of the quota, "" = none yet */
    char home[1000];  /* the group the player was started in */
    int v2;
} taken;

int live_cores_shared(void)
{
    return taken.spinners > 0;
}

int64_t live_cpu_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static int start_spinner(void)
{
    pid_t parent = getpid(), child = fork();

    if (child) {
        taken.spinner[taken.spinners++] = child;
        return child < 0 ? -1 : 0;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_NAME, "spinner");
    if (getppid() != parent)
        _exit(0);
    for (;;)
        pace_burn_until(pace_now() + 1000000);
}

int live_cores_start(const struct tl_side *side)
{
    if (side->launch_runnable_percent <= 0 || side->launch_run_percent <= 0)
        return 0;
    int64_t wanted = live_cores() * 100 / side->launch_run_percent - 1;

    if (wanted > MAX_SPINNERS)
        wanted = MAX_SPINNERS;
    setpriority(PRIO_PROCESS, 0, SHARED_NICE);
    while (taken.spinners < wanted)
        if (start_spinner())
            return -1;
    return 0;
}

static int put(const char *folder, const char *name, const char *text)
{
    char path[1100];

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    int rc = write(fd, text, strlen(text)) == (ssize_t)strlen(text) ? 0 : -1;
    close(fd);
    return rc;
}

static int set_quota(int on)
{
    char text[64];

    if (!taken.v2) {
        snprintf(text, sizeof(text), "%d", on ? QUOTA_US : -1);
        return put(taken.group, "cpu.cfs_quota_us", text);
    }
    if (on)
        snprintf(text, sizeof(text), "%d %d", QUOTA_US, PERIOD_US);
    else
        snprintf(text, sizeof(text), "max %d", PERIOD_US);
    return put(taken.group, "cpu.max", text);
}

/* Finds the own group of the cpu controller of either version. */
static int find_home(int v2)
{
    const char *mark = v2 ? "0::" : ":cpu", *root = v2 ? "/sys/fs/cgroup" : "/sys/fs/cgroup/cpu";
    char line[900];
    FILE *in = fopen("/proc/self/cgroup", "re");
    int found = 0;

    while (in && !found && fgets(line, sizeof(line), in)) {
        char *at = strstr(line, mark), *path = at ? strrchr(line, ':') : NULL;

        if (!path || (!v2 && !strchr(":,", at[4])))
            continue;
        line[strcspn(line, "\n")] = 0;
        snprintf(taken.home, sizeof(taken.home), "%s%s", root, path[2] ? path + 1 : "");
        found = 1;
    }
    if (in)
        fclose(in);
    return found;
}

static int make_group(void)
{
    if (*taken.group)
        return 0;
    for (int v2 = 0; v2 < 2; v2++) {
        if (!find_home(v2))
            continue;
        snprintf(taken.group, sizeof(taken.group), "%s/play_live.%d", taken.home, (int)getpid());
        taken.v2 = v2;
        if (!mkdir(taken.group, 0755) && !set_quota(0))
            return 0;
        rmdir(taken.group);
    }
    *taken.group = 0;
    return -1;
}

const char *live_cores_problem(void)
{
    if (make_group())
        return "no quota can be set here: this case is played in virtual time only";
    rmdir(taken.group);
    *taken.group = 0;
    return NULL;
}

int live_cores_enter(void)
{
    char pid[16];

    snprintf(pid, sizeof(pid), "%d", (int)getpid());
    return make_group() || put(taken.group, "cgroup.procs", pid) ? -1 : 0;
}

/* Sets the quota for a while; not itself held by it. */
static void limit_until(int64_t due_ns)
{
    char self[16];

    snprintf(self, sizeof(self), "%d", (int)getpid());
    put(taken.home, "cgroup.procs", self);
    if (set_quota(1))
        _exit(1);
    pace_sleep_until(due_ns);
    set_quota(0);
    _exit(0);
}

void live_cores_throttled(int64_t due_ns)
{
    pid_t limiter = fork();

    if (!limiter)
        limit_until(due_ns);
    pid_t user = fork();
    if (!user) {
        pace_burn_until(due_ns);
        _exit(0);
    }
    /* Whoever wakes up when the quota is used is stopped at once; whoever runs goes on for long. */
    pace_sleep_until(pace_now() + USED_UP_NS);
    pace_burn_until(due_ns);
    waitpid(limiter, NULL, 0);
    waitpid(user, NULL, 0);
}

void live_cores_stop(void)
{
    for (int i = 0; i < taken.spinners; i++)
        pace_end_child(taken.spinner[i]);
    taken.spinners = 0;
    if (!*taken.group)
        return;
    char pid[16];
    snprintf(pid, sizeof(pid), "%d", (int)getpid());
    put(taken.home, "cgroup.procs", pid);
    rmdir(taken.group);
}
