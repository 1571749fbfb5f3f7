/* A tool that listens to launches: subscribes, counts, unsubscribes. As TOOL_INJECTED it begins
 * when the driver loads it, as a profiler started from outside does, and prints at the end.
 * Threads: the job's. */
#include "tool.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static atomic_int launches;
static int failed;
static void *subscriber;

static void on_callback(void *user, int domain, uint32_t cbid, const void *data)
{
    (void)user;
    (void)domain;
    (void)data;
    launches += cbid == TOOL_LAUNCH;
}

int tool_begin(void)
{
    int code = CUPTI(cuptiSubscribe)(&subscriber, on_callback, NULL);
    if (code == 0)
        code = CUPTI(cuptiEnableCallback)(1, subscriber, TOOL_RUNTIME_DOMAIN, TOOL_LAUNCH);
    failed += code != 0;
    return code;
}

int tool_end(void)
{
    int code = CUPTI(cuptiUnsubscribe)(subscriber);
    failed += code != 0;
    return code;
}

int tool_print(void)
{
    printf("tool: %d launches, %d calls failed\n", launches / 2, failed); /* enter and exit */
    fflush(stdout);
    return 0;
}

#ifdef TOOL_INJECTED
static void print(void)
{
    tool_print();
}

TOOL_API int InitializeInjection(void);
int InitializeInjection(void)
{
    atexit(print);
    return tool_begin() == 0;
}
#endif
