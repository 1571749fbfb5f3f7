/* The faults and the life cycle: each case runs this program again as a job with an environment
 * and compares what the job prints.
 * Threads: the job's one and the library's. May not: share a process between cases. */
#include "vgpu_cupti_calls.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <pthread.h>
#include <cmocka.h>

static const char *self;
static int delivered, ordered = 1, zero, own_thread;
static uint64_t last_start, first_start;
static pthread_t main_thread;

static void on_callback(void *user, uint32_t domain, uint32_t cbid, const void *data)
{
    (void)user, (void)domain, (void)cbid, (void)data;
}

static void on_request(uint8_t **buffer, size_t *bytes, size_t *max_records)
{
    *bytes = 4096;
    *buffer = aligned_alloc(8, 4096);
    *max_records = 0;
}

static void on_complete(void *context, uint32_t stream, uint8_t *buffer, size_t bytes, size_t valid)
{
    void *record = NULL;
    (void)context, (void)stream, (void)bytes;
    own_thread |= !pthread_equal(pthread_self(), main_thread);
    while (cuptiActivityGetNextRecord(buffer, valid, &record) == 0) {
        const struct ct_kernel *kernel = record;
        delivered++;
        zero += kernel->start == 0 && kernel->end == 0;
        ordered &= kernel->start >= last_start;
        last_start = kernel->start;
        first_start = first_start == 0 ? kernel->start : first_start;
    }
    free(buffer);
}

static void report(const char *when)
{
    size_t dropped = 0;
    cuptiActivityGetNumDroppedRecords(NULL, 0, &dropped);
    printf("%s: delivered %d dropped %zu zero %d ordered %d\n", when, delivered, dropped, zero,
           ordered);
    fflush(stdout);
}

/* Launches a hundred kernels with records on and tells how they came back. Eighteen records fit a
 * buffer, so at least 72 of 90 come in full buffers. */
static int job(void)
{
    void *subscriber = NULL, *library = NULL, *kernel = NULL;
    const struct vg_dim3 one = {1, 1, 1};
    main_thread = pthread_self();
    cuptiActivityRegisterCallbacks(on_request, on_complete);
    printf("subscribe %d enable %d\n", cuptiSubscribe(&subscriber, on_callback, NULL),
           cuptiActivityEnable(10));
    fflush(stdout);
    cudaLibraryLoadData(&library, VGPU_TEST_PTX, NULL, NULL, 0, NULL, NULL, 0);
    cudaLibraryGetKernel(&kernel, library, "plain");
    for (int i = 0; i < 100; i++) {
        cudaLaunchKernel(kernel, one, one, NULL, 0, NULL);
    }
    cudaDeviceSynchronize();
    usleep(20000);
    cudaGetDevice(&(int){0});
    printf("by themselves %d own thread %d\n", delivered >= 72, own_thread);
    fflush(stdout);
    cuptiActivityFlushAll(0);
    report("flushed");
    uint64_t now = 0;
    cuptiGetTimestamp(&now);
    printf("clock agrees %d\n",
           first_start != 0 && now > first_start && now - first_start < 1000000000);
    return 0;
}

/* The same work under an injected tool. */
static int injected_job(void)
{
    printf("free %d\n", cudaFree(NULL));
    fflush(stdout);
    return 0;
}

static void run_command(const char *environment, const char *program, const char *want)
{
    char command[2048], got[2048];
    snprintf(command, sizeof(command), "%s timeout 2 env %s 2>&1", environment, program);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    size_t length = fread(got, 1, sizeof(got) - 1, pipe);
    got[length] = 0;
    pclose(pipe);
    char *shell = strstr(got, "Aborted"); /* the shell's own word about an abort */
    if (shell != NULL) {
        *shell = 0;
    }
    assert_string_equal(got, want);
}

static void run(const char *environment, const char *mode, const char *want)
{
    char program[1024];
    snprintf(program, sizeof(program), "%s %s", self, mode);
    run_command(environment, program, want);
}

static void without_faults_all_come(void **unused)
{
    (void)unused;
    run("VGPU_FAULT=", "job",
        "subscribe 0 enable 0\nby themselves 1 own thread 1\n"
        "flushed: delivered 100 dropped 0 zero 0 ordered 1\nclock agrees 1\n");
}

static void another_subscriber_is_in_the_way(void **unused)
{
    (void)unused;
    run("VGPU_FAULT=subscribe=39", "job",
        "subscribe 39 enable 39\nby themselves 0 own thread 0\n"
        "flushed: delivered 0 dropped 0 zero 0 ordered 1\nclock agrees 0\n");
}

static void records_can_be_dropped(void **unused)
{
    (void)unused;
    run("VGPU_FAULT=drop=10", "job",
        "subscribe 0 enable 0\nby themselves 1 own thread 1\n"
        "flushed: delivered 90 dropped 10 zero 0 ordered 1\nclock agrees 1\n");
}

static void times_can_be_missing(void **unused)
{
    (void)unused;
    run("VGPU_FAULT=zero-times=4", "job",
        "subscribe 0 enable 0\nby themselves 1 own thread 1\n"
        "flushed: delivered 100 dropped 0 zero 25 ordered 0\nclock agrees 1\n");
}

static void order_can_be_lost(void **unused)
{
    (void)unused;
    run("VGPU_FAULT=out-of-order", "job",
        "subscribe 0 enable 0\nby themselves 1 own thread 1\n"
        "flushed: delivered 100 dropped 0 zero 0 ordered 0\nclock agrees 1\n");
}

static void the_caller_can_be_made_to_deliver(void **unused)
{
    (void)unused;
    run("VGPU_FAULT=deliver-thread=caller", "job",
        "subscribe 0 enable 0\nby themselves 1 own thread 0\n"
        "flushed: delivered 100 dropped 0 zero 0 ordered 1\nclock agrees 1\n");
}

static void nothing_may_ever_come(void **unused)
{
    (void)unused;
    run("VGPU_FAULT=never-deliver", "job",
        "subscribe 0 enable 0\nby themselves 0 own thread 0\n"
        "flushed: delivered 0 dropped 0 zero 0 ordered 1\nclock agrees 0\n");
}

static void two_faults_at_once(void **unused)
{
    (void)unused;
    run("VGPU_FAULT=drop=2,out-of-order", "job",
        "subscribe 0 enable 0\nby themselves 0 own thread 1\n"
        "flushed: delivered 50 dropped 50 zero 0 ordered 0\nclock agrees 1\n");
}

static void a_flush_may_hang(void **unused)
{
    (void)unused;
    run("VGPU_FAULT=flush-hang", "job", "subscribe 0 enable 0\nby themselves 1 own thread 1\n");
}

static void a_tool_is_injected_and_outlived_by_its_first_exit_handler(void **unused)
{
    (void)unused;
    run("CUDA_INJECTION64_PATH=" VGPU_TEST_TOOL, "injected-job",
        "tool: started\ntool: driver ready\ntool: context\nfree 0\n"
        "tool: exit handler of the context: flush 0\n"
        "tool: exit handler of the start: flush 15\n");
}

static void a_static_runtime_is_seen_too(void **unused)
{
    (void)unused;
    run_command("CUDA_INJECTION64_PATH=" VGPU_TEST_TOOL, VGPU_STATIC_JOB,
                "tool: started\ntool: driver ready\ntool: context\nfree 0 runtime file 0\n"
                "tool: exit handler of the context: flush 0\n"
                "tool: exit handler of the start: flush 15\n");
}

static void a_call_after_the_teardown_can_abort(void **unused)
{
    (void)unused;
    run("VGPU_FAULT=abort-after-teardown CUDA_INJECTION64_PATH=" VGPU_TEST_TOOL, "injected-job",
        "tool: started\ntool: driver ready\ntool: context\nfree 0\n"
        "tool: exit handler of the context: flush 0\n"
        "virtual GPU: a CUPTI call after the driver's teardown\n");
}

int main(int argc, char **argv)
{
    self = argv[0];
    if (argc == 2) {
        return strcmp(argv[1], "job") == 0 ? job() : injected_job();
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_faults_all_come),
        cmocka_unit_test(another_subscriber_is_in_the_way),
        cmocka_unit_test(records_can_be_dropped),
        cmocka_unit_test(times_can_be_missing),
        cmocka_unit_test(order_can_be_lost),
        cmocka_unit_test(the_caller_can_be_made_to_deliver),
        cmocka_unit_test(nothing_may_ever_come),
        cmocka_unit_test(two_faults_at_once),
        cmocka_unit_test(a_flush_may_hang),
        cmocka_unit_test(a_tool_is_injected_and_outlived_by_its_first_exit_handler),
        cmocka_unit_test(a_static_runtime_is_seen_too),
        cmocka_unit_test(a_call_after_the_teardown_can_abort),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
