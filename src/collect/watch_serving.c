/* Does this process answer requests without ever having to wait for one? See watch_parts.h.
 * Threads: the helper. May not: allocate; accept from, read from or change a socket of the job.
 *
 * A server whose queue is never empty never sleeps on its connections, so that no look at a thread
 * finds it there. What tells it: requests are taken from sockets of a port that this process
 * listens on, and no thread is found asleep on one. A socket that nobody takes anything from, or
 * that a thread of its own waits on while another one launches, makes no server. */
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "collect/procfs.h"
#include "collect/stat_call.h"
#include "collect/watch_fd.h"
#include "collect/watch_look.h"
#include "collect/watch_parts.h"

#define MOST_SOCKETS 64
#define MOST_FDS     512 /* each costs 0.3 us a second, a socket 3 */
#define MOST_THREADS 32  /* each costs 15 us ten times a second, in a process that serves */
#define LONGEST_NS                                                                                 \
    INT64_C(60000000000) /* a request that takes longer is not told from a dead socket */

struct request_socket {
    int fd, listens;
    uint64_t inode;
    int64_t taken_bytes; /* WI_UNKNOWN: not told for its kind */
};

struct request_sockets {
    struct request_socket list[MOST_SOCKETS];
    int count, looked;
};

static struct {
    struct request_sockets now, last;
    int sampled;
    int64_t looks, idle, waiting; /* since the last sample; nobody asleep, requests there or not */
    int64_t sleeper;              /* who slept on one a moment ago mostly still does */
} state;
/* Time since something was last taken. Apart: what has a value from the start lies in pages that
 * every process writes (load.c). */
static int64_t since_taken_ns = LONGEST_NS;

/* Bytes that have come and lie unread; of a listening socket the connections nobody has accepted.
 */
static int64_t unread(const struct request_socket *s)
{
    struct tcp_info info;
    socklen_t len = sizeof(info);
    int bytes = 0;
    if (!s->listens)
        return ioctl(s->fd, SIOCINQ, &bytes) == 0 ? bytes : 0;
    memset(&info, 0, sizeof(info));
    return getsockopt(s->fd, IPPROTO_TCP, TCP_INFO, &info, &len) == 0 ? info.tcpi_unacked : 0;
}

/* What the kernel's struct tcp_info has behind what the C library's old headers know. */
#define BYTES_RECEIVED_AT 128

static int64_t taken_from(const struct request_socket *s)
{
    unsigned char info[BYTES_RECEIVED_AT + sizeof(uint64_t)];
    socklen_t len = sizeof(info);
    uint64_t received;
    if (s->listens || getsockopt(s->fd, IPPROTO_TCP, TCP_INFO, info, &len) != 0 ||
        len < sizeof(info))
        return WI_UNKNOWN;
    memcpy(&received, info + BYTES_RECEIVED_AT, sizeof(received));
    return (int64_t)received - unread(s);
}

static void add_socket(void *user, const char *name)
{
    struct request_sockets *now = user;
    struct stat file;
    const char *at = name;
    int fd = (int)wi_take_number(&at), on = 0;
    socklen_t len = sizeof(on);
    if (now->count >= MOST_SOCKETS || now->looked++ >= MOST_FDS || wi_stat_fd(fd, &file) != 0 ||
        !S_ISSOCK(file.st_mode) || wi_fd_kind(fd) != WI_FD_REQUEST)
        return;
    struct request_socket *s = &now->list[now->count++];
    *s = (struct request_socket){.fd = fd, .inode = file.st_ino};
    s->listens = getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &on, &len) == 0 && on;
    s->taken_bytes = taken_from(s);
}

/* Was something taken since the last sample: bytes of a connection, or a new connection? */
static int has_taken(const struct request_socket *s)
{
    for (int i = 0; i < state.last.count; i++) {
        const struct request_socket *before = &state.last.list[i];
        if (before->fd == s->fd && before->inode == s->inode)
            return s->taken_bytes != WI_UNKNOWN && before->taken_bytes != WI_UNKNOWN &&
                   s->taken_bytes > before->taken_bytes;
    }
    return !s->listens;
}

void wi_watch_serving(struct wi_host_sample *sample, int64_t interval_ns)
{
    struct request_sockets *now = &state.now;
    int taken = 0;
    now->count = now->looked = 0;
    if (wi_each_number("/proc/self/fd", now, add_socket) != 0)
        return;
    for (int i = 0; i < now->count; i++)
        taken |= has_taken(&now->list[i]);
    since_taken_ns = taken && state.sampled ? 0 : since_taken_ns + interval_ns;
    if (!now->count)
        sample->serving_permille = 0;
    else if (state.looks)
        sample->serving_permille = 1000 *
                                   (since_taken_ns == 0            ? state.idle + state.waiting
                                    : since_taken_ns <= LONGEST_NS ? state.waiting
                                                                   : 0) /
                                   state.looks;
    state.looks = state.idle = state.waiting = 0;
    state.sampled = 1;
    state.last = *now;
}

struct sleepers {
    int looked, told, found;
};

static void look_at(void *user, const char *name)
{
    struct sleepers *all = user;
    const char *at = name;
    int64_t tid = wi_take_number(&at);
    if (all->found || all->looked++ >= MOST_THREADS)
        return;
    int sleeps = wi_look_waits_for_request(tid);
    all->told += sleeps >= 0;
    all->found = sleeps > 0;
    state.sleeper = all->found ? tid : state.sleeper;
}

void wi_watch_serving_tick(void)
{
    struct sleepers all = {0};
    int waiting = 0;
    if (!state.last.count)
        return;
    if (state.sleeper && wi_look_waits_for_request(state.sleeper) > 0)
        all.found = all.told = 1;
    else if (wi_each_number("/proc/self/task", &all, look_at) != 0)
        return;
    if (!all.told)
        return;
    for (int i = 0; i < state.last.count && !waiting; i++)
        waiting = unread(&state.last.list[i]) > 0;
    state.looks++;
    state.waiting += !all.found && waiting;
    state.idle += !all.found && !waiting;
}
