/* Several tools on the stand-in CUPTI: what the second one takes from the first, as the real
 * library does it.
 * Threads: cmocka's and the library's. May not: depend on the order of the cases. */
#include "vgpu_cupti_calls.h"

#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { MEMCPY = 1, RUNTIME = 2, BUFFER_BYTES = 2048, ZEROED = 5 };

/* One tool with buffers of its own. */
struct tool {
    int requested, completed, foreign, records, callbacks;
    uint8_t *mine[64];
};
static struct tool first, second;

static void request(struct tool *tool, uint8_t **buffer, size_t *bytes, size_t *most)
{
    *buffer = aligned_alloc(8, BUFFER_BYTES);
    *bytes = BUFFER_BYTES;
    *most = 0;
    tool->mine[tool->requested++ % 64] = *buffer;
}

static void complete(struct tool *tool, uint8_t *buffer, size_t valid)
{
    void *record = NULL;
    int mine = 0;
    tool->completed++;
    for (int i = 0; i < 64; i++) {
        mine |= tool->mine[i] == buffer;
        first.mine[i] = first.mine[i] == buffer ? NULL : first.mine[i];
        second.mine[i] = second.mine[i] == buffer ? NULL : second.mine[i];
    }
    tool->foreign += !mine;
    while (cuptiActivityGetNextRecord(buffer, valid, &record) == 0) {
        tool->records++;
    }
    free(buffer);
}

static void request_first(uint8_t **buffer, size_t *bytes, size_t *most)
{
    request(&first, buffer, bytes, most);
}

static void complete_first(void *context, uint32_t stream, uint8_t *buffer, size_t bytes,
                           size_t valid)
{
    (void)context, (void)stream, (void)bytes;
    complete(&first, buffer, valid);
}

static void request_second(uint8_t **buffer, size_t *bytes, size_t *most)
{
    request(&second, buffer, bytes, most);
}

static void complete_second(void *context, uint32_t stream, uint8_t *buffer, size_t bytes,
                            size_t valid)
{
    (void)context, (void)stream, (void)bytes;
    complete(&second, buffer, valid);
}

static void on_callback(void *user, uint32_t domain, uint32_t cbid, const void *data)
{
    (void)domain, (void)cbid, (void)data;
    ((struct tool *)user)->callbacks++;
}

/* A copy a time: the simplest call that leaves a record. */
static void work(int times)
{
    static char host[64];
    void *device = NULL;
    assert_int_equal(cudaMalloc(&device, sizeof(host)), 0);
    for (int i = 0; i < times; i++) {
        assert_int_equal(cudaMemcpy(device, host, sizeof(host), UP), 0);
    }
    assert_int_equal(cudaFree(device), 0);
}

static int begin(void **unused)
{
    (void)unused;
    memset(&first, 0, sizeof(first));
    memset(&second, 0, sizeof(second));
    return cudaDeviceSynchronize();
}

static void free_kept(const struct tool *tool)
{
    for (int i = 0; i < 64; i++) {
        free(tool->mine[i]);
    }
}

static int end(void **unused)
{
    (void)unused;
    int result = cuptiFinalize();
    free_kept(&first);
    free_kept(&second);
    return result;
}

static void the_last_callbacks_get_every_buffer(void **unused)
{
    (void)unused;
    assert_int_equal(cuptiActivityRegisterCallbacks(request_first, complete_first), 0);
    assert_int_equal(cuptiActivityEnable(MEMCPY), 0);
    work(3);
    assert_int_equal(cuptiActivityRegisterCallbacks(request_second, complete_second), 0);
    work(2); /* into the buffer that is open */
    assert_int_equal(cuptiActivityFlushAll(1), 0);
    assert_int_equal(first.requested, 1);
    assert_int_equal(first.completed, 0);
    assert_int_equal(second.requested, 0);
    assert_int_equal(second.foreign, 1); /* nobody asked whose it was */
    assert_int_equal(second.records, 5);
    work(1);
    assert_int_equal(cuptiActivityFlushAll(1), 0);
    assert_int_equal(second.requested, 1);
    assert_int_equal(second.foreign, 1);
}

static void a_disabled_kind_leaves_no_record(void **unused)
{
    (void)unused;
    assert_int_equal(cuptiActivityRegisterCallbacks(request_first, complete_first), 0);
    assert_int_equal(cuptiActivityEnable(MEMCPY), 0);
    work(1);
    assert_int_equal(cuptiActivityDisable(MEMCPY), 0);
    work(4);
    assert_int_equal(cuptiActivityFlushAll(1), 0);
    assert_int_equal(first.records, 1); /* what was recorded before stays */
}

static void after_the_end_everybody_begins_anew(void **unused)
{
    void *handle = NULL;
    uint8_t zeroed = 1;
    size_t bytes = 1;
    (void)unused;
    assert_int_equal(cuptiSubscribe(&handle, on_callback, &first), 0);
    assert_int_equal(cuptiEnableDomain(1, handle, RUNTIME), 0);
    assert_int_equal(cuptiActivitySetAttribute(ZEROED, &bytes, &zeroed), 0);
    assert_int_equal(cuptiActivityRegisterCallbacks(request_first, complete_first), 0);
    assert_int_equal(cuptiActivityEnable(MEMCPY), 0);
    work(1);
    int callbacks = first.callbacks;
    assert_true(callbacks > 0);
    assert_int_equal(cuptiFinalize(), 0);
    work(1);
    assert_int_equal(cuptiActivityFlushAll(1), 0);
    assert_int_equal(first.callbacks, callbacks);
    assert_int_equal(first.completed, 0); /* not flushed before: lost */
    assert_int_equal(cuptiUnsubscribe(handle), 1);
    assert_int_equal(cuptiActivityGetAttribute(ZEROED, &bytes, &zeroed), 0);
    assert_int_equal(zeroed, 0);
    assert_int_equal(cuptiSubscribe(&handle, on_callback, &second), 0);
    assert_int_equal(cuptiActivityRegisterCallbacks(request_second, complete_second), 0);
    assert_int_equal(cuptiActivityEnable(MEMCPY), 0);
    work(1);
    assert_int_equal(cuptiActivityFlushAll(1), 0);
    assert_int_equal(second.records, 1);
    assert_int_equal(second.foreign, 0);
}

/* Another file with the same name inside is another image with a state of its own. */
static void the_driver_serves_one_image(void **unused)
{
    char path[512], copy[512], command[1200];
    void *handle = NULL, *other = NULL;
    int (*subscribe)(void **, tool_callback, void *) = NULL;
    int (*unsubscribe)(void *) = NULL, (*enable)(uint32_t) = NULL, (*disable)(uint32_t) = NULL;
    (void)unused;
    snprintf(path, sizeof(path), "%s/vgpu/13/libcupti.so.13", getenv("WI_BUILD"));
    snprintf(copy, sizeof(copy), "%s/tests/vgpu/second_cupti.so", getenv("WI_BUILD"));
    snprintf(command, sizeof(command), "cp '%s' '%s'", path, copy);
    assert_int_equal(system(command), 0);
    void *image = dlopen(copy, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(image);
    *(void **)&subscribe = dlsym(image, "cuptiSubscribe");
    *(void **)&unsubscribe = dlsym(image, "cuptiUnsubscribe");
    *(void **)&enable = dlsym(image, "cuptiActivityEnable");
    *(void **)&disable = dlsym(image, "cuptiActivityDisable");
    assert_int_equal(cuptiSubscribe(&handle, on_callback, &first), 0);
    assert_int_equal(cuptiActivityEnable(MEMCPY), 0);
    assert_int_equal(subscribe(&other, on_callback, &second), 39);
    assert_int_equal(cuptiUnsubscribe(handle), 0);
    assert_int_equal(enable(MEMCPY), 39); /* a kind is still on */
    assert_int_equal(cuptiActivityDisable(MEMCPY), 0);
    assert_int_equal(subscribe(&other, on_callback, &second), 0);
    assert_int_equal(cuptiSubscribe(&handle, on_callback, &first), 39);
    assert_int_equal(unsubscribe(other), 0);
    assert_int_equal(disable(MEMCPY), 0);
    assert_int_equal(cuptiSubscribe(&handle, on_callback, &first), 0);
}

static void *query_until_told(void *done)
{
    while (!atomic_load((atomic_int *)done)) {
        cudaStreamQuery(NULL);
    }
    return NULL;
}

/* The driver's tracer is taken away and put back while calls are on their way to it. */
static void a_tool_comes_and_goes_under_calls(void **unused)
{
    atomic_int done = 0;
    pthread_t caller;
    (void)unused;
    assert_int_equal(cuptiActivityRegisterCallbacks(request_first, complete_first), 0);
    assert_int_equal(pthread_create(&caller, NULL, query_until_told, &done), 0);
    for (int i = 0; i < 2000000; i++) {
        assert_int_equal(cuptiActivityEnable(MEMCPY), 0);
        assert_int_equal(cuptiActivityDisable(MEMCPY), 0);
    }
    atomic_store(&done, 1);
    assert_int_equal(pthread_join(caller, NULL), 0);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        CASE(the_last_callbacks_get_every_buffer), CASE(a_disabled_kind_leaves_no_record),
        CASE(after_the_end_everybody_begins_anew), CASE(the_driver_serves_one_image),
        CASE(a_tool_comes_and_goes_under_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
