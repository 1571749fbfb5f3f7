/* The stand-in CUPTI without faults: callbacks, records, buffers and the sizes of every version.
 * Threads: cmocka's and the library's. May not: depend on the order of the cases. */
#include "vgpu_clock.h"
#include "vgpu_cupti_calls.h"

#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

enum { MS = 1000000, RUNTIME = 2, DRIVER = 1, RESOURCE = 3 };
enum { MEMCPY = 1, MEMSET, KERNEL = 10, GRAPH_TRACE = 51, API_DRIVER = 4, API_RUNTIME, DEVICE = 8 };
enum { CONTEXT = 9, SYNCHRONIZATION = 38, OVERHEAD = 17, BUFFER_BYTES = 2048 };

static struct seen {
    uint32_t domain, cbid, site, correlation, context;
    char name[64], symbol[64];
    uint64_t data;
} seen[128];
static int seen_count;

static struct {
    _Alignas(8) uint8_t bytes[216];
    uint32_t kind;
} records[256];
static atomic_int record_count, buffer_count; /* counted in the library's thread as well */
static pthread_t request_thread;
static void *spin, *subscriber;

static void on_callback(void *user, uint32_t domain, uint32_t cbid, const void *data)
{
    const struct callback_data *d = data;
    if (domain == RESOURCE || seen_count == 128) {
        return;
    }
    struct seen *s = &seen[seen_count++];
    *s = (struct seen){domain, cbid, d->site, d->correlation_id, d->context_uid, "", "", 0};
    snprintf(s->name, sizeof(s->name), "%s", d->function_name);
    snprintf(s->symbol, sizeof(s->symbol), "%s", d->symbol_name != NULL ? d->symbol_name : "");
    if (d->site == 0) {
        *d->correlation_data = 77 + d->correlation_id;
    }
    s->data = *d->correlation_data;
    assert_ptr_equal(user, &seen_count);
}

static void on_request(uint8_t **buffer, size_t *bytes, size_t *max_records)
{
    request_thread = pthread_self();
    *bytes = BUFFER_BYTES;
    *buffer = aligned_alloc(8, BUFFER_BYTES);
    memset(*buffer, 0xff, BUFFER_BYTES); /* the library has to clear it */
    *max_records = 0;
}

static void on_complete(void *context, uint32_t stream, uint8_t *buffer, size_t bytes, size_t valid)
{
    static const uint16_t sizes[64] = {
        [1] = 96, [2] = 88,   [3] = 216, [4] = 40,  [5] = 40, [8] = 184,
        [9] = 32, [10] = 216, [17] = 56, [38] = 56, [51] = 56};
    void *record = NULL;
    (void)context, (void)stream;
    buffer_count++;
    assert_int_equal(valid < bytes ? buffer[bytes - 1] : 0, 0); /* cleared by the library */
    while (cuptiActivityGetNextRecord(buffer, valid, &record) == 0 && record_count < 256) {
        uint32_t kind = *(uint32_t *)record;
        memcpy(records[record_count].bytes, record, sizes[kind]);
        records[record_count++].kind = kind;
    }
    free(buffer);
}

static void run_spin(void *stream, uint64_t ns)
{
    void *args[] = {&ns};
    const struct vg_dim3 grid = {3, 1, 1}, block = {32, 2, 1};
    assert_int_equal(cudaLaunchKernel(spin, grid, block, args, 16, stream), 0);
}

static int begin(void **unused)
{
    (void)unused;
    cudaDeviceSynchronize();
    cuptiActivityFlushAll(1);
    seen_count = 0;
    record_count = 0;
    buffer_count = 0;
    return 0;
}

static int close_all(void **unused)
{
    static const uint32_t kinds[] = {1, 2, 10, 4, 5, 8, 9, 17, 38, 51};
    (void)unused;
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        cuptiActivityDisable(kinds[i]);
    }
    if (subscriber != NULL) {
        cuptiUnsubscribe(subscriber);
        subscriber = NULL;
    }
    cuptiActivityFlushAll(1);
    return 0;
}

static const void *find(uint32_t kind, int which)
{
    for (int i = 0; i < record_count; i++) {
        if (records[i].kind == kind && which-- == 0) {
            return records[i].bytes;
        }
    }
    return NULL;
}

static void nested_calls_share_the_correlation_id(void **unused)
{
    (void)unused;
    assert_int_equal(cuptiSubscribe(&subscriber, on_callback, &seen_count), 0);
    assert_int_equal(cuptiEnableDomain(1, subscriber, RUNTIME), 0);
    assert_int_equal(cuptiEnableCallback(1, subscriber, DRIVER, 307), 0);
    run_spin(NULL, MS);
    assert_int_equal(seen_count, 4);
    assert_int_equal(seen[0].domain, RUNTIME);
    assert_int_equal(seen[0].cbid, 211);
    assert_string_equal(seen[0].name, "cudaLaunchKernel");
    assert_string_equal(seen[0].symbol, "spin_ns");
    assert_int_equal(seen[1].domain, DRIVER);
    assert_int_equal(seen[1].cbid, 307);
    assert_string_equal(seen[1].name, "cuLaunchKernel");
    assert_int_equal(seen[2].site, 1);
    assert_int_equal(seen[3].site, 1);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(seen[i].correlation, seen[0].correlation);
        assert_int_equal(seen[i].data, 77 + seen[0].correlation);
        assert_int_equal(seen[i].context, 1);
    }
    run_spin(NULL, MS);
    assert_int_equal(seen[4].correlation, seen[0].correlation + 1);
}

static void one_subscriber_only(void **unused)
{
    void *second = NULL;
    char owner[64] = "";
    struct subscriber_params first = {sizeof(first), "first tool", NULL, 0};
    struct subscriber_params params = {sizeof(params), "second", owner, sizeof(owner)};
    (void)unused;
    assert_int_equal(cuptiSubscribe_v2(&subscriber, on_callback, &seen_count, &first), 0);
    assert_int_equal(cuptiSubscribe_v2(&second, on_callback, &seen_count, &params), 39);
    assert_string_equal(owner, "CUPTI for first tool");
    assert_int_equal(cuptiSubscribe(&second, on_callback, &seen_count), 39);
    assert_int_equal(cuptiUnsubscribe(subscriber), 0);
    assert_int_equal(cuptiSubscribe(&subscriber, on_callback, &seen_count), 0);
    assert_int_equal(cuptiEnableCallback(1, subscriber, RUNTIME, 9999), 1);
}

static void names_are_the_vendors(void **unused)
{
    const char *name = NULL;
    (void)unused;
    assert_int_equal(cuptiGetCallbackName(RUNTIME, 211, &name), 0);
    assert_string_equal(name, "cudaLaunchKernel_v7000");
    assert_int_equal(cuptiGetCallbackName(DRIVER, 277, &name), 0);
    assert_string_equal(name, "cuMemcpyHtoDAsync_v2");
    assert_int_equal(cuptiGetCallbackName(DRIVER, 9999, &name), 1);
    assert_int_equal(cuptiGetResultString(39, &name), 0);
    assert_string_equal(name, "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED");
}

static void records_say_what_ran(void **unused)
{
    void *device = NULL, *stream = NULL, *pinned = NULL;
    uint32_t id = 0;
    (void)unused;
    cudaStreamCreateWithFlags(&stream, NON_BLOCKING);
    cudaMalloc(&device, 1 << 20);
    cudaMallocHost(&pinned, 1 << 20);
    assert_int_equal(cuptiActivityEnable(KERNEL), 0);
    assert_int_equal(cuptiActivityEnable(MEMCPY), 0);
    assert_int_equal(cuptiActivityEnable(MEMSET), 0);
    assert_int_equal(cuptiActivityEnable(SYNCHRONIZATION), 0);
    uint64_t before_ns = vg_now_ns();
    run_spin(stream, 2 * MS);
    cudaMemcpyAsync(device, pinned, 1 << 20, UP, stream);
    cudaMemsetAsync(device, 5, 4096, stream);
    cudaStreamSynchronize(stream);
    assert_int_equal(cuptiActivityFlushAll(0), 0);
    const struct ct_kernel *k = find(KERNEL, 0);
    const struct ct_memcpy *m = find(MEMCPY, 0);
    const struct ct_memset *s = find(MEMSET, 0);
    const struct ct_synchronization *y = find(SYNCHRONIZATION, 0);
    assert_true(k != NULL && m != NULL && s != NULL && y != NULL);
    assert_int_equal(k->end - k->start, 2 * MS);
    assert_true(k->start > before_ns);
    assert_int_equal(k->grid[0], 3);
    assert_int_equal(k->block[1], 2);
    assert_int_equal(k->shared_dynamic, 16);
    assert_string_equal(k->name, "spin_ns");
    cuptiGetStreamIdEx(NULL, stream, 0, &id);
    assert_int_equal(k->stream, id);
    assert_int_equal(m->bytes, 1 << 20);
    assert_int_equal(m->copy_kind, 1);
    assert_int_equal(m->source_kind, 2);
    assert_int_equal(m->correlation, k->correlation + 1);
    assert_int_equal(s->value, 5);
    assert_int_equal(s->bytes, 4096);
    assert_int_equal(y->type, 3);
    assert_int_equal(y->stream, id);
    assert_true(pthread_equal(request_thread, pthread_self()));
    cudaStreamDestroy(stream);
    cudaFree(device);
    cudaFreeHost(pinned);
}

static void a_flush_keeps_what_is_unfinished(void **unused)
{
    (void)unused;
    assert_int_equal(cuptiActivityEnable(KERNEL), 0);
    run_spin(NULL, 100000);
    run_spin(NULL, 150 * MS);
    run_spin(NULL, MS);
    usleep(5000);
    assert_int_equal(cuptiActivityFlushAll(0), 0);
    assert_int_equal(record_count, 0); /* the first is done, its buffer is not */
    assert_int_equal(cuptiActivityFlushAll(1), 0);
    assert_int_equal(record_count, 3);
    const struct ct_kernel *first = find(KERNEL, 0), *second = find(KERNEL, 1);
    const struct ct_kernel *third = find(KERNEL, 2);
    assert_int_equal(first->end - first->start, 100000);
    assert_true(second->start != 0);
    assert_int_equal(second->end, 0);
    assert_int_equal(third->start, 0);
    cudaDeviceSynchronize();
    assert_int_equal(cuptiActivityFlushAll(0), 0);
    assert_int_equal(record_count, 3); /* consumed by the forced flush */
}

static void full_buffers_come_by_themselves(void **unused)
{
    (void)unused;
    assert_int_equal(cuptiActivityEnable(KERNEL), 0);
    for (int i = 0; i < 20; i++) { /* nine records of 216 bytes fit a buffer */
        run_spin(NULL, 1000);
    }
    cudaDeviceSynchronize();
    for (int i = 0; i < 200 && record_count < 18; i++) {
        usleep(1000);
    }
    assert_int_equal(record_count, 18);
    assert_int_equal(cuptiActivityFlushAll(0), 0);
    assert_int_equal(record_count, 20);
    assert_int_equal(buffer_count, 3);
}

static void calls_are_records_too(void **unused)
{
    (void)unused;
    assert_int_equal(cuptiActivityEnable(API_RUNTIME), 0);
    assert_int_equal(cuptiActivityEnable(API_DRIVER), 0);
    run_spin(NULL, 1000);
    assert_int_equal(cuptiActivityFlushAll(0), 0);
    const struct ct_api *runtime = find(API_RUNTIME, 0), *driver = find(API_DRIVER, 0);
    assert_true(runtime != NULL && driver != NULL);
    assert_int_equal(runtime->cbid, 211);
    assert_int_equal(driver->cbid, 307);
    assert_int_equal(runtime->correlation, driver->correlation);
    assert_int_equal(runtime->process, getpid());
    assert_true(runtime->start <= driver->start && driver->end <= runtime->end);
}

static void devices_and_contexts_can_be_dumped(void **unused)
{
    (void)unused;
    assert_int_equal(cuptiActivityEnableAndDump(DEVICE), 0);
    assert_int_equal(cuptiActivityEnableAndDump(CONTEXT), 0);
    assert_int_equal(cuptiActivityFlushAll(0), 0);
    const struct ct_device *device = find(DEVICE, 0);
    const struct ct_context *context = find(CONTEXT, 0);
    assert_true(device != NULL && context != NULL);
    assert_string_equal(device->name, "whyidle virtual GPU");
    assert_int_equal(device->multiprocessors, 108);
    assert_int_equal(context->context, 1);
    assert_int_equal(context->null_stream, 7);
}

/* The sizes measured on the real libraries of these versions. */
static void every_version_has_its_record_sizes(void **unused)
{
    static const struct {
        const char *file;
        uint32_t version, kernel, copy, graph, overhead;
    } versions[] = {{"11/libcupti.so.11.8", 18, 200, 88, 48, 40},
                    {"12/libcupti.so.12", 22, 208, 88, 56, 56},
                    {"13/libcupti.so.13", 130001, 216, 96, 56, 56}};
    (void)unused;
    for (size_t i = 0; i < 3; i++) {
        char path[512];
        uint32_t version = 0;
        uint8_t buffer[1024] = {0};
        int (*next)(uint8_t *, size_t, void **) = NULL;
        int (*get_version)(uint32_t *) = NULL;
        snprintf(path, sizeof(path), "%s/vgpu/%s", getenv("WI_BUILD"), versions[i].file);
        void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        assert_non_null(library);
        *(void **)&next = dlsym(library, "cuptiActivityGetNextRecord");
        *(void **)&get_version = dlsym(library, "cuptiGetVersion");
        assert_int_equal(get_version(&version), 0);
        assert_int_equal(version, versions[i].version);
        const uint32_t kinds[] = {KERNEL, MEMCPY, GRAPH_TRACE, OVERHEAD};
        const uint32_t sizes[] = {versions[i].kernel, versions[i].copy, versions[i].graph,
                                  versions[i].overhead};
        for (size_t k = 0; k < 4; k++) {
            void *record = NULL;
            memcpy(buffer, &kinds[k], 4);
            memcpy(buffer + sizes[k], &kinds[k], 4);
            assert_int_equal(next(buffer, sizeof(buffer), &record), 0);
            assert_ptr_equal(record, buffer);
            assert_int_equal(next(buffer, sizeof(buffer), &record), 0);
            assert_ptr_equal(record, buffer + sizes[k]);
            record = NULL;
            assert_int_equal(next(buffer, sizes[k] - 1, &record), 12);
            memset(buffer, 0, sizeof(buffer));
        }
        void *record = NULL;
        assert_int_equal(next(buffer, sizeof(buffer), &record), 21);
    }
}

static void capture_and_launch(void *stream)
{
    void *graph = NULL, *exec = NULL;
    assert_int_equal(cudaStreamBeginCapture(stream, 0), 0);
    run_spin(stream, MS);
    run_spin(stream, MS);
    assert_int_equal(cudaStreamEndCapture(stream, &graph), 0);
    assert_int_equal(cudaGraphInstantiate(&exec, graph, 0), 0);
    assert_int_equal(cudaGraphLaunch(exec, stream), 0);
    assert_int_equal(cudaStreamSynchronize(stream), 0);
    assert_int_equal(cuptiActivityFlushAll(0), 0);
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
}

static void a_graph_is_one_record_or_one_a_node(void **unused)
{
    void *stream = NULL;
    (void)unused;
    cudaStreamCreateWithFlags(&stream, NON_BLOCKING);
    assert_int_equal(cuptiActivityEnable(KERNEL), 0);
    capture_and_launch(stream);
    assert_int_equal(record_count, 2);
    const struct ct_kernel *first = find(KERNEL, 0), *second = find(KERNEL, 1);
    assert_int_equal(first->correlation, second->correlation);
    assert_true(first->graph_id != 0 && first->graph_node_id != second->graph_node_id);
    record_count = 0;
    assert_int_equal(cuptiActivityEnable(GRAPH_TRACE), 0);
    capture_and_launch(stream);
    assert_int_equal(record_count, 1);
    const struct ct_graph *graph = find(GRAPH_TRACE, 0);
    assert_int_equal(graph->end - graph->start, 2 * MS + 500);
    cudaStreamDestroy(stream);
}

static uint64_t twice_the_clock(void)
{
    return (vg_now_ns() - 1700000000000000000u) * 2;
}

static void a_registered_clock_is_the_records_clock(void **unused)
{
    (void)unused;
    assert_int_equal(cuptiActivityEnable(KERNEL), 0);
    assert_int_equal(cuptiActivityRegisterTimestampCallback(twice_the_clock), 0);
    usleep(20000);
    uint64_t before = twice_the_clock();
    run_spin(NULL, MS);
    cudaDeviceSynchronize();
    assert_int_equal(cuptiActivityRegisterTimestampCallback(NULL), 0);
    assert_int_equal(cuptiActivityFlushAll(0), 0);
    const struct ct_kernel *kernel = find(KERNEL, 0);
    assert_non_null(kernel);
    assert_true(kernel->start >= before && kernel->start < before + 2 * MS);
    assert_in_range(kernel->end - kernel->start, 2 * MS - 100000, 2 * MS + 100000);
}

enum { THREADS = 6, LAUNCHES = 300 };

static void nothing(void *unused)
{
    (void)unused;
}

/* Kernels, copies, events, host functions and waits, mixed, in a stream of the thread's own. */
static void *work(void *device)
{
    void *stream = NULL, *event = NULL;
    cudaStreamCreateWithFlags(&stream, NON_BLOCKING);
    cudaEventCreate(&event);
    for (int i = 0; i < LAUNCHES; i++) {
        run_spin(i % 5 == 0 ? NULL : stream, 1000);
        if (i % 50 == 0) {
            cudaLaunchHostFunc(stream, nothing, NULL);
        }
        if (i % 20 == 0) {
            cudaMemsetAsync(device, i, 64, stream);
            cudaEventRecord(event, stream);
            cudaStreamWaitEvent(NULL, event, 0);
        }
        if (i % 100 == 0) {
            cudaStreamSynchronize(stream);
        }
    }
    cudaStreamSynchronize(stream);
    cudaEventDestroy(event);
    cudaStreamDestroy(stream);
    return NULL;
}

static atomic_int kernels, memsets;

static void on_complete_counting(void *context, uint32_t stream, uint8_t *buffer, size_t bytes,
                                 size_t valid)
{
    void *record = NULL;
    (void)context, (void)stream, (void)bytes;
    while (cuptiActivityGetNextRecord(buffer, valid, &record) == 0) {
        kernels += *(uint32_t *)record == KERNEL;
        memsets += *(uint32_t *)record == MEMSET;
    }
    free(buffer);
}

static void many_threads_lose_nothing(void **unused)
{
    pthread_t threads[THREADS];
    size_t dropped = 0;
    void *device = NULL;
    (void)unused;
    cudaMalloc(&device, 64);
    assert_int_equal(cuptiActivityRegisterCallbacks(on_request, on_complete_counting), 0);
    assert_int_equal(cuptiActivityEnable(KERNEL), 0);
    assert_int_equal(cuptiActivityEnable(MEMSET), 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_create(&threads[i], NULL, work, device);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    cudaDeviceSynchronize();
    assert_int_equal(cuptiActivityFlushAll(0), 0);
    assert_int_equal(cuptiActivityGetNumDroppedRecords(NULL, 0, &dropped), 0);
    assert_int_equal(dropped, 0);
    assert_int_equal(kernels, THREADS * LAUNCHES);
    assert_int_equal(memsets, THREADS * LAUNCHES / 20);
    cuptiActivityRegisterCallbacks(on_request, on_complete);
    cudaFree(device);
}

static int set_up(void **unused)
{
    void *library = NULL;
    (void)unused;
    if (cudaLibraryLoadData(&library, VGPU_TEST_PTX, NULL, NULL, 0, NULL, NULL, 0) != 0 ||
        cuptiActivityRegisterCallbacks(on_request, on_complete) != 0) {
        return -1;
    }
    return cudaLibraryGetKernel(&spin, library, "spin_ns");
}

#define CASE(function) cmocka_unit_test_setup_teardown(function, begin, close_all)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(nested_calls_share_the_correlation_id),
        CASE(one_subscriber_only),
        CASE(names_are_the_vendors),
        CASE(records_say_what_ran),
        CASE(a_flush_keeps_what_is_unfinished),
        CASE(full_buffers_come_by_themselves),
        CASE(calls_are_records_too),
        CASE(devices_and_contexts_can_be_dumped),
        CASE(every_version_has_its_record_sizes),
        CASE(a_graph_is_one_record_or_one_a_node),
        CASE(a_registered_clock_is_the_records_clock),
        CASE(many_threads_lose_nothing),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
