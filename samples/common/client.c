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

static int connection = -1;

/* Ends with the connection. */
static void ask(const struct sockaddr_in *server, int burst, int64_t pause_ns)
{
    char request[REQUEST_BYTES] = {0}, answer;
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    if (fd < 0 || connect(fd, (const struct sockaddr *)server, sizeof(*server)))
        _exit(1);
    for (;;) {
        for (int i = 0; i < burst; i++)
            if (send(fd, request, sizeof(request), MSG_NOSIGNAL) <= 0)
                _exit(0);
        for (int i = 0; i < burst; i++)
            if (recv(fd, &answer, 1, 0) <= 0)
                _exit(0);
        pace_sleep_until(pace_now() + pause_ns);
    }
}

/* Forked twice: a client is nobody's child here, as it would be on another machine. */
static int fork_client(const struct sockaddr_in *server, int burst, int64_t pause_ns, int listening)
{
    pid_t child = fork();

    if (child)
        return child < 0 || waitpid(child, NULL, 0) < 0 ? -1 : 0;
    if (fork())
        _exit(0);
    close(listening);
    ask(server, burst, pause_ns);
    return -1;
}

int client_start(int burst, int64_t pause_ns)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof(at);
    int listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (listening < 0 || bind(listening, (struct sockaddr *)&at, len) || listen(listening, 1) ||
        getsockname(listening, (struct sockaddr *)&at, &len))
        return -1;
    if (fork_client(&at, burst, pause_ns, listening))
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

void client_answer(void)
{
    if (send(connection, "a", 1, MSG_NOSIGNAL) == 1)
        return;
    fprintf(stderr, "the client is gone\n");
    exit(1);
}
