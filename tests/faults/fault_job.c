/* A job that is silent for 15 ms in each way the watch tells apart by descriptors: a child's pipe,
 * a set that holds a listening socket, a connection, a file's neighbours in /proc. What it prints
 * depends on nothing but its own calls. Threads: one. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../preload/job_cuda.h"

#define SILENCE_MS 15

static void *memory;

static void use_device(void)
{
    static char host[4096];
    int failed = cudaMemcpy(memory, host, sizeof(host), JOB_H2D) != 0;
    printf("copy failed %d\n", failed + (cudaDeviceSynchronize() != 0));
}

static void rest(void)
{
    struct timespec span = {0, SILENCE_MS * 1000000L};
    nanosleep(&span, NULL);
}

static void wait_for_child(void)
{
    int ends[2], got = 0;
    char byte;
    if (pipe(ends) != 0)
        return;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, 9);
        for (int i = 0; i < 2; i++) {
            rest();
            if (write(ends[1], "b", 1) != 1)
                break;
        }
        _exit(5);
    }
    close(ends[1]);
    for (int i = 0; i < 2; i++) {
        got += (int)read(ends[0], &byte, 1);
        use_device();
    }
    int status = 0;
    waitpid(child, &status, 0);
    printf("child sent %d and ended %d\n", got, WEXITSTATUS(status));
    close(ends[0]);
}

static int listening(struct sockaddr_in *at)
{
    socklen_t size = sizeof(*at);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    *at = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    return bind(fd, (struct sockaddr *)at, size) == 0 && listen(fd, 4) == 0 &&
                   getsockname(fd, (struct sockaddr *)at, &size) == 0
               ? fd
               : -1;
}

static void wait_for_sockets(void)
{
    struct sockaddr_in at;
    struct epoll_event event = {.events = EPOLLIN};
    struct timeval limit = {0, SILENCE_MS * 1000};
    char byte;
    int listener = listening(&at), set = epoll_create1(0), near, far;
    epoll_ctl(set, EPOLL_CTL_ADD, listener, &event);
    printf("requests %d\n", epoll_wait(set, &event, 1, SILENCE_MS));
    use_device();
    near = socket(AF_INET, SOCK_STREAM, 0);
    int connected = connect(near, (struct sockaddr *)&at, sizeof(at)) == 0;
    far = accept(listener, NULL, NULL);
    setsockopt(far, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
    printf("connected %d, got %d\n", connected, (int)recv(far, &byte, 1, 0));
    use_device();
}

static void wait_for_timer(void)
{
    struct itimerspec once = {.it_value = {0, SILENCE_MS * 1000000L}};
    uint64_t times = 0;
    int timer = timerfd_create(CLOCK_MONOTONIC, 0);
    timerfd_settime(timer, 0, &once, NULL);
    int got = (int)read(timer, &times, sizeof(times));
    printf("timer %d\n", got);
    use_device();
}

int main(void)
{
    printf("malloc %d\n", cudaMalloc(&memory, 4096));
    use_device();
    wait_for_child();
    wait_for_sockets();
    wait_for_timer();
    rest();
    use_device();
    return 6;
}
