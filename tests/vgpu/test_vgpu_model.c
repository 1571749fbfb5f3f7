/* The device model's times, seen through the runtime and a tracer. Expected values are worked out
 * by hand from the numbers set in main.
 * Threads: cmocka's, and those the cases start. May not: expect host times exactly. */
#include "vgpu_calls.h"
#include "vgpu_clock.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

/* LONG: what a busy machine may take between two calls without harm. */
enum { MS = 1000000, LONG = 25 * MS, JIT = 2 * MS, LOAD = MS, BYTES = 24000000 };

void vgpu_next_copy_ns(uint64_t ns); /* of libcuda.so.1 */
void vgpu_next_call_ns(uint64_t ns);

static const struct vgpu_core *core;
static void *spin, *plain;
static char *pinned, *pageable, *device;
static struct vgpu_op ops[64];
static struct vgpu_overhead overheads[64];
static int op_count, overhead_count;

static void on_call(struct vgpu_call *call)
{
    (void)call;
}

static void on_operation(const struct vgpu_op *op)
{
    if (op_count < 64) {
        ops[op_count++] = *op;
    }
}

static void on_sync(const struct vgpu_sync *sync)
{
    (void)sync;
}

static void on_overhead(const struct vgpu_overhead *overhead)
{
    if (overhead_count < 64) {
        overheads[overhead_count++] = *overhead;
    }
}

static void on_resource(const struct vgpu_resource *resource)
{
    (void)resource;
}

static int begin(void **unused)
{
    static const struct vgpu_tracer tracer = {on_call, on_call,     on_operation,
                                              on_sync, on_overhead, on_resource};
    (void)unused;
    assert_int_equal(cudaDeviceSynchronize(), 0);
    core->set_tracer(&tracer);
    op_count = overhead_count = 0;
    return 0;
}

static int end(void **unused)
{
    (void)unused;
    core->set_tracer(NULL);
    return cudaSetDevice(0);
}

static void run_spin(void *stream, uint64_t ns)
{
    void *args[] = {&ns};
    const struct vg_dim3 grid = {4, 2, 1}, block = {64, 1, 1};
    assert_int_equal(cudaLaunchKernel(spin, grid, block, args, 0, stream), 0);
}

static void *new_stream(uint32_t flags)
{
    void *stream = NULL;
    assert_int_equal(cudaStreamCreateWithFlags(&stream, flags), 0);
    return stream;
}

static void a_kernel_takes_its_argument(void **unused)
{
    (void)unused;
    void *stream = new_stream(NON_BLOCKING);
    uint64_t before_ns = vg_now_ns();
    run_spin(stream, LONG);
    uint64_t called_ns = vg_now_ns();
    assert_int_equal(cudaStreamSynchronize(stream), 0);
    assert_int_equal(op_count, 1);
    assert_int_equal(ops[0].end_ns - ops[0].start_ns, LONG);
    assert_true(ops[0].start_ns >= before_ns + 4000 && ops[0].start_ns <= called_ns + 4000);
    assert_true(called_ns < ops[0].end_ns);
    assert_true(vg_now_ns() >= ops[0].end_ns);
    assert_string_equal(ops[0].name, "spin_ns");
    assert_int_equal(ops[0].grid[1], 2);
    assert_int_equal(cudaStreamDestroy(stream), 0);
}

static void an_unknown_kernel_takes_the_default(void **unused)
{
    (void)unused;
    const struct vg_dim3 one = {1, 1, 1};
    assert_int_equal(cudaLaunchKernel(plain, one, one, NULL, 0, NULL), 0);
    assert_int_equal(ops[0].end_ns - ops[0].start_ns, 10000);
}

static void a_stream_runs_in_order(void **unused)
{
    (void)unused;
    void *stream = new_stream(NON_BLOCKING);
    run_spin(stream, LONG);
    run_spin(stream, MS);
    assert_int_equal(ops[1].start_ns, ops[0].end_ns + 800);
    cudaStreamDestroy(stream);
}

static bool overlap(const struct vgpu_op *a, const struct vgpu_op *b)
{
    return a->start_ns < b->end_ns && b->start_ns < a->end_ns;
}

static void copy_and_kernel_overlap(void **unused)
{
    (void)unused;
    void *a = new_stream(NON_BLOCKING), *b = new_stream(NON_BLOCKING);
    run_spin(a, LONG);
    assert_int_equal(cudaMemcpyAsync(device, pinned, BYTES, UP, b), 0);
    assert_true(overlap(&ops[0], &ops[1]));
    assert_int_equal(ops[1].end_ns - ops[1].start_ns, 1001200); /* 24e6 B at 24 GB/s, 1.2 us */
    assert_int_equal(ops[1].copy_kind, 1);
    assert_int_equal(ops[1].source_kind, 2);
    assert_int_equal(ops[1].target_kind, 3);
    cudaStreamDestroy(a);
    cudaStreamDestroy(b);
}

static void one_copy_engine_a_direction(void **unused)
{
    (void)unused;
    void *a = new_stream(NON_BLOCKING), *b = new_stream(NON_BLOCKING),
         *c = new_stream(NON_BLOCKING);
    vgpu_next_copy_ns(LONG);
    cudaMemcpyAsync(device, pinned, BYTES, UP, a);
    cudaMemcpyAsync(device, pinned, BYTES, UP, b);
    cudaMemcpyAsync(pinned, device, BYTES, DOWN, c);
    assert_int_equal(op_count, 3);
    assert_int_equal(ops[1].start_ns, ops[0].end_ns);
    assert_true(overlap(&ops[1], &ops[2]) || overlap(&ops[0], &ops[2]));
    cudaStreamDestroy(a);
    cudaStreamDestroy(b);
    cudaStreamDestroy(c);
}

static void the_legacy_stream_is_a_barrier(void **unused)
{
    (void)unused;
    void *a = new_stream(BLOCKING), *b = new_stream(BLOCKING),
         *free_stream = new_stream(NON_BLOCKING);
    run_spin(a, LONG);
    run_spin(NULL, MS);
    run_spin(b, MS);
    run_spin(free_stream, MS);
    assert_true(ops[1].start_ns >= ops[0].end_ns);
    assert_true(ops[2].start_ns >= ops[1].end_ns);
    assert_true(overlap(&ops[0], &ops[3]));
    cudaStreamDestroy(a);
    cudaStreamDestroy(b);
    cudaStreamDestroy(free_stream);
}

static void *launch_per_thread(void *unused)
{
    uint64_t ns = LONG;
    void *args[] = {&ns};
    const struct vg_dim3 one = {1, 1, 1};
    (void)unused;
    cudaLaunchKernel_ptsz(spin, one, one, args, 0, NULL);
    cudaStreamSynchronize_ptsz(NULL);
    return NULL;
}

static void threads_have_their_own_default_streams(void **unused)
{
    pthread_t threads[2];
    (void)unused;
    for (int i = 0; i < 2; i++) {
        pthread_create(&threads[i], NULL, launch_per_thread, NULL);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
    }
    assert_int_equal(op_count, 2);
    assert_int_not_equal(ops[0].stream_id, ops[1].stream_id);
    assert_true(overlap(&ops[0], &ops[1]));
}

static void a_full_queue_blocks(void **unused)
{
    (void)unused;
    void *stream = new_stream(NON_BLOCKING);
    for (int i = 0; i < 8; i++) {
        run_spin(stream, i == 0 ? LONG : MS);
    }
    assert_true(vg_now_ns() < ops[0].end_ns); /* eight fit: VGPU_QUEUE */
    assert_int_equal(overhead_count, 0);
    run_spin(stream, MS);
    assert_true(vg_now_ns() >= ops[0].end_ns);
    assert_int_equal(overhead_count, 1);
    assert_int_equal(overheads[0].kind, VGPU_OVERHEAD_QUEUE_FULL);
    assert_int_equal(overheads[0].correlation, ops[8].correlation);
    cudaStreamDestroy(stream);
}

/* The first launch of a kernel compiles it, as it came as text, and loads it; the second does not.
 */
static void the_first_launch_loads(void **unused)
{
    (void)unused;
    void *library = NULL, *kernel = NULL;
    const struct vg_dim3 grid = {1, 1, 1};
    uint64_t ns = MS;
    void *args[] = {&ns};
    assert_int_equal(cudaLibraryLoadData(&library, VGPU_TEST_PTX, NULL, NULL, 0, NULL, NULL, 0), 0);
    assert_int_equal(cudaLibraryGetKernel(&kernel, library, "spin_ns"), 0);
    overhead_count = 0;
    for (int i = 0; i < 2; i++)
        assert_int_equal(cudaLaunchKernel(kernel, grid, grid, args, 0, NULL), 0);
    assert_int_equal(overhead_count, 2);
    const struct vgpu_overhead *compile = &overheads[0], *load = &overheads[1];
    assert_int_equal(compile->kind, VGPU_OVERHEAD_COMPILER);
    assert_int_equal(load->kind, VGPU_OVERHEAD_FUNCTION_LOADING);
    assert_true(compile->end_ns - compile->start_ns >= JIT);
    assert_true(load->start_ns == compile->start_ns && load->end_ns >= compile->end_ns + LOAD);
    assert_int_equal(load->correlation, ops[0].correlation);
}

static void a_stream_waits_for_an_event(void **unused)
{
    (void)unused;
    void *a = new_stream(NON_BLOCKING), *b = new_stream(NON_BLOCKING), *event = NULL;
    assert_int_equal(cudaEventCreate(&event), 0);
    run_spin(a, LONG);
    assert_int_equal(cudaEventRecord(event, a), 0);
    assert_int_equal(cudaEventQuery(event), 600);
    assert_int_equal(cudaGetLastError(), 600);
    assert_int_equal(cudaStreamWaitEvent(b, event, 0), 0);
    run_spin(b, MS);
    assert_true(ops[1].start_ns >= ops[0].end_ns);
    assert_int_equal(cudaEventSynchronize(event), 0);
    assert_true(vg_now_ns() >= ops[0].end_ns);
    assert_int_equal(cudaEventDestroy(event), 0);
    cudaStreamDestroy(a);
    cudaStreamDestroy(b);
}

static void events_measure_the_time_between(void **unused)
{
    (void)unused;
    void *stream = new_stream(NON_BLOCKING), *from = NULL, *to = NULL;
    float ms = 0;
    cudaEventCreate(&from);
    cudaEventCreate(&to);
    run_spin(stream, LONG);
    cudaEventRecord(from, stream);
    run_spin(stream, 5 * MS);
    cudaEventRecord(to, stream);
    assert_int_equal(cudaEventElapsedTime(&ms, from, to), 600);
    assert_int_equal(cudaStreamSynchronize(stream), 0);
    assert_int_equal(cudaEventElapsedTime(&ms, from, to), 0);
    assert_true(ms > 5.0006f && ms < 5.0010f); /* 5 ms and the gap of 800 ns */
    cudaEventDestroy(from);
    cudaEventDestroy(to);
    cudaStreamDestroy(stream);
}

static uint64_t timed_copy(void *target, const void *source, size_t bytes, int kind, void *stream)
{
    uint64_t before_ns = vg_now_ns();
    assert_int_equal(cudaMemcpyAsync(target, source, bytes, kind, stream), 0);
    return vg_now_ns() - before_ns;
}

static void pageable_copies_block(void **unused)
{
    (void)unused;
    void *stream = new_stream(NON_BLOCKING);
    assert_true(timed_copy(device, pageable, BYTES, UP, stream) >= 4 * MS); /* 24e6 B at 6 GB/s */
    assert_true(vg_now_ns() >= ops[0].end_ns);
    run_spin(stream, 2 * LONG);
    assert_true(timed_copy(device, pinned, 4096, UP, stream) < LONG);
    assert_true(timed_copy(device, pageable, 65536, UP, stream) < LONG);
    assert_true(vg_now_ns() < ops[1].end_ns);
    assert_true(timed_copy(pageable, device, 4, DOWN, stream) > 0);
    assert_true(vg_now_ns() >= ops[4].end_ns);
    cudaStreamDestroy(stream);
}

static void synchronous_copies_wait_but_device_copies_do_not(void **unused)
{
    (void)unused;
    run_spin(NULL, LONG);
    assert_int_equal(cudaMemcpy(device, device + 4096, 4096, 3), 0);
    assert_int_equal(cudaMemset(device, 7, 4096), 0);
    assert_true(vg_now_ns() < ops[0].end_ns);
    assert_int_equal(cudaMemcpy(pinned, device, 4096, DOWN), 0);
    assert_true(vg_now_ns() >= ops[3].end_ns);
    assert_int_equal(pinned[4095], 7);
}

static void free_waits_for_the_device(void **unused)
{
    void *block = NULL;
    (void)unused;
    assert_int_equal(cudaMalloc(&block, 1 << 20), 0);
    void *stream = new_stream(NON_BLOCKING);
    run_spin(stream, 3 * MS);
    assert_int_equal(cudaFree(block), 0);
    assert_true(vg_now_ns() >= ops[0].end_ns);
    cudaStreamDestroy(stream);
}

static uint64_t host_function_end_ns;

static void sleep_5_ms(void *unused)
{
    const struct timespec five = {0, 5 * MS};
    (void)unused;
    nanosleep(&five, NULL);
    host_function_end_ns = vg_now_ns();
}

static void a_host_function_holds_its_stream_back(void **unused)
{
    (void)unused;
    void *a = new_stream(NON_BLOCKING), *b = new_stream(NON_BLOCKING), *event = NULL;
    cudaEventCreate(&event);
    run_spin(a, LONG);
    assert_int_equal(cudaLaunchHostFunc(a, sleep_5_ms, NULL), 0);
    run_spin(a, MS);
    cudaEventRecord(event, a);
    run_spin(b, MS);
    assert_int_equal(op_count, 2);
    assert_true(overlap(&ops[0], &ops[1]));
    assert_int_equal(cudaStreamWaitEvent(b, event, 0), 0);
    run_spin(b, MS);
    assert_int_equal(cudaStreamQuery(a), 600);
    assert_int_equal(cudaStreamSynchronize(b), 0);
    assert_int_equal(op_count, 4);
    assert_true(ops[2].start_ns >= host_function_end_ns);
    assert_true(ops[3].start_ns >= ops[2].end_ns);
    assert_true(host_function_end_ns >= ops[0].end_ns + 5 * MS);
    cudaEventDestroy(event);
    cudaStreamDestroy(a);
    cudaStreamDestroy(b);
}

/* a: spin, fork to b: spin, join back, spin. */
static void *capture_diamond(void *a, void *b)
{
    void *graph = NULL, *exec = NULL, *fork = NULL, *join = NULL;
    cudaEventCreate(&fork);
    cudaEventCreate(&join);
    assert_int_equal(cudaStreamBeginCapture(a, 0), 0);
    run_spin(a, LONG);
    cudaEventRecord(fork, a);
    cudaStreamWaitEvent(b, fork, 0);
    run_spin(a, MS);
    run_spin(b, 2 * MS);
    cudaEventRecord(join, b);
    cudaStreamWaitEvent(a, join, 0);
    run_spin(a, MS);
    assert_int_equal(cudaStreamEndCapture(a, &graph), 0);
    assert_int_equal(op_count, 0);
    assert_int_equal(cudaGraphInstantiate(&exec, graph, 0), 0);
    assert_int_equal(cudaGraphDestroy(graph), 0);
    cudaEventDestroy(fork);
    cudaEventDestroy(join);
    return exec;
}

static void a_graph_keeps_the_order_of_its_capture(void **unused)
{
    (void)unused;
    void *a = new_stream(NON_BLOCKING), *b = new_stream(NON_BLOCKING);
    void *exec = capture_diamond(a, b);
    assert_int_equal(cudaGraphLaunch(exec, a), 0);
    assert_int_equal(op_count, 5);
    assert_int_equal(ops[1].start_ns, ops[0].end_ns + 500);
    assert_int_equal(ops[2].start_ns, ops[0].end_ns + 500);
    assert_int_equal(ops[3].start_ns, ops[2].end_ns + 500);
    assert_int_equal(ops[4].kind, VGPU_GRAPH);
    assert_int_equal(ops[4].start_ns, ops[0].start_ns);
    assert_int_equal(ops[4].end_ns, ops[3].end_ns);
    assert_int_equal(ops[3].graph_id, ops[4].graph_id);
    uint32_t first = ops[4].correlation;
    assert_int_equal(cudaGraphLaunch(exec, a), 0);
    assert_int_equal(ops[5].start_ns, ops[4].end_ns + 800);
    assert_int_not_equal(ops[9].correlation, first);
    assert_int_equal(cudaStreamSynchronize(a), 0);
    assert_int_equal(cudaGraphExecDestroy(exec), 0);
    cudaStreamDestroy(a);
    cudaStreamDestroy(b);
}

static void devices_run_apart_and_copy_to_each_other(void **unused)
{
    void *there = NULL;
    int count = 0, can = 0;
    (void)unused;
    assert_int_equal(cudaGetDeviceCount(&count), 0);
    assert_int_equal(count, 2);
    assert_int_equal(cudaDeviceCanAccessPeer(&can, 0, 1), 0);
    assert_int_equal(can, 1);
    run_spin(NULL, LONG);
    assert_int_equal(cudaSetDevice(1), 0);
    assert_int_equal(cudaMalloc(&there, 1 << 20), 0);
    run_spin(NULL, 2 * MS);
    assert_int_equal(ops[1].device, 1);
    assert_true(overlap(&ops[0], &ops[1]));
    assert_int_equal(cudaMemcpyPeerAsync(there, 1, device, 0, 1 << 20, NULL), 0);
    assert_int_equal(ops[2].copy_kind, VGPU_PTOP);
    assert_int_equal(ops[2].source_device, 0);
    assert_int_equal(ops[2].target_device, 1);
    assert_int_equal(cudaFree(there), 0);
    assert_int_equal(cudaSetDevice(2), 101);
}

static void utilisation_is_the_share_with_a_kernel(void **unused)
{
    struct vgpu_device_info info;
    const struct timespec wait = {0, 260 * MS};
    (void)unused;
    nanosleep(&wait, NULL);
    core->device_info(0, &info);
    assert_int_equal(info.busy_percent, 0);
    run_spin(NULL, 125 * MS);
    cudaDeviceSynchronize();
    core->device_info(0, &info);
    assert_in_range(info.busy_percent, 48, 50);
    assert_string_equal(info.name, "whyidle virtual GPU");
}

static void the_next_copy_can_be_given_its_time(void **unused)
{
    (void)unused;
    vgpu_next_copy_ns(1234567);
    assert_int_equal(cudaMemcpyAsync(device, pinned, 64, UP, NULL), 0);
    assert_int_equal(ops[0].end_ns - ops[0].start_ns, 1234567);
    assert_int_equal(cudaMemcpyAsync(device, pinned, 24000, UP, NULL), 0);
    assert_int_equal(ops[1].end_ns - ops[1].start_ns, 2200); /* 1 us and the set-up */
}

static void the_next_call_can_be_given_its_host_time(void **unused)
{
    void *block = NULL;
    (void)unused;
    uint64_t start_ns = vg_now_ns();
    vgpu_next_call_ns(3 * MS);
    assert_int_equal(cudaMalloc(&block, 4096), 0);
    assert_true(vg_now_ns() - start_ns >= 3 * MS);
    run_spin(NULL, LONG);
    vgpu_next_call_ns(2 * MS);
    assert_int_equal(cudaFree(block), 0);
    assert_true(vg_now_ns() >= ops[0].end_ns + 2 * MS);
    start_ns = vg_now_ns();
    vgpu_next_call_ns(MS);
    run_spin(NULL, MS);
    assert_true(ops[1].start_ns >= start_ns + MS + 4000);
}

static void a_batch_of_copies_is_one_operation_a_kind(void **unused)
{
    void *stream = new_stream(NON_BLOCKING);
    void *targets[] = {device, device + 48000, pinned + 96000};
    void *sources[] = {pinned, pinned + 48000, device};
    size_t sizes[] = {24000, 24000, 24000};
    (void)unused;
    memset(pinned, 3, 48000);
    assert_int_equal(cudaMemcpyBatchAsync(targets, sources, sizes, 3, NULL, NULL, 0, NULL), 1);
    assert_int_equal(cudaMemcpyBatchAsync(targets, sources, sizes, 3, NULL, NULL, 0, stream), 0);
    assert_int_equal(op_count, 2);
    assert_int_equal(ops[0].copies, 2);
    assert_int_equal(ops[0].bytes, 48000);
    assert_int_equal(ops[0].end_ns - ops[0].start_ns, 3200); /* 2 us at 24 GB/s and 1.2 us */
    assert_int_equal(ops[1].copy_kind, VGPU_DTOH);
    assert_int_equal(ops[0].correlation, ops[1].correlation);
    assert_int_equal(cudaStreamSynchronize(stream), 0);
    assert_int_equal(pinned[96000 + 23999], 3);
    cudaStreamDestroy(stream);
}

static void a_forked_child_has_no_device(void **unused)
{
    int status = -1;
    (void)unused;
    pid_t child = fork();
    if (child == 0) {
        void *block = NULL;
        _exit(cudaMalloc(&block, 16) == 3 && cudaDeviceSynchronize() == 3 ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    run_spin(NULL, MS);
    assert_int_equal(cudaDeviceSynchronize(), 0);
}

static void a_destroyed_stream_still_runs(void **unused)
{
    (void)unused;
    void *stream = new_stream(NON_BLOCKING);
    run_spin(stream, LONG);
    assert_int_equal(cudaStreamDestroy(stream), 0);
    assert_true(vg_now_ns() < ops[0].end_ns);
    assert_int_equal(cudaDeviceSynchronize(), 0);
    assert_true(vg_now_ns() >= ops[0].end_ns);
}

static void bad_arguments_are_errors(void **unused)
{
    const struct vg_dim3 one = {1, 1, 1}, none = {0, 1, 1}, huge = {2048, 1, 1};
    void *block = NULL;
    (void)unused;
    assert_int_equal(cudaLaunchKernel(plain, none, one, NULL, 0, NULL), 1);
    assert_int_equal(cudaLaunchKernel(plain, one, huge, NULL, 0, NULL), 1);
    assert_int_equal(cudaLaunchKernel("not a kernel", one, one, NULL, 0, NULL), 98);
    assert_int_equal(cudaMalloc(&block, (size_t)1 << 50), 2);
    assert_int_equal(cudaFree(&block), 1);
    assert_int_equal(cudaMemcpy(device, pinned, 4, 9), 21);
    assert_int_equal(op_count, 0);
}

static int set_up(void **unused)
{
    void *library = NULL;
    (void)unused;
    core = vgpu_core_open();
    assert_non_null(core);
    assert_int_equal(cudaLibraryLoadData(&library, VGPU_TEST_PTX, NULL, NULL, 0, NULL, NULL, 0), 0);
    assert_int_equal(cudaLibraryGetKernel(&spin, library, "spin_ns"), 0);
    assert_int_equal(cudaLibraryGetKernel(&plain, library, "plain"), 0);
    assert_int_equal(cudaMallocHost((void **)&pinned, BYTES), 0);
    assert_int_equal(cudaMalloc((void **)&device, BYTES), 0);
    pageable = malloc(BYTES);
    assert_non_null(pageable);
    memset(pageable, 1, BYTES);
    memset(pinned, 1, BYTES);
    memset(device, 1, BYTES); /* touched, so that no copy pays for page faults */
    return 0;
}

#define CASE(function) cmocka_unit_test_setup_teardown(function, begin, end)

int main(void)
{
    setenv("VGPU_QUEUE", "8", 1);
    setenv("VGPU_DEVICES", "2", 1);
    setenv("VGPU_JIT_NS", "2000000", 1);
    setenv("VGPU_FUNCTION_NS", "1000000", 1);
    const struct CMUnitTest tests[] = {
        CASE(a_kernel_takes_its_argument),
        CASE(an_unknown_kernel_takes_the_default),
        CASE(a_stream_runs_in_order),
        CASE(copy_and_kernel_overlap),
        CASE(one_copy_engine_a_direction),
        CASE(the_legacy_stream_is_a_barrier),
        CASE(threads_have_their_own_default_streams),
        CASE(a_full_queue_blocks),
        CASE(the_first_launch_loads),
        CASE(a_stream_waits_for_an_event),
        CASE(events_measure_the_time_between),
        CASE(pageable_copies_block),
        CASE(synchronous_copies_wait_but_device_copies_do_not),
        CASE(free_waits_for_the_device),
        CASE(a_host_function_holds_its_stream_back),
        CASE(a_graph_keeps_the_order_of_its_capture),
        CASE(devices_run_apart_and_copy_to_each_other),
        CASE(utilisation_is_the_share_with_a_kernel),
        CASE(the_next_copy_can_be_given_its_time),
        CASE(the_next_call_can_be_given_its_host_time),
        CASE(a_batch_of_copies_is_one_operation_a_kind),
        CASE(a_forked_child_has_no_device),
        CASE(a_destroyed_stream_still_runs),
        CASE(bad_arguments_are_errors),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
