/* Looks at real threads that really wait, and at real descriptors.
 * Threads: the test's own, one that waits and one that holds. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "collect/watch_fd.h"
#include "collect/watch_look.h"

static int ends[2]; /* a pipe into which nobody writes */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static pthread_mutex_t of_never = PTHREAD_MUTEX_INITIALIZER;
static sem_t released; /* a holder that sleeps */
static atomic_int holder_tid, hold_spinning, let_go, waiter_tid, wait_over;
static pthread_t held_by;

static void wait_ms(int ms)
{
    struct timespec ts = {ms / 1000, ms % 1000 * 1000000L};
    nanosleep(&ts, NULL);
}

/* ---- ways to wait ---- */

static void in_sleep(void)
{
    wait_ms(1000);
}

static void in_poll_of_nothing(void)
{
    poll(NULL, 0, 1000);
}

static void in_poll_of_pipe(void)
{
    struct pollfd fd = {.fd = ends[0], .events = POLLIN};
    poll(&fd, 1, 1000);
}

static void in_select_of_nothing(void)
{
    struct timeval time = {1, 0};
    select(0, NULL, NULL, NULL, &time);
}

static void in_select_of_pipe(void)
{
    struct timeval time = {1, 0};
    fd_set set;
    FD_ZERO(&set);
    FD_SET(ends[0], &set);
    select(ends[0] + 1, &set, NULL, NULL, &time);
}

static void in_condition(void)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    pthread_mutex_lock(&of_never);
    pthread_cond_timedwait(&never, &of_never, &until);
    pthread_mutex_unlock(&of_never);
}

/* As an interpreter waits for its lock: again and again for 5 ms. */
static void in_short_conditions(void)
{
    pthread_mutex_lock(&of_never);
    for (int i = 0; i < 100; i++) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 5000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&never, &of_never, &until);
    }
    pthread_mutex_unlock(&of_never);
}

static void in_mutex(void)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
}

/* As queues of other libraries wait: for long, and on a value that is no mutex's. */
static void in_bare_futex(void)
{
    static int word = 7;
    struct timespec time = {1, 0};
    syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 7, &time, NULL, 0);
}

static struct timespec overwritten;

static void *overwrite(void *unused)
{
    wait_ms(5);
    overwritten.tv_sec = (time_t)INT64_MIN;
    return unused;
}

/* For long, too; but the memory that said how long holds something else by now. */
static void in_overwritten_futex(void)
{
    static int word = 7;
    pthread_t thread;
    overwritten = (struct timespec){1, 0};
    assert_int_equal(pthread_create(&thread, NULL, overwrite, NULL), 0);
    syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 7, &overwritten, NULL, 0);
    pthread_join(thread, NULL);
}

static void in_timer(void)
{
    struct itimerspec time = {.it_value = {1, 0}};
    uint64_t times;
    int fd = timerfd_create(CLOCK_MONOTONIC, 0);
    timerfd_settime(fd, 0, &time, NULL);
    if (read(fd, &times, sizeof(times)) < 0)
        perror("read");
    close(fd);
}

static void *holder(void *unused)
{
    pthread_mutex_lock(&lock);
    atomic_store(&holder_tid, (int)syscall(SYS_gettid));
    while (!atomic_load(&let_go))
        if (!atomic_load(&hold_spinning))
            sem_wait(&released); /* waking up now and then it would queue for a core at times */
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *waiter(void *way)
{
    void (*wait)(void);
    memcpy(&wait, way, sizeof(wait));
    atomic_store(&waiter_tid, (int)syscall(SYS_gettid));
    wait();
    atomic_store(&wait_over, 1);
    return NULL;
}

/* A thread that is joined may still be on its way out, and counts as one that runs: on a busy
 * machine for long. */
static void join(pthread_t thread, int tid)
{
    char path[64];
    pthread_join(thread, NULL);
    snprintf(path, sizeof(path), "/proc/self/task/%d", tid);
    while (access(path, F_OK) == 0)
        wait_ms(1);
}

static void release(void)
{
    if (!atomic_load(&holder_tid))
        return;
    atomic_store(&let_go, 1);
    sem_post(&released);
    join(held_by, atomic_load(&holder_tid));
    atomic_store(&holder_tid, 0);
}

/* What most of some looks at a thread in this wait say. A thread that has woken up and queues for a
 * core, as on a busy machine, does not wait at that moment: that look does not count, nor does one
 * that came when the wait was over. */
static int seen_in(void (*way)(void))
{
    pthread_t thread;
    int seen[WI_SPAN_COUNT + 2] = {0}, best = 0, looks = 0;
    atomic_store(&waiter_tid, 0);
    atomic_store(&wait_over, 0);
    assert_int_equal(pthread_create(&thread, NULL, waiter, &way), 0);
    while (!atomic_load(&waiter_tid))
        wait_ms(1);
    struct wi_looked looked = {
        .tid = (uint32_t)atomic_load(&waiter_tid), .syscall_fd = -1, .stat_fd = -1};
    wait_ms(20);
    for (int i = 0; i < 50 && looks < 9; i++) {
        int kind = wi_look(&looked, i == 0);
        if (atomic_load(&wait_over))
            break;
        seen[kind + 2] += looks == 0 || kind != WI_LOOK_RUNS;
        looks += kind != WI_LOOK_RUNS;
        wait_ms(7);
    }
    if (looks)
        seen[WI_LOOK_RUNS + 2] = 0;
    for (int i = 0; i < WI_SPAN_COUNT + 2; i++)
        best = seen[i] > seen[best] ? i : best;
    release();
    join(thread, (int)looked.tid);
    wi_look_end(&looked);
    assert_int_equal(looked.syscall_fd, -1);
    return best - 2;
}

static void hold(int spinning)
{
    sem_init(&released, 0, 0);
    atomic_store(&let_go, 0);
    atomic_store(&hold_spinning, spinning);
    assert_int_equal(pthread_create(&held_by, NULL, holder, NULL), 0);
    while (!atomic_load(&holder_tid))
        wait_ms(1);
}

static void waits(void **unused)
{
    (void)unused;
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(seen_in(in_sleep), WI_SPAN_WAIT_SLEEP);
    assert_int_equal(seen_in(in_poll_of_nothing), WI_SPAN_WAIT_SLEEP);
    assert_int_equal(seen_in(in_poll_of_pipe), WI_SPAN_WAIT_POLL);
    assert_int_equal(seen_in(in_select_of_nothing), WI_SPAN_WAIT_SLEEP);
    assert_int_equal(seen_in(in_select_of_pipe), WI_SPAN_WAIT_POLL);
    assert_int_equal(seen_in(in_timer), WI_SPAN_WAIT_SLEEP);
}

static void locks(void **unused)
{
    (void)unused;
    hold(1);
    assert_int_equal(seen_in(in_mutex), WI_SPAN_WAIT_LOCK);
    hold(0); /* a holder that sleeps is none that runs */
    assert_int_equal(seen_in(in_mutex), WI_SPAN_WAIT_FUTEX);
    hold(1); /* a queue is no lock, whatever the other threads do */
    assert_int_equal(seen_in(in_condition), WI_SPAN_WAIT_FUTEX);
    hold(1);
    assert_int_equal(seen_in(in_bare_futex), WI_SPAN_WAIT_FUTEX);
    hold(1);
    assert_int_equal(seen_in(in_overwritten_futex), WI_SPAN_WAIT_FUTEX);
    hold(1);
    assert_int_equal(seen_in(in_short_conditions), WI_SPAN_WAIT_LOCK);
}

static int set_of(int member)
{
    struct epoll_event event = {.events = EPOLLIN};
    int set = epoll_create1(0);
    if (member >= 0)
        assert_int_equal(epoll_ctl(set, EPOLL_CTL_ADD, member, &event), 0);
    return set;
}

static void plain_descriptors(void **unused)
{
    char path[] = "/tmp/wi_watch_XXXXXX";
    int pair[2], pipe_ends[2], file = mkstemp(path);
    (void)unused;
    unlink(path);
    assert_int_equal(pipe(pipe_ends), 0);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    assert_int_equal(wi_fd_kind(-1), WI_FD_UNSEEN);
    assert_int_equal(wi_fd_kind(1 << 20), WI_FD_UNSEEN);
    assert_int_equal(wi_fd_kind(file), WI_FD_FILE);
    assert_int_equal(wi_fd_kind(pipe_ends[0]), WI_FD_OTHER); /* there is no child */
    assert_int_equal(wi_fd_kind(pair[0]), WI_FD_OTHER);
    assert_int_equal(wi_fd_kind(eventfd(0, 0)), WI_FD_OTHER);
    int timer = timerfd_create(CLOCK_MONOTONIC, 0);
    assert_int_equal(wi_fd_kind(timer), WI_FD_TIMER);
    assert_int_equal(wi_fd_kind(set_of(timer)), WI_FD_TIMER);
    assert_int_equal(wi_fd_kind(set_of(pipe_ends[0])), WI_FD_OTHER);
    assert_int_equal(wi_fd_kind(set_of(set_of(timer))), WI_FD_OTHER); /* sets are followed once */
}

/* The number of a closed descriptor is another file's soon. */
static void numbers_used_again(void **unused)
{
    char path[] = "/tmp/wi_watch_XXXXXX";
    int pipe_ends[2], file = mkstemp(path);
    (void)unused;
    unlink(path);
    assert_int_equal(pipe(pipe_ends), 0);
    assert_int_equal(wi_fd_kind(file), WI_FD_FILE);
    assert_int_equal(dup2(pipe_ends[0], file), file);
    assert_int_equal(wi_fd_kind(file), WI_FD_OTHER);
}

/* socket(), bind, listen, connect and accept; out: listening, client's, server's end. */
static void connection(struct sockaddr *at, socklen_t len, int out[3])
{
    out[0] = socket(at->sa_family, SOCK_STREAM, 0);
    out[1] = socket(at->sa_family, SOCK_STREAM, 0);
    assert_int_equal(bind(out[0], at, len), 0);
    assert_int_equal(listen(out[0], 4), 0);
    if (at->sa_family != AF_UNIX)
        assert_int_equal(getsockname(out[0], at, &len), 0);
    assert_int_equal(connect(out[1], at, len), 0);
    out[2] = accept(out[0], NULL, NULL);
    assert_true(out[2] >= 0);
}

static void check_ends(const int fds[3])
{
    assert_int_equal(wi_fd_kind(fds[0]), WI_FD_REQUEST);
    assert_int_equal(wi_fd_kind(fds[1]), WI_FD_OTHER); /* one that asks is no server */
    assert_int_equal(wi_fd_kind(fds[2]), WI_FD_REQUEST);
    assert_int_equal(wi_fd_kind(set_of(fds[0])), WI_FD_REQUEST);
    assert_int_equal(wi_fd_kind(set_of(fds[1])), WI_FD_OTHER);
    assert_int_equal(wi_fd_kind(set_of(fds[2])), WI_FD_REQUEST);
}

static void sockets(void **unused)
{
    struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    struct sockaddr_un local = {.sun_family = AF_UNIX};
    int fds[4][3], udp = socket(AF_INET, SOCK_DGRAM, 0), probe = socket(AF_INET6, SOCK_STREAM, 0);
    (void)unused;
    snprintf(local.sun_path, sizeof(local.sun_path), "/tmp/wi_watch_%d", (int)getpid());
    connection((struct sockaddr *)&v4, sizeof(v4), fds[0]);
    connection((struct sockaddr *)&local, sizeof(local), fds[1]);
    unlink(local.sun_path);
    int have_v6 = probe >= 0 && bind(probe, (struct sockaddr *)&v6, sizeof(v6)) == 0;
    if (have_v6)
        connection((struct sockaddr *)&v6, sizeof(v6), fds[2]);
    check_ends(fds[0]);
    check_ends(fds[1]);
    if (have_v6)
        check_ends(fds[2]);
    assert_int_equal(wi_fd_kind(udp), WI_FD_OTHER);
    assert_int_equal(dup2(fds[0][1], fds[0][0]), fds[0][0]); /* the client's, where it listened */
    assert_int_equal(wi_fd_kind(fds[0][0]), WI_FD_OTHER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waits),
        cmocka_unit_test(locks),
        cmocka_unit_test(plain_descriptors),
        cmocka_unit_test(numbers_used_again),
        cmocka_unit_test(sockets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
