/* Native stacks: a C function, one called through qsort of the C library, a thread, a leaf that
 * blocks, with each unwinder in turn. Prints what was seen; exit 1 where it is wrong.
 * Threads: a few of its own. */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int probe_open(void);
unsigned probe_capture(void);
void probe_text(unsigned site, char *text, size_t cap);
const char *probe_unwinder(int best);
int64_t probe_cost_ns(int times);

static int failed;

/* Built with line numbers: "native_job.c:58 in name". Without: "name+0x1f (native_job)", the right
 * function and an offset into it. */
static void check(const char *what, unsigned site, const char *function, int line)
{
    char text[300], wanted[300];
    probe_text(site, text, sizeof(text));
    size_t len = strlen(function);
    snprintf(wanted, sizeof(wanted), "native_job.c:%d in %s", line, function);
#ifdef WANT_LINES
    int right = len > 0 && !strcmp(text, wanted);
#else
    int right = !strncmp(text, function, len) && !strncmp(text + len, "+0x", 3) &&
                strstr(text, " (native_job") != NULL;
#endif
    printf("%s %s: %s\n", right ? "ok" : "FAIL", what, text);
    failed += !right;
}

#define FUNCTION __attribute__((noinline, optimize("no-optimize-sibling-calls")))
#ifdef __clang__
#undef FUNCTION
#define FUNCTION __attribute__((noinline))
#endif

static unsigned seen;
static int train_line, compare_line, thread_line;

FUNCTION unsigned train_step(void)
{
    train_line = __LINE__ + 1;
    unsigned site = probe_capture();
    __asm__ volatile("" : : "r"(site) : "memory");
    return site;
}

FUNCTION static int compare(const void *a, const void *b)
{
    (void)a;
    (void)b;
    compare_line = __LINE__ + 1;
    seen = probe_capture();
    return 0;
}

FUNCTION static void *thread_body(void *unused)
{
    (void)unused;
    thread_line = __LINE__ + 1;
    seen = probe_capture();
    __asm__ volatile("" : : : "memory");
    return NULL;
}

FUNCTION static unsigned recursion(int n)
{
    unsigned site = n ? recursion(n - 1) : train_step();
    __asm__ volatile("" : : "r"(site) : "memory");
    return site;
}

static void all(const char *how)
{
    int numbers[2] = {2, 1};
    pthread_t thread;
    errno = 77;
    unsigned first = train_step();
    if (errno != 77)
        failed++, printf("FAIL errno is %d\n", errno);
    check("function", first, "train_step", train_line);
    qsort(numbers, 2, sizeof(int), compare);
    check("called back by the C library", seen, "compare", compare_line);
    pthread_create(&thread, NULL, thread_body, NULL);
    pthread_join(thread, NULL);
    check("thread", seen, "thread_body", thread_line);
    check("deep recursion", recursion(500), "train_step", train_line);
    volatile int times = 2; /* one call in the code, not two */
    unsigned again[2];
    for (int i = 0; i < times; i++)
        again[i] = train_step();
    if (again[0] != again[1])
        failed++, printf("FAIL one place, two sites\n");
    printf("%s: %lld ns a stack\n", how, (long long)probe_cost_ns(2000));
}

int main(void)
{
    static const char *const WANTED[] = {"", "libunwind", "libgcc", "frame pointers"};
    if (probe_open() != 0)
        return 1;
    for (int best = 1; best <= 3; best++) {
        const char *how = probe_unwinder(best);
        printf("--- asked for %s, got %s\n", WANTED[best], how);
        if (strcmp(how, WANTED[best]) != 0 && best != 1) /* libunwind may be missing */
            failed++, printf("FAIL unwinder\n");
        all(how);
    }
    /* libunwind's memory of code that may be replaced is not used */
    int usual = !strcmp(probe_unwinder(1), WANTED[1]);
    if (usual && strcmp(probe_unwinder(0), WANTED[1]) != 0)
        failed++, printf("FAIL changed without a reason\n");
    void *library = dlopen("libcmocka.so.0", RTLD_NOW | RTLD_LOCAL);
    if (usual && library && dlclose(library) == 0 && strcmp(probe_unwinder(0), WANTED[2]) != 0)
        failed++, printf("FAIL still libunwind after a library was unloaded\n");
    printf(failed ? "%d failed\n" : "ok\n", failed);
    return failed != 0;
}
