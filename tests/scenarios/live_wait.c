/* Waits of the live player: which real thing stands for which word.
 *   poll, condvar, futex   a worker's pipe; a condition that a thread of the process signals
 *   epoll                  a pipe, or where `side` tells of requests a connection of a server
 *   read, fsync            direct reads and synchronised writes of a regular file
 *   child                  a child's exit, or the end and new start of all workers
 *   gil                    a mutex whose holder gives memory back
 *   throttled              a quota of the player's own control group
 *   cpu ... spin           a queue that is asked again and again
 * Threads: the launching thread. */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "live_client.h"
#include "live_cores.h"
#include "live_threads.h"
#include "live_wait.h"
#include "live_workers.h"
#include "pace.h"

#define SAVE_BYTES (8 << 20) /* one write of a checkpoint */
#define BACKLOG_NS 1000000   /* a shorter wait for a request is none */
#define RENEWED_NS 100000000 /* a shorter wait for a child is not the workers' new start */

static struct {
    const struct tl_side *side;
    int epoll, scratch;
} waits = {.scratch = -1};

static int has_wait(const struct tl_block *block, enum tl_how how)
{
    for (int i = 0; i < block->rank[0].lines; i++)
        if (block->rank[0].program[i].op == TL_WAIT && block->rank[0].program[i].how == how)
            return 1;
    return 0;
}

static int64_t shortest(const struct tl_block *block, enum tl_how how)
{
    int64_t least = INT64_MAX;

    for (int i = 0; i < block->rank[0].lines; i++) {
        const struct tl_line *line = &block->rank[0].program[i];

        if (line->op == TL_WAIT && line->how == how && line->ns < least)
            least = line->ns;
    }
    return least;
}

int live_wait_start(const struct tl_block *block)
{
    struct epoll_event readable = {.events = EPOLLIN};

    waits.side = &block->side;
    if (live_workers_start(&block->side))
        return -1;
    waits.epoll = epoll_create1(EPOLL_CLOEXEC);
    if (waits.epoll < 0 || epoll_ctl(waits.epoll, EPOLL_CTL_ADD, live_workers_fd(), &readable))
        return -1;
    if (block->side.serves == 1 && has_wait(block, TL_EPOLL) &&
        live_client_start(shortest(block, TL_EPOLL) < BACKLOG_NS))
        return -1;
    if ((has_wait(block, TL_READ) || has_wait(block, TL_FSYNC)) &&
        (waits.scratch = live_scratch_file()) < 0)
        return -1;
    if (has_wait(block, TL_THROTTLED) && live_cores_enter())
        return -1;
    return live_cores_start(&block->side) || live_threads_start(block) ? -1 : 0;
}

const char *live_wait_problem(const struct tl_block *block)
{
    const char *problem = live_workers_problem(&block->side);

    if (!problem && has_wait(block, TL_RUNQ))
        problem = "a thread kept in the run queue for a given time is played in virtual time only";
    if (!problem && has_wait(block, TL_THROTTLED))
        problem = live_cores_problem();
    if (!problem && (has_wait(block, TL_READ) || has_wait(block, TL_FSYNC))) {
        int fd = live_scratch_file();

        if (fd < 0)
            return "TMPDIR takes no direct reads: this case is played in virtual time only";
        close(fd);
    }
    return problem;
}

static void take_byte(void)
{
    char byte;

    if (read(live_workers_fd(), &byte, 1) != 1) {
        fputs("the worker is gone\n", stderr);
        exit(1);
    }
}

static void wait_for_worker(enum tl_how how, int64_t due)
{
    struct pollfd readable = {.fd = live_workers_fd(), .events = POLLIN};
    struct epoll_event event;

    live_workers_ask(due);
    if (how == TL_POLL)
        poll(&readable, 1, -1);
    else
        epoll_wait(waits.epoll, &event, 1, -1);
    take_byte();
}

/* Asks the queue without ever sleeping for it. */
static void spin_for_worker(int64_t due)
{
    struct pollfd readable = {.fd = live_workers_fd(), .events = POLLIN};

    live_workers_ask(due);
    while (poll(&readable, 1, 0) != 1)
        ;
    take_byte();
}

static void wait_for_child(int64_t ns, int64_t due)
{
    if (waits.side->respawn_gap_s > 0 && ns >= RENEWED_NS) {
        live_workers_renew(due);
        return;
    }
    pid_t child = fork();
    if (!child) {
        pace_sleep_until(due);
        _exit(0);
    }
    waitpid(child, NULL, 0);
}

static void save_until(int64_t due)
{
    static char *block;

    if (!block && posix_memalign((void **)&block, 4096, SAVE_BYTES))
        abort();
    while (pace_now() < due)
        if (pwrite(waits.scratch, block, SAVE_BYTES, 0) < 0 || fsync(waits.scratch))
            pace_sleep_until(due);
}

static void wait_really(const struct tl_line *line, int64_t due)
{
    switch (line->how) {
    case TL_EPOLL:
        if (waits.side->serves == 1) {
            live_client_wait(due);
            return;
        }
        wait_for_worker(line->how, due);
        return;
    case TL_POLL:
        wait_for_worker(line->how, due);
        return;
    case TL_CHILD:
        wait_for_child(line->ns, due);
        return;
    case TL_READ:
        live_read_until(waits.scratch, due);
        return;
    case TL_FSYNC:
        save_until(due);
        return;
    case TL_GIL:
        live_thread_lock(due);
        return;
    case TL_THROTTLED:
        live_cores_throttled(due);
        return;
    default:
        live_thread_wait(due);
        return;
    }
}

/* Functions of their own and with names in the symbol table, so that a look at the stack shows
 * them.
 */
#define SEEN __attribute__((noinline, visibility("default")))
void collect_garbage(int64_t due);
void cpu_optimizer(int64_t due);

SEEN void collect_garbage(int64_t due)
{
    live_thread_compute(due);
    __asm__ volatile("");
}

SEEN void cpu_optimizer(int64_t due)
{
    live_thread_compute(due);
    __asm__ volatile("");
}

static void compute(const struct tl_line *line, int64_t due)
{
    if (!strcmp(line->what, "spin"))
        spin_for_worker(due);
    else if (!strcmp(line->what, "collect-garbage"))
        collect_garbage(due);
    else if (!strcmp(line->what, "cpu-optimizer"))
        cpu_optimizer(due);
    else
        live_thread_compute(due);
}

void live_wait(const struct tl_line *line)
{
    int64_t due = pace_now() + line->ns;

    if (line->op == TL_WAIT)
        wait_really(line, due);
    else
        compute(line, due);
}

void live_wait_stop(void)
{
    live_cores_stop();
    live_workers_stop();
}
