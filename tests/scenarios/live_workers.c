/* Worker processes, see live_workers.h.
 * Threads: the launching thread; the workers share only `due` with it. May not: keep the launching
 * thread from its core: the machine of the timeline has a core for everybody, this one may not, so
 * workers are nice and no more of them compute than there are cores. */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "live_workers.h"
#include "pace.h"

#define MAX_WORKERS   64
#define WORKER_NICE   10
#define LIMIT_PERCENT 90       /* workers that are the limit use their cores */
#define SLICE_NS      10000000 /* duty cycle of a worker */
#define IDLE_NS       1000000  /* how often a sleeping worker looks for work */
#define SHARED_BYTES  4096
#define READ_BYTES    (1 << 20) /* the copying of smaller ones would show as work */
#define BLOCK_BYTES   4096

static struct {
    _Atomic int64_t *due; /* shared with the workers: when to hand over, 0 = not asked */
    const struct tl_side *side;
    int count;
    pid_t pid[MAX_WORKERS];
    int pipe[2];
    int file; /* for workers that wait for the disk */
} workers = {.file = -1};

int live_cores(void)
{
    cpu_set_t set;

    return sched_getaffinity(0, sizeof(set), &set) ? 1 : CPU_COUNT(&set);
}

int live_scratch_file(void)
{
    char path[4096], *block = NULL;
    const char *folder = getenv("TMPDIR");

    snprintf(path, sizeof(path), "%s/play_live.XXXXXX", folder && *folder ? folder : "/tmp");
    int fd = mkostemp(path, O_CLOEXEC | O_DIRECT), rc = -1;
    if (fd < 0)
        return -1;
    unlink(path);
    if (!posix_memalign((void **)&block, BLOCK_BYTES, 1 << 20)) {
        memset(block, 1, 1 << 20);
        for (rc = 0; !rc && lseek(fd, 0, SEEK_CUR) < LIVE_SCRATCH_BYTES;)
            rc = write(fd, block, 1 << 20) == 1 << 20 ? 0 : -1;
        free(block);
    }
    if (!rc)
        return fd;
    close(fd);
    return -1;
}

void live_read_until(int fd, int64_t until_ns)
{
    static char *block;
    static unsigned seed = 1;

    if (!block && posix_memalign((void **)&block, BLOCK_BYTES, READ_BYTES))
        abort();
    while (pace_now() < until_ns) {
        off_t at = (off_t)(rand_r(&seed) % ((LIVE_SCRATCH_BYTES - READ_BYTES) / BLOCK_BYTES));

        if (pread(fd, block, READ_BYTES, at * BLOCK_BYTES) != READ_BYTES) {
            perror("scratch file");
            exit(1);
        }
    }
}

/* In a worker: hands over if that is due; returns when it next will be. */
static int64_t serve(int first)
{
    int64_t due = first ? atomic_load(workers.due) : 0;

    if (due && pace_now() >= due) {
        atomic_store(workers.due, 0);
        if (write(workers.pipe[1], "w", 1) < 0)
            _exit(1);
        return 0;
    }
    return due;
}

static void rest(int first, int64_t end)
{
    while (pace_now() < end) {
        int64_t due = serve(first), next = pace_now() + IDLE_NS;

        if (due && due < next)
            next = due;
        if (workers.file >= 0)
            live_read_until(workers.file, next < end ? next : end);
        else
            pace_sleep_until(next < end ? next : end);
    }
}

static void work(int first, int percent)
{
    for (int64_t start = pace_now();; start = pace_now()) {
        int64_t stop = start + SLICE_NS / 100 * percent;

        while (pace_now() < stop)
            serve(first);
        rest(first, start + SLICE_NS);
    }
}

static int cpu_percent(void)
{
    int64_t cpu = workers.side->worker_cpu_percent;

    return cpu < 0 ? 0 : cpu > 100 ? 100 : (int)cpu;
}

/* In a new worker: computes until ready_ns (what it imports), tells, works. */
static void worker_main(int first, int64_t ready_ns)
{
    pace_burn_until(ready_ns);
    if (ready_ns && write(workers.pipe[1], "r", 1) < 0)
        _exit(1);
    work(first, cpu_percent());
}

static int start_worker(int i, int64_t ready_ns)
{
    pid_t parent = getpid(), child = fork();

    if (child) {
        workers.pid[i] = child;
        return child < 0 ? -1 : 0;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(0);
    prctl(PR_SET_NAME, "worker");
    setpriority(PRIO_PROCESS, 0, WORKER_NICE);
    worker_main(i == 0, ready_ns);
    _exit(0);
}

/* As many as there are cores for: beside workers that are not the limit the launching thread needs
 * one, too. */
static int wanted_workers(const struct tl_side *side)
{
    int64_t wanted = side->workers > 0 ? side->workers : 1, cpu = side->worker_cpu_percent;
    int64_t cores = cpu < LIMIT_PERCENT && live_cores() > 1 ? live_cores() - 1 : live_cores();

    if (cpu > 0 && side->worker_disk_wait != 1 && wanted * cpu > cores * 100)
        wanted = cores * 100 / cpu;
    return wanted > MAX_WORKERS ? MAX_WORKERS : wanted > 0 ? (int)wanted : 1;
}

int live_workers_start(const struct tl_side *side)
{
    workers.side = side;
    workers.due =
        mmap(NULL, SHARED_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (workers.due == MAP_FAILED || pipe2(workers.pipe, O_CLOEXEC))
        return -1;
    if (side->worker_disk_wait == 1 && (workers.file = live_scratch_file()) < 0)
        return -1;
    int wanted = wanted_workers(side);
    for (; workers.count < wanted; workers.count++)
        if (start_worker(workers.count, 0))
            return -1;
    return 0;
}

void live_workers_ask(int64_t due_ns)
{
    atomic_store(workers.due, due_ns);
}

int live_workers_fd(void)
{
    return workers.pipe[0];
}

void live_workers_renew(int64_t due_ns)
{
    int count = workers.count;
    char byte;

    live_workers_stop();
    int64_t start = pace_now();
    for (int i = 0; i < count; i++) {
        int64_t ready = start + (due_ns - start) * (i + 1) / count;

        if (start_worker(i, ready) || read(workers.pipe[0], &byte, 1) != 1) {
            perror("starting a worker again");
            exit(1);
        }
        workers.count++;
    }
}

void live_workers_stop(void)
{
    for (int i = 0; i < workers.count; i++)
        kill(workers.pid[i], SIGTERM);
    for (int i = 0; i < workers.count; i++)
        waitpid(workers.pid[i], NULL, 0);
    workers.count = 0;
}

const char *live_workers_problem(const struct tl_side *side)
{
    if (side->worker_disk_wait != 1)
        return NULL;
    int fd = live_scratch_file();

    if (fd < 0)
        return "TMPDIR takes no direct reads: this case is played in virtual time only";
    close(fd);
    return NULL;
}
