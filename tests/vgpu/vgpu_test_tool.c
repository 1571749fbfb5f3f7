/* A tool for the injection test: says when it is started and whether CUPTI still answers in its
 * exit handlers, one registered inside cuInit and one when the first context exists.
 * Threads: the job's. May not: do more. */
#include "vgpu_cupti_calls.h"

#include <stdio.h>
#include <stdlib.h>

VGPU_API int InitializeInjection(void);

static void at_exit_of_start(void)
{
    printf("tool: exit handler of the start: flush %d\n", cuptiActivityFlushAll(1));
    fflush(stdout);
}

static void at_exit_of_context(void)
{
    printf("tool: exit handler of the context: flush %d\n", cuptiActivityFlushAll(1));
    fflush(stdout);
}

static void on_callback(void *user, uint32_t domain, uint32_t cbid, const void *data)
{
    (void)user, (void)domain, (void)data;
    if (cbid == VGPU_CONTEXT_CREATED) {
        atexit(at_exit_of_context);
    }
    printf("tool: %s\n", cbid == VGPU_CONTEXT_CREATED ? "context" : "driver ready");
    fflush(stdout);
}

int InitializeInjection(void)
{
    void *subscriber = NULL;
    cuptiSubscribe(&subscriber, on_callback, NULL);
    cuptiEnableCallback(1, subscriber, VGPU_DOMAIN_RESOURCE, VGPU_CONTEXT_CREATED);
    cuptiEnableCallback(1, subscriber, VGPU_DOMAIN_RESOURCE, VGPU_INIT_FINISHED);
    atexit(at_exit_of_start);
    printf("tool: started\n");
    fflush(stdout);
    return 1;
}
