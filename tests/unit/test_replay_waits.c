/* Predictions about waiting for the device, against time lines worked out on paper. A stretch
 * begins when its first operation has ended. Threads: one. */
#include "replay_fixture.h"

#define TIMES 20

/* Each 520 us: a launch of 5 us, its kernel of 10, 485 us of host, a sync of 2 us that finds the
 * device done, 18 us. Nothing waits in it, nothing is gained without it. */
static void test_a_sync_that_hides_nothing(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 1, 0);
    for (int64_t at = 0; at < TIMES * 520; at += 520) {
        launch(&b, at, at + 5, at + 5, at + 15);
        say(&b, WI_API_SYNC, at + 500, at + 502);
    }
    finish(&b);
    brings(&b, "no-readback-sync", 19 * 520 + 502 - 15, 19 * 520 + 502 - 15);
    bench_close(&b);
}

/* Each 1410 us: a launch of 5 us, its kernel of 1000, a value of 4 bytes read back from 10 us on
 * (copied from 1005 to 1007, there at 1010), 400 us of work on it. From the end of the first kernel
 * to the last return: 19 x 1410 + 1010 - 1005. */
static void read_back(struct bench *b)
{
    struct moved value = {4, WI_COPY_D2H, WI_MEM_PINNED, .blocking = 1};
    bench_open(b, 1, 0);
    for (int64_t at = 0; at < TIMES * 1410; at += 1410) {
        launch(b, at, at + 5, at + 5, at + 1005);
        transfer(b, &(struct work){at + 10, at + 1010, at + 1005, at + 1007, .stream = 0}, &value);
    }
    finish(b);
}

#define READ_BACK_US (19 * 1410 + 5)

/* Nobody waits: kernel and copy, 1002 us, 20 times one behind the other. */
static void test_no_read_back(void **state)
{
    (void)state;
    struct bench b;
    read_back(&b);
    brings(&b, "no-readback-sync", READ_BACK_US, 19 * 1002 + 2);
    /* kernels of 100 us: the host is the limit, which launches (5 us), copies (5 us later, 3 us)
     * and works for 400 us as before, beside the device; the ends of the stretch add at most a
     * kernel and its copy */
    brings_within(&b, "no-readback-sync+gpu-2x:x=10", READ_BACK_US, 19 * 413, 102);
    /* where the work on the value goes with it, the device is */
    brings(&b, "no-readback-sync:every=1000,stay=0+gpu-2x:x=10", READ_BACK_US, 19 * 102 + 2);
    bench_close(&b);
}

/* One in four: 4 x 1002 us of device work, 3 us until the copy has returned, 400 us of work, 5 us
 * of launch; five times, the last without work behind it. */
static void test_a_read_back_now_and_then(void **state)
{
    (void)state;
    struct bench b;
    read_back(&b);
    brings(&b, "no-readback-sync:every=4", READ_BACK_US,
           4 * (4 * 1002 + 408) + 4 * 1002 + 3 - 1000);
    bench_close(&b);
}

/* The value is waited for, 100 us of the work on it stay: 300 us less in all but the last. */
static void test_some_work_stays(void **state)
{
    (void)state;
    struct bench b;
    read_back(&b);
    brings(&b, "no-readback-sync:stay=0.1", READ_BACK_US, READ_BACK_US - 19 * 300);
    /* more than there was stays what there was */
    brings(&b, "no-readback-sync:stay=2", READ_BACK_US, READ_BACK_US);
    bench_close(&b);
}

/* Each 1415 us: a launch of 5 us with its kernel of 1000, a sync from 10 to 1010, 400 us of host, 5
 * us. Without the sync a kernel each 1000 us; the last one is waited for by nobody. */
static void test_a_bare_sync(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 1, 0);
    for (int64_t at = 0; at < TIMES * 1410; at += 1410) {
        launch(&b, at, at + 5, at + 5, at + 1005);
        say(&b, WI_API_SYNC, at + 10, at + 1010);
    }
    finish(&b);
    brings(&b, "no-readback-sync", 19 * 1410 + 5, 19 * 1000);
    bench_close(&b);
}

/* A copy of 4 bytes to page-locked memory that does not block, and a sync for it: one read-back. */
static void test_a_copy_and_its_sync(void **state)
{
    (void)state;
    struct bench b;
    struct moved value = {4, WI_COPY_D2H, WI_MEM_PINNED, .blocking = 0};
    bench_open(&b, 1, 0);
    for (int64_t at = 0; at < TIMES * 1410; at += 1410) {
        launch(&b, at, at + 5, at + 5, at + 1005);
        transfer(&b, &(struct work){at + 6, at + 8, at + 1005, at + 1007, .stream = 0}, &value);
        say(&b, WI_API_SYNC, at + 10, at + 1010);
    }
    finish(&b);
    brings(&b, "no-readback-sync:every=4", READ_BACK_US,
           4 * (4 * 1002 + 408) + 4 * 1002 + 3 - 1000);
    brings(&b, "no-readback-sync:stay=0.1", READ_BACK_US, READ_BACK_US - 19 * 300);
    bench_close(&b);
}

/* As with a value, but 2 MB, and 5 ms of work on them: neither the wait nor the work goes with the
 * values that are no longer read back. Each round: a value (as above, without work behind it), a
 * kernel of 1000 us, 2 MB (1000 us), 5 ms. The value's wait hid nothing but 10 + 5 us: the kernel
 * follows its copy at once. */
static void test_a_volume_is_no_value(void **state)
{
    (void)state;
    struct bench b;
    struct moved value = {4, WI_COPY_D2H, WI_MEM_PINNED, .blocking = 1};
    struct moved volume = {2000000, WI_COPY_D2H, WI_MEM_PINNED, .blocking = 1};
    bench_open(&b, 1, 0);
    for (int64_t at = 0; at < TIMES * 8035; at += 8035) {
        int64_t next = at + 1020;
        launch(&b, at, at + 5, at + 5, at + 1005);
        transfer(&b, &(struct work){at + 10, at + 1010, at + 1005, at + 1007, .stream = 0}, &value);
        launch(&b, next, next + 5, next + 5, next + 1005);
        transfer(&b, &(struct work){next + 10, next + 2010, next + 1005, next + 2005, .stream = 0},
                 &volume);
    }
    finish(&b);
    /* from one end of the work to another: 18 whole rounds */
    brings(&b, "no-readback-sync", 18 * 8035, 18 * (8035 - 18));
    bench_close(&b);
}

/* Each 1000 us: a launch with its kernel A (500 us), an event, a launch with B (500 us), a sync for
 * the event (returns 5 us after A), 300 us of host beside B, 2 x 5 us; the next A follows B. */
static void early_event(struct bench *b)
{
    bench_open(b, 1, 0);
    for (int64_t i = 0; i < TIMES; i++) {
        int64_t at = 5 + 1000 * i, host = i ? at - 195 : 0;
        kernel(b, &(struct work){host, host + 5, at, at + 500, .stream = 1});
        call_on(b, WI_API_EVENT_RECORD, host + 5, host + 6, 1, 77);
        kernel(b, &(struct work){host + 7, host + 12, at + 500, at + 1000, .stream = 1});
        call_on(b, WI_API_SYNC, host + 15, at + 505, 1, 77);
    }
    finish(b);
}

/* With half the kernel time the host is seen: the launch (5 us; where no launch into an empty queue
 * shows it, 4 are assumed), A (250), 5 us, 300 us: 560 each. B is done by then. From the end of the
 * first A to that of the last B. */
static void test_a_sync_for_an_early_event(void **state)
{
    (void)state;
    struct bench b;
    early_event(&b);
    brings_within(&b, "gpu-2x", 19 * 1000 + 500, 19 * 560 + 250, 20);
    bench_close(&b);
}

/* Each 810 us: A (20 blocks, 5 to 505, stream 1), an event, C (5 blocks, 11 to 508, stream 2), a
 * sync for the event, back at 510, 300 us of host. C had ended by then, too, but was not waited
 * for: on more SMs it takes as long, A half of it, the sync returns at 260: 560 each. From the end
 * of the first A to that of the last C. */
static void test_a_sync_for_an_event_only(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 1, 0);
    gpu_of_ten_sms(&b);
    for (int64_t at = 0; at < TIMES * 810; at += 810) {
        kernel(&b, &(struct work){at, at + 5, at + 5, at + 505, 1, 20, 0, 0});
        call_on(&b, WI_API_EVENT_RECORD, at + 5, at + 6, 1, 77);
        kernel(&b, &(struct work){at + 6, at + 11, at + 11, at + 508, 2, 5, 0, 0});
        call_on(&b, WI_API_SYNC, at + 15, at + 510, 1, 77);
    }
    finish(&b);
    brings(&b, "gpu-2x", 19 * 810 + 5, 19 * 560 + 508 - 255);
    bench_close(&b);
}

/* The sync is for the event of the round before, long done: it takes 2 us and waits for nobody,
 * however slow the device gets. Kernels of 400 us, a launch each 500 us; three times the kernel
 * time: 1200 each. */
static void test_a_sync_for_a_past_event(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 1, 0);
    for (int64_t at = 0; at < TIMES * 500; at += 500) {
        call_on(&b, WI_API_EVENT_RECORD, at, at + 1, 1, 88);
        kernel(&b, &(struct work){at + 5, at + 10, at + 10, at + 410, .stream = 1});
        call_on(&b, WI_API_SYNC, at + 15, at + 17, 1, 88);
    }
    finish(&b);
    brings(&b, "batched:kernels=3", 19 * 500 + 410, 19 * 1200 + 1210);
    bench_close(&b);
}

/* A spin of queries until the kernel is done is a wait for it: 1000 us of kernel from 5 on, the
 * spin from 10 to 1010, 90 us: 1100 each. Half the kernel time: 600 each. */
static void test_a_spin_of_queries(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 1, 0);
    for (int64_t at = 0; at < TIMES * 1100; at += 1100) {
        launch(&b, at, at + 5, at + 5, at + 1005);
        struct wi_host_call call = make_call(&b, WI_API_QUERY, at + 10, at + 1010);
        call.repeat = 500;
        wi_engine_call(b.engine, &call);
    }
    finish(&b);
    brings(&b, "gpu-2x", 19 * 1100 + 5, 19 * 600 + 5);
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_sync_that_hides_nothing),
        cmocka_unit_test(test_no_read_back),
        cmocka_unit_test(test_a_read_back_now_and_then),
        cmocka_unit_test(test_some_work_stays),
        cmocka_unit_test(test_a_bare_sync),
        cmocka_unit_test(test_a_copy_and_its_sync),
        cmocka_unit_test(test_a_volume_is_no_value),
        cmocka_unit_test(test_a_sync_for_an_early_event),
        cmocka_unit_test(test_a_sync_for_an_event_only),
        cmocka_unit_test(test_a_sync_for_a_past_event),
        cmocka_unit_test(test_a_spin_of_queries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
