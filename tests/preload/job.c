/* The job under test: a small CUDA program whose whole behaviour is its arguments, so that it can
 * be run with and without the preload and compared. Words are carried out in order:
 *   launch N | copy N BYTES | memset N | sync | query N | sleep MS | spin MS | threads N LAUNCHES
 *   peer N BYTES (copies from device 0 to 1)
 *   workers BUSY IDLE (children that last) | count | stream | fork | exec | errno | bad
 *   exit N | _exit N | quick_exit N | abort | kill | return N
 *   again WORDS (exec of this program itself with the words behind) | fork-cuda
 *   tool LIBRARY FUNCTION (loads the library and calls int FUNCTION(void))
 *   beside N (N threads that launch 20 000 times a second until the end)
 * It prints what calls returned, so that a changed result changes the output.
 * Threads: as told. May not: depend on time in what it prints. */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "job_cuda.h"

static void *stream;
static char kernel_symbol;

static void register_kernel(void)
{
    static struct {
        int magic, version;
        const void *data;
        void *unused;
    } wrapper = {0x466243b1, 1, "", NULL};
    void **module = __cudaRegisterFatBinary(&wrapper);
    __cudaRegisterFunction(module, &kernel_symbol, (char *)"job_kernel", "job_kernel", -1, NULL,
                           NULL, NULL, NULL, NULL);
    __cudaRegisterFatBinaryEnd(module);
}

static int launch(int times)
{
    struct job_dim3 grid = {432, 1, 1}, block = {256, 1, 1};
    static uint64_t value;
    void *args[] = {&value, NULL};
    int failed = 0;
    for (int i = 0; i < times; i++)
        failed += cudaLaunchKernel(&kernel_symbol, grid, block, args, 0, stream) != 0;
    return failed;
}

static int copy(int times, size_t bytes)
{
    void *device = NULL;
    char *host = calloc(1, bytes ? bytes : 1), *back = calloc(1, bytes ? bytes : 1);
    int failed = cudaMalloc(&device, bytes) != 0;
    memset(host, 0x5a, bytes);
    for (int i = 0; i < times; i++)
        failed += cudaMemcpy(device, host, bytes, JOB_H2D) != 0;
    failed += cudaMemcpy(back, device, bytes, JOB_D2H) != 0;
    failed += memcmp(host, back, bytes) != 0;
    failed += cudaFree(device) != 0;
    free(host);
    free(back);
    return failed;
}

static int peer(int times, size_t bytes)
{
    void *from = NULL, *to = NULL;
    int failed = cudaSetDevice(1) != 0;
    failed += cudaMalloc(&to, bytes) != 0;
    failed += cudaSetDevice(0) != 0;
    failed += cudaMalloc(&from, bytes) != 0;
    for (int i = 0; i < times; i++)
        failed += cudaMemcpyPeer(to, 1, from, 0, bytes) != 0;
    failed += cudaFree(from) != 0;
    return failed + (cudaFree(to) != 0);
}

static int set(int times)
{
    void *device = NULL;
    int failed = cudaMalloc(&device, 4096) != 0;
    for (int i = 0; i < times; i++)
        failed += cudaMemset(device, i, 4096) != 0;
    return failed + (cudaFree(device) != 0);
}

static int64_t monotonic_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void rest(int ms, int busy)
{
    struct timespec span = {ms / 1000, ms % 1000 * 1000000L};
    if (!busy) {
        nanosleep(&span, NULL);
        return;
    }
    int64_t until = monotonic_ms() + ms;
    while (monotonic_ms() < until)
        ;
}

static pthread_barrier_t all_there;

static void *thread_body(void *count)
{
    pthread_barrier_wait(&all_there);
    void *failed = (void *)(intptr_t)launch((int)(intptr_t)count);
    pthread_barrier_wait(&all_there);
    return failed;
}

/* All of them exist at the same time. */
static int threads(int count, int launches)
{
    pthread_t *ids = calloc((size_t)count, sizeof(*ids));
    int failed = 0;
    pthread_barrier_init(&all_there, NULL, (unsigned)count);
    for (int i = 0; i < count; i++)
        failed += pthread_create(&ids[i], NULL, thread_body, (void *)(intptr_t)launches) != 0;
    for (int i = 0; i < count; i++) {
        void *result;
        pthread_join(ids[i], &result);
        failed += (int)(intptr_t)result;
    }
    free(ids);
    return failed;
}

static void *launch_for_ever(void *unused)
{
    (void)unused;
    for (;;) {
        launch(1);
        usleep(50);
    }
    return NULL;
}

static int beside(int count)
{
    pthread_t thread;
    int failed = 0;
    for (int i = 0; i < count; i++)
        failed += pthread_create(&thread, NULL, launch_for_ever, NULL) != 0;
    return failed;
}

static int tool(const char *library, const char *function)
{
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    int (*call)(void) = NULL;
    if (handle)
        *(void **)&call = dlsym(handle, function);
    return call ? call() : -1;
}

/* The child only computes, as a loader worker does, and ends in the way multiprocessing does. */
static int fork_child(void)
{
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0)
        _exit(7);
    int status = 0;
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void workers(int busy, int idle)
{
    fflush(stdout);
    for (int i = 0; i < busy + idle; i++) {
        if (fork() != 0)
            continue;
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;)
            if (i >= busy)
                pause();
    }
}

static int keeps_errno(void)
{
    errno = 4711;
    cudaStreamQuery(stream);
    launch(3);
    rest(5, 0);
    errno = 4711;
    cudaDeviceSynchronize(); /* after a silence: the one place where the hot path calls the system
                              */
    return errno;
}

/* A child that goes on calling CUDA, which no driver supports: it may fail, not hang or record. */
static int fork_cuda(void)
{
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        launch(10);
        exit(3);
    }
    int status = 0;
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int number(char **argv, int at)
{
    return argv[at] ? atoi(argv[at]) : 0;
}

static void *work_on(void *unused)
{
    (void)unused;
    usleep(300000);
    printf("the other launches %d\n", launch(3));
    fflush(stdout);
    return NULL;
}

static void leave_to_another(void)
{
    pthread_t other;
    if (pthread_create(&other, NULL, work_on, NULL) == 0)
        pthread_detach(other);
    pthread_exit(NULL);
}

static void end_with(const char *how, int status)
{
    fflush(stdout);
    if (!strcmp(how, "exit"))
        exit(status);
    if (!strcmp(how, "_exit"))
        _exit(status);
    if (!strcmp(how, "quick_exit"))
        quick_exit(status);
    if (!strcmp(how, "pthread_exit")) /* the main thread leaves, another works on for a while */
        leave_to_another();
    if (!strcmp(how, "abort"))
        abort();
    if (!strcmp(how, "kill"))
        kill(getpid(), SIGKILL);
}

/* Carries out one word; returns how many arguments it took. */
static int act(char **argv, int i)
{
    const char *word = argv[i];
    if (!strcmp(word, "launch"))
        return printf("launch failed %d\n", launch(number(argv, i + 1))), 1;
    if (!strcmp(word, "copy"))
        return printf("copy failed %d\n", copy(number(argv, i + 1), (size_t)number(argv, i + 2))),
               2;
    if (!strcmp(word, "peer"))
        return printf("peer failed %d\n", peer(number(argv, i + 1), (size_t)number(argv, i + 2))),
               2;
    if (!strcmp(word, "memset"))
        return printf("memset failed %d\n", set(number(argv, i + 1))), 1;
    if (!strcmp(word, "tool"))
        return printf("%s %d\n", argv[i + 2], tool(argv[i + 1], argv[i + 2])), 2;
    if (!strcmp(word, "beside"))
        return printf("beside failed %d\n", beside(number(argv, i + 1))), 1;
    if (!strcmp(word, "workers"))
        return workers(number(argv, i + 1), number(argv, i + 2)), 2;
    if (!strcmp(word, "count")) {
        int count = 0;
        cudaGetDeviceCount(&count);
        return printf("devices %d\n", count), 0;
    }
    if (!strcmp(word, "sync"))
        return printf("sync %d\n", cudaDeviceSynchronize()), 0;
    if (!strcmp(word, "stream"))
        return printf("stream %d\n", cudaStreamCreateWithFlags(&stream, 1)), 0;
    if (!strcmp(word, "sleep") || !strcmp(word, "spin"))
        return rest(number(argv, i + 1), word[1] == 'p'), 1;
    if (!strcmp(word, "threads"))
        return printf("threads failed %d\n", threads(number(argv, i + 1), number(argv, i + 2))), 2;
    if (!strcmp(word, "errno"))
        return printf("errno %d\n", keeps_errno()), 0;
    if (!strcmp(word, "fork"))
        return printf("child %d\n", fork_child()), 0;
    if (!strcmp(word, "bad"))
        return printf("bad %d\n", cudaMemcpy(NULL, NULL, 16, 77) != 0), 0;
    if (!strcmp(word, "query")) {
        for (int left = number(argv, i + 1); left > 0; left--)
            cudaStreamQuery(stream);
        return 1;
    }
    if (!strcmp(word, "fork-cuda"))
        return printf("child %d\n", fork_cuda()), 0;
    if (!strcmp(word, "again")) {
        fflush(stdout);
        argv[i] = argv[0];
        execv("/proc/self/exe", argv + i);
    }
    if (!strcmp(word, "exec")) {
        fflush(stdout);
        execl("/bin/echo", "echo", "after exec", (char *)NULL);
    }
    return end_with(word, number(argv, i + 1)), 1;
}

int main(int argc, char **argv)
{
    register_kernel();
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "return"))
            return number(argv, i + 1);
        i += act(argv, i);
    }
    return 0;
}
