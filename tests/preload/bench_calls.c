/* What one intercepted call costs: the same calls with libwhyidle.so preloaded and with a preload
 * that does nothing, in interleaved pairs, so that drifts of the machine hit both alike. Prints
 * lines "name value unit": the median of the differences and its 95 % interval.
 *   bench_calls [PAIRS]            the benchmark (WI_BUILD or the program's own place tells where)
 *   bench_calls --child CALL N     one run: prints the ns per call
 * Threads: one. May not: be a timed test; its figures are for people. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "job_cuda.h"

#define DEFAULT_PAIRS 30
#define MAX_PAIRS     500
#define CHILD_CALLS   200000
#define PATH_BYTES    4096

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void call_set_device(int times)
{
    for (int i = 0; i < times; i++)
        cudaSetDevice(0);
}

static void call_query(int times)
{
    for (int i = 0; i < times; i++)
        cudaStreamQuery(NULL);
}

/* The fastest of ten rounds: what the call takes when nothing else disturbs it. */
static int child(const char *call, int times)
{
    void (*body)(int) = !strcmp(call, "query") ? call_query : call_set_device;
    double best = 1e18;
    void *ptr;
    if (cudaMalloc(&ptr, 4096) != 0)
        return 3;
    for (int round = 0; round < 10; round++) {
        int64_t start = now_ns();
        body(times / 10);
        double each = (double)(now_ns() - start) / (times / 10);
        best = each < best ? each : best;
    }
    printf("%.3f\n", best);
    fflush(stdout);
    _exit(0);
}

/* One child under a preload; its figure, or -1. */
static double measure(const char *self, const char *preload, const char *call)
{
    int ends[2];
    char text[64] = "", times[32];
    if (pipe(ends) != 0)
        return -1;
    snprintf(times, sizeof(times), "%d", CHILD_CALLS);
    pid_t pid = fork();
    if (pid == 0) {
        setenv("LD_PRELOAD", preload, 1);
        setenv("WHYIDLE_PRINT", "none", 1);
        dup2(ends[1], 1);
        execl(self, self, "--child", call, times, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    ssize_t len = pid > 0 ? read(ends[0], text, sizeof(text) - 1) : -1;
    int status = 0;
    close(ends[0]);
    if (pid > 0)
        waitpid(pid, &status, 0);
    return len > 0 && status == 0 ? atof(text) : -1;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Median and the order statistics that enclose it with 95 % probability (binomial, n >= 30). */
static void report(const char *name, double *values, int count)
{
    qsort(values, (size_t)count, sizeof(*values), by_value);
    int half = 0;
    while ((half + 1) * (half + 1) <= count)
        half++; /* sqrt(n); 1.96 sqrt(n) / 2 is just below it */
    int low = count / 2 - half, high = count / 2 + half;
    printf("%s %.1f ns\n", name, values[count / 2]);
    printf("%s_low %.1f ns\n", name, values[low < 0 ? 0 : low]);
    printf("%s_high %.1f ns\n", name, values[high >= count ? count - 1 : high]);
}

static int compare(const char *self, const char *dir, const char *call, const char *cupti,
                   const char *other, const char *name, int pairs)
{
    static double differences[MAX_PAIRS];
    char ours[PATH_BYTES], null[PATH_BYTES];
    if (snprintf(ours, sizeof(ours), "%s/../../src/collect/libwhyidle.so", dir) < 0 ||
        snprintf(null, sizeof(null), "%s/lib%s.so", dir, other) < 0)
        return 1;
    setenv("WHYIDLE_CUPTI", cupti, 1);
    int count = 0;
    for (int i = 0; i < pairs; i++) {
        int first = i % 2; /* neither side always runs first */
        double a = measure(self, first ? ours : null, call);
        double b = measure(self, first ? null : ours, call);
        if (a >= 0 && b >= 0)
            differences[count++] = first ? a - b : b - a;
    }
    if (!count)
        return 1;
    report(name, differences, count);
    return 0;
}

int main(int argc, char **argv)
{
    static char self[PATH_BYTES / 4], dir[PATH_BYTES / 4];
    if (argc > 3 && !strcmp(argv[1], "--child"))
        return child(argv[2], atoi(argv[3]));
    int pairs = argc > 1 ? atoi(argv[1]) : DEFAULT_PAIRS;
    pairs = pairs < 1 ? 1 : pairs > MAX_PAIRS ? MAX_PAIRS : pairs;
    ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
    if (len <= 0)
        return 2;
    memcpy(dir, self, sizeof(dir));
    *strrchr(dir, '/') = 0;
    char libraries[PATH_BYTES];
    if (snprintf(libraries, sizeof(libraries), "%s/../../vgpu/13:%s/../../vgpu", dir, dir) < 0)
        return 2;
    setenv("LD_LIBRARY_PATH", libraries, 1);
    printf("pairs %d count\n", pairs);
    return compare(self, dir, "set-device", "off", "null_preload", "added_per_call_wrapper",
                   pairs) |
           compare(self, dir, "query", "off", "null_preload", "added_per_call_wrapper_query",
                   pairs) |
           compare(self, dir, "query", "auto", "null_cupti", "added_per_call_callback", pairs) |
           compare(self, dir, "query", "auto", "null_preload", "added_per_call_callback_and_cupti",
                   pairs);
}
