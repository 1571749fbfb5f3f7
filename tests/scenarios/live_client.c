/* The client and the connection, see live_client.h.
 * Threads: the launching thread; the client is a process of its own that ends with the connection.
 */
#include <fcntl.h>
#include <netinet/in.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "live_client.h"
#include "pace.h"

#define BACKLOG      4000 /* requests of one byte */
#define IDLE_NS      1000000
#define SHARED_BYTES 4096

static struct {
    _Atomic int64_t *due; /* shared with the client: when to send, 0 = not asked */
    int listening, connection, epoll, backlog;
} server;

static void client_main(int fd)
{
    char requests[BACKLOG] = {0}, byte;

    if (server.backlog && write(fd, requests, sizeof(requests)) < 0)
        _exit(1);
    /* The connection ends with the server. */
    while (recv(fd, &byte, 1, MSG_DONTWAIT) != 0) {
        int64_t due = atomic_load(server.due), now = pace_now();

        if (due && now >= due) {
            atomic_store(server.due, 0);
            if (write(fd, requests, 1) != 1)
                _exit(1);
        } else {
            pace_sleep_until(due && due < now + IDLE_NS ? due : now + IDLE_NS);
        }
    }
    _exit(0);
}

static int listen_here(struct sockaddr_in *at)
{
    socklen_t len = sizeof(*at);

    *at = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    server.listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    return server.listening < 0 || bind(server.listening, (struct sockaddr *)at, len) ||
                   listen(server.listening, 8) ||
                   getsockname(server.listening, (struct sockaddr *)at, &len)
               ? -1
               : 0;
}

/* Forked twice, so that nobody takes it for a worker of the job. */
static int start_client(const struct sockaddr_in *at)
{
    pid_t child = fork();

    if (child)
        return child < 0 || waitpid(child, NULL, 0) < 0 ? -1 : 0;
    if (fork())
        _exit(0);
    close(server.listening);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || connect(fd, (const struct sockaddr *)at, sizeof(*at)))
        _exit(1);
    client_main(fd);
    return -1;
}

static int watch(int fd)
{
    struct epoll_event readable = {.events = EPOLLIN, .data.fd = fd};

    return epoll_ctl(server.epoll, EPOLL_CTL_ADD, fd, &readable);
}

int live_client_start(int backlog)
{
    struct sockaddr_in at;

    server.backlog = backlog;
    server.due =
        mmap(NULL, SHARED_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    server.epoll = epoll_create1(EPOLL_CLOEXEC);
    if (server.due == MAP_FAILED || server.epoll < 0 || listen_here(&at) || start_client(&at))
        return -1;
    server.connection = accept4(server.listening, NULL, NULL, SOCK_CLOEXEC);
    return server.connection < 0 || watch(server.listening) || watch(server.connection) ? -1 : 0;
}

void live_client_wait(int64_t due_ns)
{
    struct epoll_event event;
    char request;

    if (!server.backlog)
        atomic_store(server.due, due_ns);
    while (epoll_wait(server.epoll, &event, 1, -1) != 1 || event.data.fd != server.connection)
        ;
    if (read(server.connection, &request, 1) != 1) {
        fputs("the client is gone\n", stderr);
        exit(1);
    }
}
