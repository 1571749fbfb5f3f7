/* A tool that works as PyTorch's profiler does: a session registers a clock and buffers, enables
 * kinds, later disables them and flushes. TOOL_FINALIZE=1: it subscribes too, and ends a session
 * with cuptiFinalize. TOOL_CLOCK=0: without a clock of its own.
 * Threads: the job's, and CUPTI's. */
#include "tool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BUFFER_BYTES = 1 << 16, MOST = 4096, START = 16, END = 24 };

static struct {
    pthread_mutex_t lock;
    uint8_t *given[MOST]; /* and not back yet */
    int kernels, copies, others, foreign, failed, bad_times;
    uint8_t zeroed, per_thread; /* in the session, when they matter to it */
    size_t dropped;
    uint64_t begin, end; /* of the session, in its clock */
    void *subscriber;
} tool = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int setting(const char *name, int otherwise)
{
    const char *text = getenv(name);
    return text ? atoi(text) : otherwise;
}

static uint64_t clock_ns(clockid_t id)
{
    struct timespec ts;
    clock_gettime(id, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* As a counter of 3 GHz that began when the machine did. */
static uint64_t ticks(void)
{
    return clock_ns(CLOCK_MONOTONIC) * 3;
}

static uint64_t now(void)
{
    return setting("TOOL_CLOCK", 1) ? ticks() : clock_ns(CLOCK_REALTIME);
}

static void on_callback(void *user, int domain, uint32_t cbid, const void *data)
{
    (void)user;
    (void)domain;
    (void)cbid;
    (void)data;
}

static void requested(uint8_t **buffer, size_t *size, size_t *most)
{
    *buffer = aligned_alloc(8, BUFFER_BYTES);
    *size = BUFFER_BYTES;
    *most = 0;
    pthread_mutex_lock(&tool.lock);
    int i = 0;
    while (i < MOST - 1 && tool.given[i])
        i++;
    tool.given[i] = *buffer;
    pthread_mutex_unlock(&tool.lock);
}

/* Times are to lie in the session, by the session's clock. */
static void look_at(const uint8_t *record)
{
    uint32_t kind;
    uint64_t start, end, slack = 3 * 50000000u;
    memcpy(&kind, record, sizeof(kind));
    tool.kernels += kind == TOOL_KERNEL;
    tool.copies += kind == TOOL_MEMCPY;
    tool.others += kind != TOOL_KERNEL && kind != TOOL_MEMCPY;
    memcpy(&start, record + START, sizeof(start));
    memcpy(&end, record + END, sizeof(end));
    if (kind == TOOL_KERNEL &&
        (start + slack < tool.begin || end < start || end > tool.end + slack))
        tool.bad_times++;
}

static void completed(void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid)
{
    void *record = NULL;
    (void)context;
    (void)stream;
    (void)size;
    pthread_mutex_lock(&tool.lock);
    int i = 0;
    while (i < MOST && tool.given[i] != buffer)
        i++;
    if (i < MOST)
        tool.given[i] = NULL;
    while (i < MOST && CUPTI(cuptiActivityGetNextRecord)(buffer, valid, &record) == 0)
        look_at(record);
    tool.foreign += i == MOST;
    pthread_mutex_unlock(&tool.lock);
    free(buffer); /* whoever gave it: a tool does not expect strangers */
}

int tool_begin(void)
{
    size_t size = 1;
    int failed = 0;
    tool.end = UINT64_MAX / 2;
    if (setting("TOOL_FINALIZE", 0))
        failed += CUPTI(cuptiSubscribe)(&tool.subscriber, on_callback, NULL) != 0;
    if (setting("TOOL_CLOCK", 1))
        failed += CUPTI(cuptiActivityRegisterTimestampCallback)(ticks) != 0;
    failed += CUPTI(cuptiActivityRegisterCallbacks)(requested, completed) != 0;
    failed += CUPTI(cuptiActivityEnable)(TOOL_KERNEL) != 0;
    failed += CUPTI(cuptiActivityEnable)(TOOL_MEMCPY) != 0;
    CUPTI(cuptiActivityGetAttribute)(TOOL_ZEROED, &size, &tool.zeroed);
    CUPTI(cuptiActivityGetAttribute)(TOOL_PER_THREAD, &size, &tool.per_thread);
    tool.begin = now();
    tool.failed += failed;
    return failed;
}

int tool_end(void)
{
    size_t dropped = 0;
    int failed = 0;
    tool.end = now();
    failed += CUPTI(cuptiActivityDisable)(TOOL_KERNEL) != 0;
    failed += CUPTI(cuptiActivityDisable)(TOOL_MEMCPY) != 0;
    failed += CUPTI(cuptiActivityFlushAll)(1) != 0;
    failed += CUPTI(cuptiActivityGetNumDroppedRecords)(NULL, 0, &dropped) != 0;
    tool.dropped += dropped;
    if (setting("TOOL_FINALIZE", 0))
        failed += CUPTI(cuptiFinalize)() != 0;
    tool.failed += failed;
    return failed;
}

/* Sessions of all lengths, the shorter ones before the recorder has had CUPTI back. */
TOOL_API int tool_flicker(void);
int tool_flicker(void)
{
    int failed = 0;
    for (int i = 0; i < 40; i++) {
        struct timespec span = {i % 10 == 9 ? 2 : 0, 5000000 * (i % 10)};
        failed += tool_begin();
        nanosleep(&(struct timespec){0, 3000000 * (i % 7)}, NULL);
        failed += tool_end();
        nanosleep(&span, NULL);
    }
    return failed;
}

int tool_print(void)
{
    printf("tool: %d kernels, %d copies, %d others, %d foreign buffers, %d bad times, "
           "%zu dropped, %d calls failed, zeroed %d, per thread %d\n",
           tool.kernels, tool.copies, tool.others, tool.foreign, tool.bad_times, tool.dropped,
           tool.failed, tool.zeroed, tool.per_thread);
    fflush(stdout);
    return 0;
}
