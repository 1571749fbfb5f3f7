/* Looks at one thread, see watch_look.h.
 * Threads: the helper. May not: allocate.
 *
 * A thread on a core shows no system call. That it spins is told from its clocks: a loop that asks
 * the kernel again and again (sched_yield, poll without a wait, a try-read) spends most of its
 * time there without moving data or touching new pages, and comes back to its own code each time,
 * which one long call (munmap, fork) does not. A loop that asks memory only looks like work. */
#include "collect/watch_look.h"

#include <linux/futex.h>
#include <poll.h>
#include <string.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/out.h"
#include "collect/peek.h"
#include "collect/procfs.h"
#include "collect/watch_fd.h"

#define MOST_POLLED 64
#define MOST_OTHERS 32 /* each look at one costs 25 us */
#define SHORT_WAIT_NS                                                                              \
    INT64_C(10000000)                    /* who waits for less looks again soon: for the GIL 5 ms  \
                                          */
#define MUTEX_TAKEN   2                  /* the value glibc's mutexes are waited on with */
#define SPIN_LEAST_NS INT64_C(100000000) /* of CPU time: ten ticks of its clocks */
#define SPIN_LOOKS    100                /* then the sums begin again */
#define FAULT_NS      2000               /* a page fault costs less */
#define SPIN_BYTES_NS 100                /* per byte moved: 10 MB/s is no data */

enum how {
    NOT_A_WAIT,
    READ,
    WRITE,
    SYNC,
    METADATA,
    ACCEPT,
    POLL,
    SELECT,
    EPOLL,
    SLEEP,
    CHILD,
    FUTEX
};

int wi_parse_syscall(const char *text, struct wi_syscall *call)
{
    const char *at = text;
    memset(call, 0, sizeof(*call));
    call->number = -1;
    if (!strncmp(text, "running", 7)) {
        call->running = 1;
        return 0;
    }
    if (*at == '-')
        return 0;
    call->number = wi_take_number(&at);
    if (call->number == WI_UNKNOWN)
        return WI_ERR_FORMAT;
    for (int i = 0; i < 6; i++) {
        if (at[0] != ' ' || at[1] != '0' || at[2] != 'x')
            return WI_ERR_FORMAT;
        call->arg[i] = (uint64_t)wi_take_hex(&at);
    }
    return 0;
}

static enum how how_of(int64_t number)
{
    switch (number) {
#define WAIT(call, how)                                                                            \
    case SYS_##call:                                                                               \
        return how;
#include "collect/waits.def"
#undef WAIT
    default:
        return NOT_A_WAIT;
    }
}

/* Kept descriptors are checked by what they say: the number may have become another file's. */
static int read_stat(struct wi_looked *thread, struct wi_proc_stat *stat)
{
    char text[1024];
    if (thread->stat_fd < 0)
        thread->stat_fd = wi_keep_open("/proc/self/task/%u/stat", thread->tid);
    if (wi_read_kept(&thread->stat_fd, text, sizeof(text)) <= 0)
        return 0;
    if (wi_parse_stat(text, stat) == 0 && stat->id == thread->tid)
        return 1;
    wi_lose_kept(&thread->stat_fd);
    return 0;
}

static int read_syscall(struct wi_looked *thread, struct wi_syscall *call)
{
    char text[256];
    if (thread->syscall_fd < 0)
        thread->syscall_fd = wi_keep_open("/proc/self/task/%u/syscall", thread->tid);
    if (wi_read_kept(&thread->syscall_fd, text, sizeof(text)) <= 0)
        return 0;
    if (wi_parse_syscall(text, call) == 0)
        return 1;
    wi_lose_kept(&thread->syscall_fd);
    return 0;
}

struct search {
    int64_t own, waiting; /* threads that do not count */
    int looked, found;
};

static int64_t last_found; /* who held a lock a moment ago mostly still does */

static void look_at_other(void *user, const char *name)
{
    struct search *search = user;
    struct wi_proc_stat stat;
    char text[1024];
    const char *at = name;
    int64_t tid = wi_take_number(&at);
    if (search->found || tid == search->own || tid == search->waiting ||
        search->looked++ >= MOST_OTHERS ||
        wi_read_at(text, sizeof(text), "/proc/self/task/%lld/stat", (long long)tid) <= 0 ||
        wi_parse_stat(text, &stat) != 0)
        return;
    search->found = stat.state == 'R' || stat.state == 'D';
    last_found = search->found ? tid : last_found;
}

/* Is another thread of the process on a core, or deep in the kernel? */
static int other_works(uint32_t waiting)
{
    struct search search = {.own = syscall(SYS_gettid), .waiting = waiting};
    char name[24];
    struct wi_out out;
    wi_out_mem(&out, name, sizeof(name));
    wi_out_i64(&out, last_found);
    if (last_found && wi_out_finish(&out) == 0)
        look_at_other(&search, name);
    if (!search.found)
        wi_each_number("/proc/self/task", &search, look_at_other);
    return search.found;
}

/* Does the wait end by itself so soon that it is one of many? */
static int short_wait(uint64_t timeout, int absolute, int realtime)
{
    struct timespec left;
    int64_t ns, now = 0; /* the job may have written anything there by now */
    if (!timeout || wi_peek_once((uintptr_t)timeout, &left, sizeof(left)) != 0)
        return 0;
    if (absolute)
        now = wi_clock_ns(realtime ? CLOCK_REALTIME : CLOCK_MONOTONIC);
    if (__builtin_mul_overflow((int64_t)left.tv_sec, INT64_C(1000000000), &ns) ||
        __builtin_add_overflow(ns, (int64_t)left.tv_nsec, &ns) ||
        __builtin_sub_overflow(ns, now, &ns))
        return 0;
    return ns <= SHORT_WAIT_NS;
}

/* A mutex, or a lock that is asked for again every few ms, as the interpreter's is; conditions and
 * queues wait with other operations and values, and mostly without end. */
static int is_lock(const struct wi_syscall *call)
{
    int command = (int)(call->arg[1] & FUTEX_CMD_MASK);
    int absolute = command == FUTEX_WAIT_BITSET;
    if (command == FUTEX_LOCK_PI || (command == FUTEX_WAIT && call->arg[2] == MUTEX_TAKEN))
        return 1;
    return (absolute || command == FUTEX_WAIT) &&
           short_wait(call->arg[3], absolute, (call->arg[1] & FUTEX_CLOCK_REALTIME) != 0);
}

static enum wi_fd_kind most_telling(enum wi_fd_kind most, int fd)
{
    enum wi_fd_kind kind = wi_fd_kind(fd);
    return kind > most ? kind : most;
}

static int polled(uint64_t array, uint64_t count)
{
    struct pollfd fds[MOST_POLLED];
    enum wi_fd_kind most = WI_FD_UNSEEN;
    if (!count)
        return WI_SPAN_WAIT_SLEEP;
    count = count < MOST_POLLED ? count : MOST_POLLED;
    if (wi_peek_once((uintptr_t)array, fds, count * sizeof(fds[0])) != 0)
        return WI_SPAN_WAIT_POLL;
    for (uint64_t i = 0; i < count; i++)
        if (fds[i].fd >= 0)
            most = most_telling(most, fds[i].fd);
    return most == WI_FD_UNSEEN ? WI_SPAN_WAIT_POLL : wi_fd_span(most);
}

/* The kernel writes to the sets only when it returns. */
static int selected(const struct wi_syscall *call)
{
    enum wi_fd_kind most = WI_FD_UNSEEN;
    int count = call->arg[0] < FD_SETSIZE ? (int)call->arg[0] : FD_SETSIZE;
    int looked = 0;
    for (int set = 1; set <= 2 && count > 0; set++) {
        fd_set fds;
        if (!call->arg[set] || wi_peek_once((uintptr_t)call->arg[set], &fds, sizeof(fds)) != 0)
            continue;
        for (int fd = 0; fd < count && looked < MOST_POLLED; fd++)
            if (FD_ISSET(fd, &fds)) {
                most = most_telling(most, fd);
                looked++;
            }
    }
    if (!looked)
        return WI_SPAN_WAIT_SLEEP;
    return most == WI_FD_UNSEEN ? WI_SPAN_WAIT_POLL : wi_fd_span(most);
}

/* Outside system calls a thread sleeps in page faults: for the disk, or for the memory map that
 * another thread is changing. */
static int faulting(struct wi_looked *thread)
{
    struct wi_proc_stat stat;
    char where[64];
    if (!read_stat(thread, &stat) || stat.state != 'D')
        return WI_LOOK_NOTHING;
    long len = wi_read_at(where, sizeof(where), "/proc/self/task/%u/wchan", thread->tid);
    if (len > 0 && (strstr(where, "rwsem") || strstr(where, "mmap_lock")))
        return other_works(thread->tid) ? WI_SPAN_WAIT_LOCK : WI_LOOK_NOTHING;
    return WI_SPAN_WAIT_FILE;
}

static int waits_for_disk(struct wi_looked *thread)
{
    struct wi_proc_stat stat;
    return read_stat(thread, &stat) && stat.state == 'D';
}

static int asleep(struct wi_looked *thread, const struct wi_syscall *call)
{
    enum wi_fd_kind fd;
    switch (how_of(call->number)) {
    case READ:
    case EPOLL:
        return wi_fd_span(wi_fd_kind((int)call->arg[0]));
    case WRITE:
        fd = wi_fd_kind((int)call->arg[0]);
        return fd == WI_FD_FILE ? WI_SPAN_WAIT_FSYNC : wi_fd_span(fd);
    case SYNC:
        return WI_SPAN_WAIT_FSYNC;
    case METADATA:
        return waits_for_disk(thread) ? WI_SPAN_WAIT_FILE : WI_LOOK_NOTHING;
    case ACCEPT:
        return WI_SPAN_WAIT_REQUEST;
    case POLL:
        return polled(call->arg[0], call->arg[1]);
    case SELECT:
        return selected(call);
    case SLEEP:
        return WI_SPAN_WAIT_SLEEP;
    case CHILD:
        return WI_SPAN_WAIT_CHILD;
    case FUTEX:
        return is_lock(call) && other_works(thread->tid) ? WI_SPAN_WAIT_LOCK : WI_SPAN_WAIT_FUTEX;
    default:
        return WI_LOOK_NOTHING;
    }
}

/* Bytes that the thread's reads and writes have moved; WI_UNKNOWN if that is not told. */
static int64_t moved_bytes(uint32_t tid)
{
    char text[512];
    if (wi_read_at(text, sizeof(text), "/proc/self/task/%u/io", tid) <= 0)
        return WI_UNKNOWN;
    int64_t in = wi_number_of(text, "rchar:"), out = wi_number_of(text, "wchar:");
    return in == WI_UNKNOWN || out == WI_UNKNOWN ? WI_UNKNOWN : in + out;
}

static int judge(const struct wi_looked *thread)
{
    const struct wi_spin *spin = &thread->spin;
    int64_t total = spin->user_ns + spin->kernel_ns;
    if (spin->runs * 10 < spin->looks * 9 || spin->kernel_ns * 5 < total * 3 ||
        spin->user_ns * 50 < total || spin->faults * FAULT_NS * 4 > spin->kernel_ns)
        return 0;
    int64_t bytes = moved_bytes(thread->tid);
    return bytes != WI_UNKNOWN && spin->base_bytes != WI_UNKNOWN &&
           (bytes - spin->base_bytes) * SPIN_BYTES_NS < total;
}

static void begin_sums(struct wi_looked *thread)
{
    thread->spin = (struct wi_spin){.spins = thread->spin.spins};
    thread->spin.base_bytes = moved_bytes(thread->tid);
}

static int on_core(struct wi_looked *thread, int first)
{
    struct wi_spin *spin = &thread->spin;
    struct wi_proc_stat stat;
    if (spin->looks == 0 || spin->looks >= SPIN_LOOKS)
        begin_sums(thread);
    spin->looks++;
    spin->runs++;
    if (!read_stat(thread, &stat) || stat.kernel_ns == WI_UNKNOWN ||
        stat.minor_faults == WI_UNKNOWN)
        return WI_LOOK_NOTHING;
    if (spin->based && !first) {
        spin->user_ns += stat.user_ns - spin->base_user_ns;
        spin->kernel_ns += stat.kernel_ns - spin->base_kernel_ns;
        spin->faults += stat.minor_faults - spin->base_faults;
    }
    spin->based = 1;
    spin->base_user_ns = stat.user_ns;
    spin->base_kernel_ns = stat.kernel_ns;
    spin->base_faults = stat.minor_faults;
    if (spin->user_ns + spin->kernel_ns >= SPIN_LEAST_NS)
        spin->spins = judge(thread);
    return spin->spins ? WI_SPAN_BUSY_POLL : WI_LOOK_RUNS;
}

int wi_look(struct wi_looked *thread, int first)
{
    struct wi_syscall call;
    if (!read_syscall(thread, &call))
        return WI_LOOK_NOTHING;
    if (call.running)
        return on_core(thread, first);
    thread->spin.looks += thread->spin.looks > 0;
    thread->spin.based = 0;
    return call.number < 0 ? faulting(thread) : asleep(thread, &call);
}

int wi_look_waits_for_request(int64_t tid)
{
    char text[256];
    struct wi_syscall call;
    struct wi_looked unkept = {.syscall_fd = -1, .stat_fd = -1};
    if (wi_read_at(text, sizeof(text), "/proc/self/task/%lld/syscall", (long long)tid) <= 0 ||
        wi_parse_syscall(text, &call) != 0)
        return WI_ERR_IO;
    switch (call.running ? NOT_A_WAIT : how_of(call.number)) {
    case READ:
    case ACCEPT:
    case POLL:
    case SELECT:
    case EPOLL: /* none of them asks for what `unkept` lacks */
        return asleep(&unkept, &call) == WI_SPAN_WAIT_REQUEST;
    default:
        return 0;
    }
}

/* Reading from the files of an ended thread is what closes them (procfs.c). */
void wi_look_end(struct wi_looked *thread)
{
    char text[8];
    wi_read_kept(&thread->syscall_fd, text, sizeof(text));
    wi_read_kept(&thread->stat_fd, text, sizeof(text));
}
