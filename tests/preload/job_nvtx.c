/* A job that marks its work with NVTX, as its one argument says. Prints what a job can see of the
 * tool: answers, errno, the environment. Its launches are irregular on purpose, so that they alone
 * show no steps.
 * Threads: as told. */
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "job_cuda.h"
#include "nvtx_client.h"

#define STEPS 40

static char kernel_symbol;

static void register_kernel(void)
{
    static struct {
        int magic, version;
        const void *data;
        void *unused;
    } wrapper = {0x466243b1, 1, "", NULL};
    void **module = __cudaRegisterFatBinary(&wrapper);
    __cudaRegisterFunction(module, &kernel_symbol, (char *)"spin_ns", "spin_ns", -1, NULL, NULL,
                           NULL, NULL, NULL);
    __cudaRegisterFatBinaryEnd(module);
}

static void rest(int us)
{
    struct timespec span = {0, us * 1000L};
    nanosleep(&span, NULL);
}

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void burn(int us)
{
    int64_t until = now_ns() + us * 1000L;
    while (now_ns() < until)
        ;
}

/* 1 to 9 kernels of any of 13 grids, none of which follows another regularly. */
static void work(void)
{
    static uint32_t random = 12345;
    static uint64_t ns = 100000;
    void *args[] = {&ns, NULL};
    struct job_dim3 block = {256, 1, 1};
    random = random * 1664525u + 1013904223u;
    for (uint32_t i = 0; i <= (random >> 20) % 9; i++) {
        struct job_dim3 grid = {400 + (random >> (i + 4)) % 13, 1, 1};
        cudaLaunchKernel(&kernel_symbol, grid, block, args, 0, NULL);
    }
    cudaDeviceSynchronize();
}

/* The work for the input is the stall, and lies in a range of its own. */
static void steps(const char *format)
{
    char name[64];
    for (int i = 0; i < STEPS; i++) {
        snprintf(name, sizeof(name), format, i);
        client_push(name);
        memset(name, 'x', sizeof(name) - 1); /* the string is gone once the call is back */
        client_push("fetch");
        burn(6000);
        client_pop();
        client_push("compute");
        work();
        client_pop();
        client_pop();
    }
}

/* The job's phases carry names, its turns do not. */
static void phases(void)
{
    for (int i = 0; i < STEPS; i++) {
        client_push("fetch");
        rest(8000);
        client_pop();
        client_push("compute");
        work();
        client_pop();
    }
}

/* What is slow lies between two ranges and their calls: behind the pop, and before the range of a
 * call that takes longer than the silence in front of it. */
static void between(void)
{
    static char memory[1 << 20];
    void *device = NULL;
    cudaMalloc(&device, sizeof(memory));
    for (int i = 0; i < STEPS; i++) {
        client_push("prepare");
        burn(2000);
        client_pop();
        burn(9000); /* no range says what this is */
        client_push("upload");
        cudaMemcpy(device, memory, sizeof(memory), 1);
        work();
        rest(20000); /* in the range, before its last call */
        cudaDeviceSynchronize();
        client_pop();
    }
}

static void hostile(void)
{
    size_t len = 65536;
    char *longest = malloc(len + 1);
    memset(longest, 'L', len);
    longest[len] = 0;
    for (int i = 0; i < STEPS; i++) {
        client_push(longest);
        client_push("\x1b[31mred\x07\r\n\"quoted\\\xff\xfe");
        rest(2000);
        work();
        client_push(NULL);
        client_push("");
        client_push_wide(L"w\u00e9ide\U0001f600");
        client_push_short("never read");
        client_pop();
        client_pop();
        client_pop();
        client_pop();
        client_pop();
        client_pop();
        client_pop(); /* one too many */
    }
    free(longest);
}

static void domains(void)
{
    void *ours = client_domain("mine"), *again = client_domain("mine"), *other, *libraries;
    other = client_domain("other");
    libraries = client_domain("NCCL");
    void *registered = client_register(ours, "registered step");
    printf("same domain %d, others differ %d\n", ours == again, ours != other && ours != NULL);
    for (int i = 0; i < STEPS; i++) {
        client_domain_push(ours, NULL, registered);
        client_domain_push(other, "crossing", NULL);
        client_domain_push(libraries, "ncclAllReduce", NULL);
        rest(4000);
        work();
        client_domain_pop(ours); /* not in the order of their starts */
        client_domain_pop(libraries);
        client_domain_pop(other);
    }
}

static void *end_it(void *id)
{
    client_end(*(uint64_t *)id);
    return NULL;
}

static void free_ranges(void)
{
    for (int i = 0; i < STEPS; i++) {
        pthread_t thread;
        uint64_t id = client_start("global batch");
        rest(2000);
        work();
        cudaDeviceSynchronize();
        if (i % 2) {
            client_end(id);
            continue;
        }
        pthread_create(&thread, NULL, end_it, &id); /* a thread without CUDA: not recorded */
        pthread_join(thread, NULL);
    }
}

static void marks(void)
{
    for (int i = 0; i < STEPS; i++) {
        client_mark("iteration");
        rest(2000);
        work();
    }
}

static void *thread_body(void *number)
{
    char name[32];
    for (int i = 0; i < 100; i++) { /* 400 starts and ends: what a ring takes without the helper */
        snprintf(name, sizeof(name), "thread %d part %d", (int)(intptr_t)number, i);
        client_push(name);
        client_push("inner");
        if (i % 10 == 0)
            work();
        client_pop();
        client_pop();
    }
    return NULL;
}

static void threads(void)
{
    pthread_t ids[8];
    for (intptr_t i = 0; i < 8; i++)
        pthread_create(&ids[i], NULL, thread_body, (void *)i);
    for (int i = 0; i < 8; i++)
        pthread_join(ids[i], NULL);
}

static void forking(void)
{
    client_push("before fork");
    for (int i = 0; i < 20; i++) {
        fflush(stdout);
        pid_t pid = fork();
        if (pid == 0) {
            for (int k = 0; k < 1000; k++)
                if (client_push("in child") != -2 || client_pop() != -2)
                    _exit(9);
            _exit(7);
        }
        int status = 0;
        waitpid(pid, &status, 0);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 7)
            printf("a child ended otherwise\n");
        work();
    }
    client_pop();
}

/* More than any ring holds before the helper comes: launches must not be lost for it. */
static void flood(void)
{
    for (int i = 0; i < 20; i++) {
        for (int k = 0; k < 20000; k++) {
            client_push("flooding");
            client_pop();
        }
        work();
    }
}

/* Best of many short rounds: a push and its pop together. */
static void cost(void)
{
    double best = 1e9;
    for (int round = 0; round < 200; round++) {
        int64_t begin = now_ns();
        for (int i = 0; i < 100; i++) {
            client_push("forward pass");
            client_pop();
        }
        double each = (double)(now_ns() - begin) / 100;
        best = each < best ? each : best;
        rest(12000);
        work();
    }
    printf("push_and_pop %.1f ns\n", best);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    const char *path = getenv("NVTX_INJECTION64_PATH");
    register_kernel();
    printf("early push %d pop %d\n", client_push("before CUDA"), client_pop());
    client_push("held open before CUDA");
    work();
    errno = 42;
    int answer = client_push("answer");
    printf("push %d pop %d errno %d\n", answer, client_pop(), errno);
    client_pop();
    if (!strcmp(what, "steps"))
        steps("train_step");
    else if (!strcmp(what, "numbered"))
        steps("Iteration %d");
    else if (!strcmp(what, "phases"))
        phases();
    else if (!strcmp(what, "between"))
        between();
    else if (!strcmp(what, "hostile"))
        hostile();
    else if (!strcmp(what, "domains"))
        domains();
    else if (!strcmp(what, "free"))
        free_ranges();
    else if (!strcmp(what, "marks"))
        marks();
    else if (!strcmp(what, "threads"))
        threads();
    else if (!strcmp(what, "fork"))
        forking();
    else if (!strcmp(what, "flood"))
        flood();
    else if (!strcmp(what, "cost"))
        cost();
    else if (!strcmp(what, "path"))
        printf("injection %s\n", path ? path : "-");
    return 0;
}
