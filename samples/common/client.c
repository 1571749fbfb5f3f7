/* A client and the server's end of its connection, see client.h.
 * Threads: the launching thread; the client is a process that ends with the connection. */
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client.h"
#include "pace.h"

#define REQUEST_BYTES 64
#define SLOW_REQUESTS 10
#define SLOW_NS       20000000

static int connection = -1;

static void send_requests(const struct sockaddr_in *server, int64_t period_ns)
{
    char request[REQUEST_BYTES] = {0};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    int64_t due = pace_now();

    if (fd < 0 || connect(fd, (const struct sockaddr *)server, sizeof(*server)))
        _exit(1);
    for (int i = 0; send(fd, request, sizeof(request), MSG_NOSIGNAL) > 0; i++) {
        due += period_ns ? period_ns : SLOW_NS;
        if (period_ns || i < SLOW_REQUESTS)
            pace_sleep_until(due);
    }
    _exit(0);
}

/* Forked twice: a client is nobody's child here, as it would be on another machine. */
static int fork_client(const struct sockaddr_in *server, int64_t period_ns, int listening)
{
    pid_t child = fork();

    if (child)
        return child < 0 || waitpid(child, NULL, 0) < 0 ? -1 : 0;
    if (fork())
        _exit(0);
    close(listening);
    send_requests(server, period_ns);
    return -1;
}

int client_start(int64_t period_ns)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof(at);
    int listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (listening < 0 || bind(listening, (struct sockaddr *)&at, len) || listen(listening, 1) ||
        getsockname(listening, (struct sockaddr *)&at, &len))
        return -1;
    if (fork_client(&at, period_ns, listening))
        return -1;
    connection = accept(listening, NULL, NULL);
    return connection < 0 ? -1 : 0;
}

void client_take(void)
{
    char request[REQUEST_BYTES];

    if (recv(connection, request, sizeof(request), MSG_WAITALL) == sizeof(request))
        return;
    fprintf(stderr, "the client is gone\n");
    exit(1);
}
