/* Waits and worker processes of the live player.
 * Threads: the launching thread; one waker thread; worker processes, which share only `due`.
 * The first worker is the one that wakes, so that the batch comes from the process that works for
 * it. */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "live_wait.h"
#include "pace.h"

#define MAX_WORKERS 64
#define SLICE_NS    10000000 /* duty cycle of a worker */
#define IDLE_NS     1000000  /* how often a sleeping waker looks for work */
#define WAKE_BYTES  4096

static struct {
    _Atomic int64_t *due; /* shared with the workers: when to wake the parent, 0 = not asked */
    int workers;
    pid_t worker[MAX_WORKERS];
    int pipe[2], epoll;
    pthread_mutex_t lock;
    pthread_cond_t asked, woken;
    int64_t thread_due;
    int thread_running;
    char scratch[64];
    int scratch_fd;
} live = {.lock = PTHREAD_MUTEX_INITIALIZER,
          .asked = PTHREAD_COND_INITIALIZER,
          .woken = PTHREAD_COND_INITIALIZER,
          .scratch_fd = -1};

/* In a worker: wakes the parent if that is due; returns when it next will be. */
static int64_t serve(int waker)
{
    int64_t due = waker ? atomic_load(live.due) : 0;

    if (due && pace_now() >= due) {
        atomic_store(live.due, 0);
        if (write(live.pipe[1], "w", 1) < 0)
            _exit(1);
        return 0;
    }
    return due;
}

static void worker_main(int waker, int percent)
{
    for (int64_t start = pace_now();; start = pace_now()) {
        int64_t stop = start + SLICE_NS / 100 * percent, end = start + SLICE_NS;

        while (pace_now() < stop)
            serve(waker);
        while (pace_now() < end) {
            int64_t due = serve(waker), next = pace_now() + IDLE_NS;

            if (due && due < next)
                next = due;
            pace_sleep_until(next < end ? next : end);
        }
    }
}

static int start_worker(int waker, int percent)
{
    pid_t parent = getpid(), child = fork();

    if (child) {
        live.worker[live.workers++] = child;
        return child < 0 ? -1 : 0;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(0);
    /* The machine of the timeline has a core for everybody; this one may not. */
    if (percent > 0)
        setpriority(PRIO_PROCESS, 0, 3);
    worker_main(waker, percent);
    _exit(0);
}

static void *waker_thread(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&live.lock);
    for (;;) {
        while (!live.thread_due)
            pthread_cond_wait(&live.asked, &live.lock);
        int64_t due = live.thread_due;

        pthread_mutex_unlock(&live.lock);
        pace_sleep_until(due);
        pthread_mutex_lock(&live.lock);
        live.thread_due = 0;
        pthread_cond_signal(&live.woken);
    }
    return NULL;
}

int live_wait_start(const struct tl_side *side)
{
    int workers = side->workers > 0 ? (int)side->workers : 1;
    int percent =
        side->workers > 0 && side->worker_cpu_percent > 0 ? (int)side->worker_cpu_percent : 0;

    live.due = mmap(NULL, WAKE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    live.epoll = epoll_create1(EPOLL_CLOEXEC);
    if (live.due == MAP_FAILED || live.epoll < 0 || pipe(live.pipe))
        return -1;
    struct epoll_event readable = {.events = EPOLLIN};
    epoll_ctl(live.epoll, EPOLL_CTL_ADD, live.pipe[0], &readable);
    for (int i = 0; i < workers && i < MAX_WORKERS; i++)
        if (start_worker(i == 0, percent > 100 ? 100 : percent))
            return -1;
    return 0;
}

const char *live_wait_problem(enum tl_how how)
{
    if (how == TL_RUNQ || how == TL_THROTTLED)
        return "a thread kept off the CPU is played in virtual time only";
    return NULL;
}

static void wait_for_thread(int64_t due)
{
    pthread_t thread;

    pthread_mutex_lock(&live.lock);
    if (!live.thread_running)
        live.thread_running = !pthread_create(&thread, NULL, waker_thread, NULL);
    live.thread_due = due;
    pthread_cond_signal(&live.asked);
    while (live.thread_due)
        pthread_cond_wait(&live.woken, &live.lock);
    pthread_mutex_unlock(&live.lock);
}

static void wait_for_child(int64_t due)
{
    pid_t child = fork();

    if (!child) {
        pace_sleep_until(due);
        _exit(0);
    }
    waitpid(child, NULL, 0);
}

static void wait_for_disk(int64_t due)
{
    static char block[65536];

    if (live.scratch_fd < 0) {
        snprintf(live.scratch, sizeof(live.scratch), "/tmp/play_live.%d", (int)getpid());
        live.scratch_fd = open(live.scratch, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        unlink(live.scratch);
    }
    while (pace_now() < due)
        if (pwrite(live.scratch_fd, block, sizeof(block), 0) < 0 || fsync(live.scratch_fd))
            pace_sleep_until(due);
}

static void wait_for_pipe(enum tl_how how, int64_t due)
{
    struct pollfd readable = {.fd = live.pipe[0], .events = POLLIN};
    struct epoll_event event;
    char byte;

    atomic_store(live.due, due);
    if (how == TL_POLL)
        poll(&readable, 1, -1);
    else if (how == TL_EPOLL)
        epoll_wait(live.epoll, &event, 1, -1);
    if (read(live.pipe[0], &byte, 1) != 1) {
        fputs("the worker is gone\n", stderr);
        exit(1);
    }
}

void live_wait(enum tl_how how, int64_t ns)
{
    int64_t due = pace_now() + ns;

    switch (how) {
    case TL_POLL:
    case TL_EPOLL:
    case TL_READ:
        wait_for_pipe(how, due);
        break;
    case TL_CHILD:
        wait_for_child(due);
        break;
    case TL_FSYNC:
        wait_for_disk(due);
        break;
    default:
        wait_for_thread(due);
        break;
    }
}

void live_wait_stop(void)
{
    for (int i = 0; i < live.workers; i++)
        pace_end_child(live.worker[i]);
    live.workers = 0;
}
