/* A job that waits before each of its steps in one way, the first argument, so many times:
 *   watch_job WAY STEPS [PATH|PORT]
 * Each step copies an input and runs kernels for 4 ms; where the wait is not for input it comes
 * between two launches. Prints its own account of the waits: "waited_ns N".
 * Threads: one that calls CUDA, helpers as the way says. May not: spin but where the way says. */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "gpu.h"

#define MS           1000000
#define WAIT_NS      (30 * MS)
#define TURN_NS      (5 * MS) /* Python's switch interval */
#define KERNEL_NS    1000000
#define KERNELS      4
#define BATCH_BYTES  (1u << 20)
#define BLOCK        256
#define HELD_BYTES   (384u << 20)
#define FILE_BYTES   (256u << 10)
#define MAPPED_BYTES (12u << 20)

static void *device_batch;
static char *host_batch;
static int fd = -1, other_fd = -1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t given = PTHREAD_COND_INITIALIZER;
static atomic_int flag, holding;

static int64_t now_ns(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static int64_t cpu_ns(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
    return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

/* Computes, and asks for its clock now and then only: that is a system call. */
static void burn(int64_t ns)
{
    int64_t until = cpu_ns() + ns;
    while (cpu_ns() < until)
        for (int i = 0; i < 100000; i++)
            __asm__ volatile("" : "+r"(i));
}

static void rest(int64_t ns)
{
    struct timespec ts = {ns / 1000000000, ns % 1000000000};
    nanosleep(&ts, NULL);
}

static void fail(const char *what)
{
    perror(what);
    exit(1);
}

/* A child that works or rests for each byte it sends. */
static pid_t child(int to, int64_t burn_ns, int64_t rest_ns)
{
    pid_t parent = getpid(), pid = fork();
    if (pid != 0)
        return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(0);
    for (;;) {
        if (burn_ns)
            burn(burn_ns);
        if (rest_ns)
            rest(rest_ns);
        if (to >= 0 && write(to, "b", 1) != 1)
            _exit(0);
    }
}

static void open_pipe(int64_t burn_ns, int64_t rest_ns)
{
    int ends[2];
    if (pipe(ends) != 0)
        fail("pipe");
    child(ends[1], burn_ns, rest_ns);
    close(ends[1]);
    fd = ends[0];
}

static void read_byte(void)
{
    char byte;
    if (read(fd, &byte, 1) != 1)
        exit(0);
}

/* ---- one set-up and one wait for each way ---- */

static void begin_busy(const char *unused)
{
    (void)unused;
    open_pipe(WAIT_NS, 0);
}

static void begin_idle(const char *unused)
{
    (void)unused;
    open_pipe(0, WAIT_NS);
}

/* A worker that reads its part of a slow file for each batch. */
static void begin_reading(const char *path)
{
    int ends[2];
    void *room;
    if (pipe(ends) != 0 || posix_memalign(&room, 4096, FILE_BYTES) != 0)
        fail("pipe");
    pid_t parent = getpid();
    if (fork() == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        int file = open(path, O_RDONLY | O_DIRECT);
        while (getppid() == parent && read(file, room, FILE_BYTES) == FILE_BYTES &&
               write(ends[1], "b", 1) == 1)
            ;
        _exit(0);
    }
    close(ends[1]);
    fd = ends[0];
}

static void begin_path(const char *path)
{
    fd = open(path, O_RDONLY);
    if (fd < 0)
        fail(path);
}

static void begin_direct(const char *path)
{
    fd = open(path, O_RDONLY | O_DIRECT);
    if (fd < 0)
        fail(path);
}

static void read_direct(void)
{
    static void *room;
    if (!room && posix_memalign(&room, 4096, FILE_BYTES) != 0)
        exit(1);
    if (read(fd, room, FILE_BYTES) != FILE_BYTES)
        exit(0);
}

static volatile char *mapped;
static size_t mapped_at;

/* What others have read of the file is dropped, so that each page comes from the disk. */
static void begin_mapped(const char *path)
{
    begin_path(path);
    posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    void *file = mmap(NULL, MAPPED_BYTES, PROT_READ, MAP_PRIVATE, fd, 0);
    if (file == MAP_FAILED)
        fail("mmap");
    madvise(file, MAPPED_BYTES, MADV_RANDOM);
    mapped = file;
}

static void touch_pages(void)
{
    for (int i = 0; i < 3 && mapped_at < MAPPED_BYTES; i++, mapped_at += 64 << 10)
        (void)mapped[mapped_at];
}

static void begin_write(const char *path)
{
    fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (fd < 0)
        fail(path);
}

static void write_synced(void)
{
    static char text[64 << 10];
    int64_t until = now_ns() + WAIT_NS;
    while (now_ns() < until)
        if (pwrite(fd, text, sizeof(text), 0) != (ssize_t)sizeof(text) || fsync(fd) != 0)
            fail("write");
}

/* Holds the lock while it gives memory back to the kernel, as a pinning thread may. */
static void *holder(void *unused)
{
    for (;;) {
        char *memory =
            mmap(NULL, HELD_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED)
            fail("mmap");
        while (!atomic_load(&flag))
            rest(MS / 10);
        pthread_mutex_lock(&lock);
        atomic_store(&holding, 1);
        for (int64_t until = now_ns() + WAIT_NS; now_ns() < until;) {
            for (size_t at = 0; at < HELD_BYTES / 16; at += 4096)
                memory[at] = 1;
            madvise(memory, HELD_BYTES / 16, MADV_DONTNEED);
        }
        munmap(memory, HELD_BYTES);
        atomic_store(&flag, 0);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

static void begin_lock(const char *unused)
{
    pthread_t thread;
    (void)unused;
    if (pthread_create(&thread, NULL, holder, NULL) != 0)
        exit(1);
}

static void take_lock(void)
{
    atomic_store(&holding, 0);
    atomic_store(&flag, 1);
    while (!atomic_load(&holding))
        rest(MS / 10);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
}

/* As an interpreter's lock: who has it computes, and gives it up to whoever has asked for TURN_NS.
 */
static void *turn_giver(void *unused)
{
    for (;;) {
        while (!atomic_load(&flag))
            burn(MS / 10);
        pthread_mutex_lock(&lock);
        atomic_store(&flag, 0);
        atomic_store(&holding, 0);
        pthread_cond_signal(&given);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

static void begin_turns(const char *unused)
{
    pthread_t thread;
    (void)unused;
    if (pthread_create(&thread, NULL, turn_giver, NULL) != 0)
        exit(1);
}

static void take_turn(void)
{
    atomic_store(&holding, 1);
    pthread_mutex_lock(&lock);
    while (atomic_load(&holding)) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += TURN_NS;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&given, &lock, &until);
        if (atomic_load(&holding))
            atomic_store(&flag, 1);
    }
    pthread_mutex_unlock(&lock);
}

/* A server: an epoll set of a listening socket and the connections accepted from it. */
static void begin_server(const char *path)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof(at);
    struct epoll_event event = {.events = EPOLLIN};
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    if (listener < 0 || bind(listener, (void *)&at, len) != 0 || listen(listener, 8) != 0 ||
        getsockname(listener, (void *)&at, &len) != 0)
        fail("listen");
    FILE *told = fopen(path, "w"); /* the client reads the port there */
    if (!told)
        fail(path);
    fprintf(told, "%d\n", ntohs(at.sin_port));
    fclose(told);
    fd = epoll_create1(0);
    other_fd = event.data.fd = listener;
    epoll_ctl(fd, EPOLL_CTL_ADD, listener, &event);
}

static void serve(void)
{
    struct epoll_event event;
    char text[16];
    for (;;) {
        if (epoll_wait(fd, &event, 1, -1) != 1)
            continue;
        if (event.data.fd != other_fd) {
            if (read(event.data.fd, text, sizeof(text)) <= 0)
                exit(0);
            return;
        }
        struct epoll_event more = {.events = EPOLLIN, .data.fd = accept(other_fd, NULL, NULL)};
        epoll_ctl(fd, EPOLL_CTL_ADD, more.data.fd, &more);
    }
}

/* A request a step; whether one waits is the client's doing. */
static void serve_and_compute(void)
{
    serve();
    burn(WAIT_NS / 4);
}

static void *serve_always(void *unused)
{
    for (;;)
        serve();
    return unused;
}

/* A server that has nothing to do with the thread that launches. */
static void begin_server_beside(const char *path)
{
    pthread_t thread;
    begin_server(path);
    if (pthread_create(&thread, NULL, serve_always, NULL) != 0)
        exit(1);
}

static void pace(void)
{
    rest(3 * (int64_t)WAIT_NS);
}

static void *set_flag_often(void *unused)
{
    for (;;) {
        rest(WAIT_NS);
        atomic_store(&flag, 1);
    }
    return unused;
}

static void begin_flag(const char *unused)
{
    pthread_t thread;
    (void)unused;
    if (pthread_create(&thread, NULL, set_flag_often, NULL) != 0)
        exit(1);
}

static void yield_until_flag(void)
{
    while (!atomic_exchange(&flag, 0))
        sched_yield();
}

static void *work_always(void *unused)
{
    for (;;)
        burn(MS);
    return unused;
}

/* Many processes, and one thread of this one that works whenever it is let. */
static void begin_crowd(const char *unused)
{
    pthread_t thread;
    (void)unused;
    if (pthread_create(&thread, NULL, work_always, NULL) != 0)
        exit(1);
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    for (long i = 0; i < 4 * cores; i++)
        child(-1, MS, 0);
}

static void compute(void)
{
    burn(WAIT_NS / 4);
}

/* A name that only the full symbol table has, and nothing of it on the stack at any call. */
__attribute__((noinline)) static void gc_collect_all(void)
{
    burn(WAIT_NS / 2);
    __asm__ volatile("");
}

/* Workers that are made anew for each epoch of one step. */
static void rebuild(void)
{
    pid_t pids[2];
    for (int i = 0; i < 2; i++)
        pids[i] = child(-1, 0, WAIT_NS);
    rest(250 * (int64_t)MS);
    for (int i = 0; i < 2; i++) {
        kill(pids[i], SIGKILL);
        waitpid(pids[i], NULL, 0);
    }
}

static const struct way {
    const char *word;
    void (*begin)(const char *argument);
    void (*wait)(void);
    int in_step; /* between two launches, with no input behind it */
} WAYS[] = {
    {"busy-child", begin_busy, read_byte, 0},
    {"idle-child", begin_idle, read_byte, 0},
    {"reading-child", begin_reading, read_byte, 0},
    {"fifo", begin_path, read_byte, 0},
    {"file", begin_direct, read_direct, 0},
    {"mapped", begin_mapped, touch_pages, 0},
    {"fsync", begin_write, write_synced, 1},
    {"lock", begin_lock, take_lock, 1},
    {"turns", begin_turns, take_turn, 1},
    {"server", begin_server, serve, 0},
    {"busy-server", begin_server, serve_and_compute, 0},
    {"server-beside", begin_server_beside, compute, 1},
    {"sleep", NULL, pace, 1},
    {"yield", begin_flag, yield_until_flag, 1},
    {"compute", NULL, compute, 1},
    {"collect", NULL, gc_collect_all, 1},
    {"crowd", begin_crowd, compute, 1},
    {"rebuild", NULL, rebuild, 0},
};

static int64_t step(const struct way *way)
{
    if (way->in_step)
        gpu_spin(GPU_SPIN, KERNEL_NS, gpu_full_grid(), BLOCK, NULL);
    int64_t began = now_ns();
    way->wait();
    int64_t waited = now_ns() - began;
    if (!way->in_step)
        gpu_upload(device_batch, host_batch, BATCH_BYTES);
    for (int i = 0; i < KERNELS; i++)
        gpu_spin(GPU_SPIN, KERNEL_NS, gpu_full_grid(), BLOCK, NULL);
    if (!way->in_step)
        gpu_sync();
    return waited;
}

int main(int argc, char **argv)
{
    const struct way *way = NULL;
    for (size_t i = 0; argc > 2 && i < sizeof(WAYS) / sizeof(WAYS[0]); i++)
        if (!strcmp(WAYS[i].word, argv[1]))
            way = &WAYS[i];
    if (!way || gpu_init())
        return 2;
    device_batch = gpu_alloc(BATCH_BYTES);
    host_batch = gpu_host_alloc(BATCH_BYTES);
    if (way->begin)
        way->begin(argc > 3 ? argv[3] : NULL);
    int64_t waited = 0;
    for (int i = 0, steps = atoi(argv[2]); i < steps; i++)
        waited += step(way);
    gpu_sync();
    printf("waited_ns %lld\n", (long long)waited);
    return 0;
}
