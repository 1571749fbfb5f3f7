/* Tells kinds of descriptors, see watch_fd.h.
 * Threads: the helper. May not: allocate.
 *
 * This process shares the descriptors, so fstat and getsockopt answer for them directly. What a
 * scan of other processes or of a table found is kept for some seconds. */
#include "collect/watch_fd.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/out.h"
#include "collect/collect.h"
#include "collect/procfs.h"
#include "collect/stat_call.h"
#include "collect/watch_parts.h"

#define KEPT          64
#define KEEP_NS       INT64_C(2000000000)
#define MOST_CHILDREN 16
#define MOST_FDS      256
#define MOST_PORTS    256
#define MOST_MEMBERS  64
#define LISTENS       0x0a /* TCP_LISTEN in /proc/net/tcp */

struct kept {
    int fd;
    uint64_t device, inode;
    int64_t until_ns;
    unsigned children; /* the version of the list of children it was found with */
    enum wi_fd_kind kind;
};

static struct {
    struct kept kept[KEPT];
    unsigned next;
    uint16_t ports[MOST_PORTS]; /* that somebody in this network namespace listens on */
    int port_count;
    int64_t ports_until_ns;
    char text[64 << 10];
} state;

/* Rows are "sl local_address rem_address st ..."; the kernel lists listening sockets first, so a
 * cut table still has them. */
static void add_ports(const char *path)
{
    if (wi_read_file(path, state.text, sizeof(state.text)) <= 0)
        return;
    for (const char *at = strchr(state.text, '\n'); at; at = strchr(at, '\n')) {
        const char *local = wi_skip_words(++at, 1), *colon = strchr(local, ':');
        const char *status = wi_skip_words(local, 2);
        if (!colon || colon > status || wi_take_hex(&status) != LISTENS)
            continue;
        const char *digits = colon + 1;
        int64_t port = wi_take_hex(&digits);
        if (port > 0 && port <= UINT16_MAX && state.port_count < MOST_PORTS)
            state.ports[state.port_count++] = (uint16_t)port;
    }
}

static int listened_on(uint16_t port)
{
    int64_t now = wi_clock_ns(CLOCK_MONOTONIC);
    if (now >= state.ports_until_ns) {
        state.ports_until_ns = now + KEEP_NS;
        state.port_count = 0;
        add_ports("/proc/self/net/tcp");
        add_ports("/proc/self/net/tcp6");
    }
    for (int i = 0; i < state.port_count; i++)
        if (state.ports[i] == port)
            return 1;
    return 0;
}

static int is_child(int64_t pid)
{
    int64_t child;
    for (int i = 0; (child = wi_watch_child(i)) != WI_UNKNOWN; i++)
        if (child == pid)
            return 1;
    return 0;
}

/* A named end is what a listening socket's connections have; a pair's ends have no name, and its
 * maker, this process, as peer. */
static enum wi_fd_kind kind_of_unix(int fd, const struct sockaddr_un *own, socklen_t len)
{
    struct ucred peer;
    socklen_t peer_len = sizeof(peer);
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &peer_len) != 0)
        return WI_FD_OTHER;
    if (is_child(peer.pid) || (peer.pid == wi_process.pid && wi_watch_child(0) != WI_UNKNOWN))
        return WI_FD_CHILD;
    return peer.pid > 0 && len > offsetof(struct sockaddr_un, sun_path) + 1 && own->sun_path[1]
               ? WI_FD_REQUEST
               : WI_FD_OTHER;
}

static enum wi_fd_kind kind_of_socket(int fd)
{
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
        struct sockaddr_un local;
        struct sockaddr_storage room;
    } own;
    int on = 0;
    socklen_t on_len = sizeof(on), len = sizeof(own);
    memset(&own, 0, sizeof(own));
    if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &on, &on_len) == 0 && on)
        return WI_FD_REQUEST;
    if (getsockname(fd, &own.any, &len) != 0)
        return WI_FD_UNSEEN;
    if (own.any.sa_family == AF_UNIX)
        return kind_of_unix(fd, &own.local, len);
    if (own.any.sa_family != AF_INET && own.any.sa_family != AF_INET6)
        return WI_FD_OTHER;
    uint16_t port = ntohs(own.any.sa_family == AF_INET ? own.v4.sin_port : own.v6.sin6_port);
    return port && listened_on(port) ? WI_FD_REQUEST : WI_FD_OTHER;
}

struct wanted {
    uint64_t device, inode;
    int64_t pid;
    int looked, found;
};

/* Opened for writing, as the link's mode tells: that a child has inherited the reading end says
 * nothing. */
static void compare(void *user, const char *name)
{
    struct wanted *wanted = user;
    char path[64];
    struct stat link, there;
    struct wi_out out;
    if (wanted->found || wanted->looked++ >= MOST_FDS)
        return;
    wi_out_mem(&out, path, sizeof(path));
    wi_out_f(&out, "/proc/%lld/fd/%s", (long long)wanted->pid, name);
    if (wi_out_finish(&out) != 0 || wi_stat_path(path, &there, 0) != 0 ||
        there.st_dev != wanted->device || there.st_ino != wanted->inode)
        return;
    wanted->found = wi_stat_path(path, &link, AT_SYMLINK_NOFOLLOW) == 0 && link.st_mode & S_IWUSR;
}

static enum wi_fd_kind kind_of_pipe(const struct stat *pipe)
{
    struct wanted wanted = {.device = pipe->st_dev, .inode = pipe->st_ino};
    for (int i = 0; i < MOST_CHILDREN && !wanted.found; i++) {
        char path[64];
        struct wi_out out;
        wanted.pid = wi_watch_child(i);
        wanted.looked = 0;
        if (wanted.pid == WI_UNKNOWN)
            break;
        wi_out_mem(&out, path, sizeof(path));
        wi_out_f(&out, "/proc/%lld/fd", (long long)wanted.pid);
        if (wi_out_finish(&out) == 0)
            wi_each_number(path, &wanted, compare);
    }
    return wanted.found ? WI_FD_CHILD : WI_FD_OTHER;
}

/* Timers and process descriptors among the kernel's nameless files; devices by their path. */
static enum wi_fd_kind kind_by_link(int fd)
{
    static const struct {
        const char *begins;
        enum wi_fd_kind kind;
    } LINKS[] = {{"/dev/nvidia", WI_FD_DEVICE},
                 {"anon_inode:[timerfd]", WI_FD_TIMER},
                 {"anon_inode:[pidfd]", WI_FD_CHILD},
                 {"pidfd:", WI_FD_CHILD}};
    char path[64], text[64];
    struct wi_out out;
    wi_out_mem(&out, path, sizeof(path));
    wi_out_f(&out, "/proc/self/fd/%d", fd);
    long len = wi_out_finish(&out) == 0 ? readlink(path, text, sizeof(text) - 1) : -1;
    text[len > 0 ? len : 0] = 0;
    for (size_t i = 0; i < WI_ARRAY_LEN(LINKS); i++)
        if (!strncmp(text, LINKS[i].begins, strlen(LINKS[i].begins)))
            return LINKS[i].kind;
    if (!strcmp(text, "anon_inode:[eventpoll]"))
        return wi_fd_epoll(fd);
    return len > 0 ? WI_FD_OTHER : WI_FD_UNSEEN;
}

static enum wi_fd_kind look_up(int fd, const struct stat *file)
{
    if (S_ISREG(file->st_mode) || S_ISBLK(file->st_mode) || S_ISDIR(file->st_mode))
        return WI_FD_FILE;
    if (S_ISFIFO(file->st_mode))
        return kind_of_pipe(file);
    if (S_ISSOCK(file->st_mode))
        return kind_of_socket(fd);
    return kind_by_link(fd);
}

/* The number is part of the key: all nameless files share one inode. */
enum wi_fd_kind wi_fd_kind(int fd)
{
    struct stat file;
    int64_t now = wi_clock_ns(CLOCK_MONOTONIC);
    if (fd < 0 || wi_stat_fd(fd, &file) != 0)
        return WI_FD_UNSEEN;
    for (int i = 0; i < KEPT; i++) {
        const struct kept *kept = &state.kept[i];
        if (kept->until_ns > now && kept->fd == fd && kept->device == file.st_dev &&
            kept->inode == file.st_ino && kept->children == wi_watch_children_version())
            return kept->kind;
    }
    enum wi_fd_kind kind = look_up(fd, &file);
    state.kept[state.next++ % KEPT] = (struct kept){.fd = fd,
                                                    .device = file.st_dev,
                                                    .inode = file.st_ino,
                                                    .until_ns = now + KEEP_NS,
                                                    .children = wi_watch_children_version(),
                                                    .kind = kind};
    return kind;
}

/* Sets within sets are followed once: an inner one is looked up as a member, not by its members. */
enum wi_fd_kind wi_fd_epoll(int fd)
{
    static int inside;
    char text[8192];
    enum wi_fd_kind most = WI_FD_UNSEEN;
    if (inside || wi_read_at(text, sizeof(text), "/proc/self/fdinfo/%d", fd) <= 0)
        return WI_FD_OTHER;
    inside = 1;
    const char *at = text;
    for (int i = 0; i < MOST_MEMBERS && (at = strstr(at, "tfd:")); i++) {
        at += 4;
        int64_t member = wi_take_number(&at);
        enum wi_fd_kind kind = member == WI_UNKNOWN ? WI_FD_UNSEEN : wi_fd_kind((int)member);
        most = kind > most ? kind : most;
    }
    inside = 0;
    return most == WI_FD_UNSEEN ? WI_FD_OTHER : most;
}

int wi_fd_span(enum wi_fd_kind kind)
{
    switch (kind) {
    case WI_FD_TIMER:
        return WI_SPAN_WAIT_SLEEP;
    case WI_FD_OTHER:
        return WI_SPAN_WAIT_POLL;
    case WI_FD_FILE:
        return WI_SPAN_WAIT_FILE;
    case WI_FD_CHILD:
        return WI_SPAN_WAIT_CHILD;
    case WI_FD_REQUEST:
        return WI_SPAN_WAIT_REQUEST;
    default:
        return -1;
    }
}
