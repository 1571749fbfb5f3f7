/* Predictions of runs with several streams, devices and threads, against time lines worked out on
 * paper. A stretch begins when its first operation has ended.
 * Threads: one. */
#include "replay_fixture.h"

#define TIMES 20

/* A (5 blocks: no faster on more SMs) of 500 us on stream 1, back to back; B (20 blocks) of 495 us
 * on stream 2, which waits for an event behind each A. Everything is issued ahead. In each row B
 * starts 5 us after the B before it: only the event says that it follows A. */
static void waits_for_event(struct bench *b)
{
    bench_open(b, 1, 0);
    gpu_of_ten_sms(b);
    for (int64_t i = 0; i < TIMES; i++) {
        int64_t host = 20 * i, at = 5 + 500 * i;
        kernel(b, &(struct work){host, host + 5, at, at + 500, .stream = 1, .blocks = 5});
        call_on(b, WI_API_EVENT_RECORD, host + 6, host + 7, 1, 1000 + (uint64_t)i);
        call_on(b, WI_API_STREAM_WAIT, host + 8, host + 9, 2, 1000 + (uint64_t)i);
        kernel(b,
               &(struct work){host + 10, host + 15, at + 500, at + 995, .stream = 2, .blocks = 20});
    }
    finish(b);
}

/* From the end of the first A: 19 further ones, then the last B, in half its time. */
static void test_an_event_between_streams(void **state)
{
    (void)state;
    struct bench b;
    waits_for_event(&b);
    brings(&b, "gpu-2x", 19 * 500 + 495, 19 * 500 + 247.5);
    bench_close(&b);
}

/* No event is known, but B (300 us, stream 2) starts 2 us after each A (500 us, stream 1) has
 * ended, 200 us after the B before it. Twice as fast: 250, 2 us, 150. All is issued before the
 * first B starts, of which nothing tells what it waits for: the run counts from its first call. */
static void test_a_dependency_without_ids(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 1, 0);
    gpu_of_ten_sms(&b);
    for (int64_t i = 0; i < TIMES; i++) {
        int64_t host = 20 * i, at = 5 + 500 * i;
        kernel(&b, &(struct work){host, host + 5, at, at + 500, .stream = 1, .blocks = 30});
        kernel(&b,
               &(struct work){host + 6, host + 11, at + 502, at + 802, .stream = 2, .blocks = 30});
    }
    finish(&b);
    brings(&b, "gpu-2x", 5 + 20 * 500 + 302, 5 + 20 * 250 + 152);
    bench_close(&b);
}

/* Each 1000 us: A of 500 us on stream 1; 600 us after it B of 300 us on `other`; 395 us of host. */
static void host_between(struct bench *b, uint64_t other, int flags, uint32_t blocks)
{
    bench_open(b, 1, 0);
    gpu_of_ten_sms(b);
    for (int64_t at = 0; at < TIMES * 1000; at += 1000) {
        kernel(b, &(struct work){at, at + 5, at + 5, at + 505, 1, blocks, flags, 0});
        kernel(b, &(struct work){at + 600, at + 605, at + 605, at + 905, other, blocks, flags, 0});
    }
    finish(b);
}

#define HOST_BETWEEN "graph-replay:divide=100"

/* With launches that cost next to nothing. The legacy default stream waits for stream 1 and it for
 * the default stream: 500, 300, 500, 300... From the end of the first A. */
static void test_the_legacy_default_stream(void **state)
{
    (void)state;
    struct bench b;
    host_between(&b, 0, 0, 30);
    brings(&b, HOST_BETWEEN, 19 * 1000 + 400, 19 * 800 + 300);
    bench_close(&b);
}

/* Streams that were made not to wait for it, and streams other than the default one, run side by
 * side as long as there is room: the As alone. */
static void test_streams_side_by_side(void **state)
{
    (void)state;
    struct bench b;
    host_between(&b, 0, WI_CALL_NONBLOCKING_STREAM, 30);
    brings(&b, HOST_BETWEEN, 19 * 1000 + 400, 19 * 500);
    bench_close(&b);
    host_between(&b, 2, 0, 30);
    brings(&b, HOST_BETWEEN, 19 * 1000 + 400, 19 * 500);
    bench_close(&b);
}

/* Kernels that fill the device did not overlap, and will not. */
static void test_full_kernels_follow_each_other(void **state)
{
    (void)state;
    struct bench b;
    host_between(&b, 2, 0, 160);
    brings(&b, HOST_BETWEEN, 19 * 1000 + 400, 19 * 800 + 300);
    bench_close(&b);
}

/* Kernels of one stream whose first part runs beside the last 5 us of the one before (programmatic
 * dependent launch), queued ahead: 100 us, one each 95. The overlap keeps its length; of twice the
 * speed one each 45, which is told as twice, the most that a device twice as fast can bring. A
 * graph that leaves 1 us between its nodes does not let them overlap. */
static void test_overlap_within_a_stream(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 1, 0);
    gpu_of_ten_sms(&b);
    for (int64_t i = 0; i < 50; i++)
        kernel(&b, &(struct work){4 * i, 4 * i + 2, 3 + 95 * i, 103 + 95 * i, 1, 20, 0, 0});
    finish(&b);
    brings(&b, "input-ready", 49 * 95, 49 * 95);
    brings(&b, "gpu-2x", 49 * 95, 49 * 95 / 2.0);
    brings(&b, "graph-replay:divide=1,spacing=0.001", 49 * 95, 49 * 101);
    bench_close(&b);
}

/* One thread, each 1020 us: a kernel of 1000 us on device 0 (from 5), one of 500 on device 1 (from
 * 11), a wait for each (they return at 1010 and at 1013). Twice as fast: the wait for 0 returns at
 * 510, for 1 at 513, 7 us to the next: 520. */
static void test_two_devices_of_one_thread(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 1, 0);
    for (int64_t at = 0; at < TIMES * 1020; at += 1020) {
        b.device = 0;
        launch(&b, at, at + 5, at + 5, at + 1005);
        b.device = 1;
        launch(&b, at + 6, at + 11, at + 11, at + 511);
        b.device = 0;
        say(&b, WI_API_SYNC, at + 12, at + 1010);
        b.device = 1;
        say(&b, WI_API_SYNC, at + 1011, at + 1013);
    }
    finish(&b);
    brings(&b, "gpu-2x", 19 * 1020 + 8, 19 * 520 + 8);
    bench_close(&b);
}

/* As before, but the kernel of device 1 (from 11 to 1000) has too few blocks to gain: its wait,
 * entered at 511, returns 2 us after it; 7 us to the next: 1009. */
static void test_each_device_is_waited_for_by_itself(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 1, 0);
    for (b.device = 0; b.device < 2; b.device++)
        gpu_of_ten_sms(&b);
    for (int64_t at = 0; at < TIMES * 1020; at += 1020) {
        b.device = 0;
        kernel(&b, &(struct work){at, at + 5, at + 5, at + 1005, 0, 20, 0, 0});
        b.device = 1;
        kernel(&b, &(struct work){at + 6, at + 11, at + 11, at + 1000, 0, 5, 0, 0});
        b.device = 0;
        say(&b, WI_API_SYNC, at + 12, at + 1010);
        b.device = 1;
        say(&b, WI_API_SYNC, at + 1011, at + 1013);
    }
    finish(&b);
    brings(&b, "gpu-2x", 19 * 1020 + 8, 19 * 1009 + 1002 - 505);
    bench_close(&b);
}

/* Four threads, 30 us apart, each on its stream: a launch of 5 us, its kernel of 100, a wait for it
 * (returns 5 us later), 400 us of host: 510 each, 50 times. Kernels of half the time: 460. */
static void four_threads(struct bench *b, uint32_t of_three)
{
    bench_open(b, 1, 0);
    gpu_of_ten_sms(b);
    for (int64_t i = 0; i < 50; i++)
        for (uint32_t thread = 0; thread < 4; thread++) {
            uint32_t blocks = thread < 3 ? of_three : 20;
            int64_t at = 510 * i + 30 * thread;
            b->thread = 100 + thread;
            kernel(b, &(struct work){at, at + 5, at + 5, at + 105, thread + 1, blocks, 0, 0});
            call_on(b, WI_API_SYNC, at + 6, at + 110, thread + 1, 0);
        }
    finish(b);
}

/* They meet on the device only; from the end of the first kernel to the last return, of the thread
 * that began 90 us later. */
static void test_independent_threads_have_their_own_clocks(void **state)
{
    (void)state;
    struct bench b;
    four_threads(&b, 20);
    brings(&b, "gpu-2x", 49 * 510 + 95, 49 * 460 + 95);
    bench_close(&b);
    /* five blocks gain nothing: only the last thread is faster, the third one ends 30 us before it
     */
    four_threads(&b, 5);
    brings(&b, "gpu-2x", 49 * 510 + 95, 49 * 510 + 65);
    bench_close(&b);
}

/* Two threads in turn, 15 launches of 5 us each, 5 us apart, kernels of 2 us: 15 x 5 + 14 x 5 = 145
 * us until the other one takes over at once. */
static void two_threads_in_turn(struct bench *b)
{
    bench_open(b, 1, 0);
    for (int64_t turn = 0; turn < 60; turn++)
        for (int64_t i = 0; i < 15; i++) {
            int64_t at = 145 * turn + 10 * i;
            b->thread = 100 + (uint32_t)(turn % 2);
            launch(b, at, at + 5, at + 5, at + 7);
        }
    finish(b);
}

/* One clock: launches and silences of half the length are half the time, up to the end of the last
 * kernel, of which the latency (the call's own time) has halved, too. */
static void test_threads_in_turn_share_a_clock(void **state)
{
    (void)state;
    struct bench b;
    two_threads_in_turn(&b);
    brings(&b, "graph-replay:divide=2", 60 * 145 - 5, 30 * 145 - 2.5);
    bench_close(&b);
}

/* 20 times, issued ahead: a kernel of 500 us and a collective, of 100 us in every other round, of
 * 400 us, waiting for a slower rank, in the others. */
static void collectives(struct bench *b)
{
    bench_open(b, 1, 0);
    gpu_of_ten_sms(b);
    for (int64_t i = 0, at = 5; i < TIMES; i++) {
        int64_t host = 12 * i, took = i % 2 ? 400 : 100;
        kernel(b, &(struct work){host, host + 5, at, at + 500, 1, 20, 0, 0});
        kernel(b, &(struct work){host + 6, host + 11, at + 500, at + 500 + took, 1, 20, 0,
                                 WI_OP_COLLECTIVE});
        at += 500 + took;
    }
    finish(b);
}

/* When no rank is late all take what the shortest took, or what is said; a GPU with more SMs does
 * not make them faster. From the end of the first kernel. */
static void test_collectives(void **state)
{
    (void)state;
    struct bench b;
    collectives(&b);
    double before = 19 * 500 + 10 * 100 + 10 * 400;
    brings(&b, "balanced-ranks", before, 19 * 500 + 20 * 100);
    brings(&b, "balanced-ranks:least=0.05", before, 19 * 500 + 20 * 50);
    brings(&b, "gpu-2x", before, 19 * 250 + 10 * 100 + 10 * 400);
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_event_between_streams),
        cmocka_unit_test(test_a_dependency_without_ids),
        cmocka_unit_test(test_the_legacy_default_stream),
        cmocka_unit_test(test_streams_side_by_side),
        cmocka_unit_test(test_full_kernels_follow_each_other),
        cmocka_unit_test(test_overlap_within_a_stream),
        cmocka_unit_test(test_two_devices_of_one_thread),
        cmocka_unit_test(test_each_device_is_waited_for_by_itself),
        cmocka_unit_test(test_independent_threads_have_their_own_clocks),
        cmocka_unit_test(test_threads_in_turn_share_a_clock),
        cmocka_unit_test(test_collectives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
