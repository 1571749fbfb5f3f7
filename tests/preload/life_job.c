/* A job that ends, spawns or names things in unusual ways; each argument is one, in order:
 *   segv (its own handler ends it) | fault (a real one, without a handler) | spawn | vfork | names
 *   term (a signal without a handler)
 *   threads N (all at the same time, one launch each) | storm N (forks at once) | wait
 * Threads: as told. May not: print anything that depends on time. */
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "job_cuda.h"

extern char **environ;

static char symbols[8];

static int launch(const char *symbol)
{
    struct job_dim3 grid = {64, 1, 1}, block = {64, 1, 1};
    static uint64_t value;
    void *args[] = {&value, NULL};
    return cudaLaunchKernel(symbol, grid, block, args, 0, NULL) != 0;
}

/* What a hostile or broken build could name its kernels. */
static void register_kernels(void)
{
    static struct {
        int magic, version;
        const void *data;
        void *unused;
    } wrapper = {0x466243b1, 1, "", NULL};
    static char longest[(64 << 10) + 1];
    memset(longest, 'n', sizeof(longest) - 1);
    char *names[] = {(char *)"plain",
                     (char *)"\x1b[2J\x07\r\nforged line",
                     (char *)"quote\"back\\slash</script>",
                     (char *)"\xff\xfe\xc0\x80 bytes \xed\xa0\x80",
                     (char *)"\xc2\x9b"
                             "31m",
                     longest};
    void **module = __cudaRegisterFatBinary(&wrapper);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        __cudaRegisterFunction(module, &symbols[i], names[i], names[i], -1, NULL, NULL, NULL, NULL,
                               NULL);
    __cudaRegisterFatBinaryEnd(module);
}

static void names(void)
{
    int failed = 0;
    for (int i = 0; i < 60; i++)
        failed += launch(&symbols[i % 6]);
    printf("names failed %d\n", failed);
}

static void own_handler(int signal)
{
    static const char TEXT[] = "the job's own handler\n";
    (void)signal;
    if (write(1, TEXT, sizeof(TEXT) - 1) < 0)
        _exit(1);
    _exit(42);
}

static void segv(void)
{
    struct sigaction action = {.sa_handler = own_handler}, now;
    sigaction(SIGSEGV, &action, NULL);
    launch(symbols);
    cudaDeviceSynchronize();
    sigaction(SIGSEGV, NULL, &now);
    printf("handler kept %d\n", now.sa_handler == own_handler);
    fflush(stdout);
    raise(SIGSEGV);
}

static void fault(void)
{
    volatile char *volatile nowhere = (char *)8; /* a sanitizer would tell NULL before it is used */
    fflush(stdout);
    *nowhere = 1;
}

static void spawn(void)
{
    char *words[] = {(char *)"/bin/echo", (char *)"spawned", NULL};
    pid_t child;
    int status = -1;
    fflush(stdout);
    if (posix_spawn(&child, words[0], NULL, NULL, words, environ) == 0)
        waitpid(child, &status, 0);
    printf("spawn %d\n", status);
}

static void use_vfork(void)
{
    int status = -1;
    fflush(stdout);
    pid_t child = vfork();
    if (child == 0)
        _exit(9);
    waitpid(child, &status, 0);
    printf("vfork %d\n", WEXITSTATUS(status));
}

static void storm(int count)
{
    int good = 0, status = 0;
    fflush(stdout);
    for (int i = 0; i < count; i++) {
        pid_t child = fork();
        if (child == 0)
            _exit(launch(symbols) > 1);
        good += child > 0;
        launch(symbols);
    }
    for (int i = 0; i < good; i++)
        if (wait(&status) > 0 && WIFEXITED(status))
            status = 0;
    printf("storm %d of %d\n", good, count);
}

static pthread_barrier_t all_there;

static void *thread_body(void *unused)
{
    (void)unused;
    pthread_barrier_wait(&all_there);
    void *failed = (void *)(intptr_t)launch(symbols);
    pthread_barrier_wait(&all_there);
    return failed;
}

static void threads(int count)
{
    pthread_t *ids = calloc((size_t)count, sizeof(*ids));
    pthread_attr_t small;
    int failed = 0;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 64 << 10);
    pthread_barrier_init(&all_there, NULL, (unsigned)count);
    for (int i = 0; i < count; i++)
        failed += pthread_create(&ids[i], &small, thread_body, NULL) != 0;
    for (int i = 0; i < count; i++) {
        void *result;
        pthread_join(ids[i], &result);
        failed += (int)(intptr_t)result;
    }
    printf("threads failed %d\n", failed);
    free(ids);
}

static void act(const char *word, int number)
{
    if (!strcmp(word, "segv"))
        segv();
    if (!strcmp(word, "fault"))
        fault();
    if (!strcmp(word, "names"))
        names();
    if (!strcmp(word, "spawn"))
        spawn();
    if (!strcmp(word, "vfork"))
        use_vfork();
    if (!strcmp(word, "storm"))
        storm(number);
    if (!strcmp(word, "threads"))
        threads(number);
    if (!strcmp(word, "wait"))
        sleep((unsigned)number);
    if (!strcmp(word, "term")) {
        fflush(stdout);
        raise(SIGTERM);
    }
}

int main(int argc, char **argv)
{
    register_kernels();
    printf("launch %d\n", launch(symbols));
    for (int i = 1; i < argc; i++)
        act(argv[i], i + 1 < argc ? atoi(argv[i + 1]) : 0);
    printf("sync %d\n", cudaDeviceSynchronize());
    return 0;
}
