/* Predictions of runs that launch and compute, against time lines worked out on paper. A
 * stretch begins when its first operation has ended: what that one waited for is not known.
 * Threads: one. */
#include "replay_fixture.h"

/* 100 launches of 10 us, 40 us of silence between them, kernels of 5 us that start when their
 * launch returns: from the end of the first to that of the last 99 x 50. */
static void launch_bound(struct bench *b)
{
    bench_open(b, 1, 0);
    for (int64_t at = 0; at < 5000; at += 50)
        launch(b, at, at + 10, at + 10, at + 15);
    finish(b);
}

/* A tenth: launches of 1 us, silences of 4 us. */
static void test_graph_replay_of_launches(void **state)
{
    (void)state;
    struct bench b;
    launch_bound(&b);
    brings(&b, "graph-replay", 99 * 50, 99 * 5);
    brings(&b, "graph-replay:divide=5", 99 * 50, 99 * (2 + 8));
    bench_close(&b);
}

/* Each 610 us: a launch of 100 us, at the end of which its kernel of 500 starts, a wait that
 * returns 5 us after it, 5 us. In a launch of 10 us it starts 90 us sooner. */
static void test_a_kernel_starts_when_its_launch_is_made(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 1, 0);
    for (int64_t at = 0; at < 20 * 610; at += 610) {
        launch(&b, at, at + 100, at + 100, at + 600);
        say(&b, WI_API_SYNC, at + 105, at + 605);
    }
    finish(&b);
    brings(&b, "graph-replay", 19 * 610 + 5, 19 * 520 + 5);
    bench_close(&b);
}

/* Neighbours on the device stand 3 us apart: kernels of 5 us, then, are the limit, not launches. */
static void test_graph_replay_with_spacing(void **state)
{
    (void)state;
    struct bench b;
    launch_bound(&b);
    brings(&b, "graph-replay:spacing=0.003", 99 * 50, 99 * (5 + 3));
    bench_close(&b);
}

/* Nothing waits for a kernel of a launch-bound run. */
static void test_faster_gpu_launch_bound(void **state)
{
    (void)state;
    struct bench b;
    launch_bound(&b);
    brings(&b, "gpu-2x", 99 * 50, 99 * 50);
    bench_close(&b);
}

/* 100 launches of 5 us, 1 us apart; kernels of 100 us one behind the other from 5 on; the sync
 * returns 5 us after the last. */
static void device_bound(struct bench *b, uint32_t blocks)
{
    bench_open(b, 1, 0);
    gpu_of_ten_sms(b);
    for (int64_t i = 0; i < 100; i++)
        kernel(b, &(struct work){6 * i, 6 * i + 5, 5 + 100 * i, 105 + 100 * i, .blocks = blocks});
    say(b, WI_API_SYNC, 610, 10010);
    finish(b);
}

/* No launch but the first is in anybody's way. */
static void test_graph_replay_of_a_busy_device(void **state)
{
    (void)state;
    struct bench b;
    device_bound(&b, 20);
    brings(&b, "graph-replay", 99 * 100 + 5, 99 * 100 + 5);
    bench_close(&b);
}

/* Twice the SMs: two blocks for each of 10 SMs are one for each of 20 (half the time); up to one
 * for each there is no block to give to the new ones; 15 blocks lie half way. */
static void test_faster_gpu_by_blocks(void **state)
{
    (void)state;
    struct bench b;
    static const struct {
        uint32_t blocks;
        double kernel_us;
    } CASES[] = {{5, 100}, {10, 100}, {15, 75}, {20, 50}, {4000, 50}, {0, 50}};
    for (size_t i = 0; i < sizeof(CASES) / sizeof(*CASES); i++) {
        device_bound(&b, CASES[i].blocks);
        brings(&b, "gpu-2x", 99 * 100 + 5, 99 * CASES[i].kernel_us + 5);
        bench_close(&b);
    }
}

/* A faster clock helps every kernel, however few its blocks. */
static void test_faster_clock(void **state)
{
    (void)state;
    struct bench b;
    device_bound(&b, 5);
    brings(&b, "gpu-2x:x=4", 99 * 100 + 5, 99 * 25 + 5);
    bench_close(&b);
}

/* 20 times: a kernel of 5 blocks (400 us: 5 of 160 that the device holds, less than an eighth) and
 * one of 160 (100 us), queued ahead. */
static void test_filled_grids(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 1, 0);
    gpu_of_ten_sms(&b);
    for (int64_t i = 0; i < 20; i++) {
        int64_t host = 12 * i, at = 5 + 500 * i;
        kernel(&b, &(struct work){host, host + 5, at, at + 400, .blocks = 5});
        kernel(&b, &(struct work){host + 6, host + 11, at + 400, at + 500, .blocks = 160});
    }
    finish(&b);
    brings(&b, "filled-grids", 20 * 500 - 400, 20 * 300 - 200);
    brings(&b, "filled-grids:x=0.25", 20 * 500 - 400, 20 * 200 - 100);
    /* the wide ones alone halve */
    brings(&b, "gpu-2x", 20 * 500 - 400, 20 * 450 - 400);
    bench_close(&b);
}

/* 20 requests: a launch (5 us), its kernel of 200, a wait for it (until 210), 500 us of host work.
 * From 205 to 19 x 710 + 210. Four in one pass of twice the kernel time: from 405 to 19 x 910 +
 * 410, and four times the requests. */
static void test_batched(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 1, 0);
    for (int64_t at = 0; at < 20 * 710; at += 710) {
        launch(&b, at, at + 5, at + 5, at + 205);
        say(&b, WI_API_SYNC, at + 10, at + 210);
    }
    finish(&b);
    brings(&b, "batched:n=4,kernels=2", 19 * 710 + 5, (19 * 910 + 5) / 4.0);
    bench_close(&b);
}

/* 20 graph launches of 20 us, 280 us apart, each of three nodes of 50 us with 2 us between them. */
static void graphs(struct bench *b)
{
    bench_open(b, 1, 0);
    for (int64_t at = 0; at < 20 * 300; at += 300) {
        struct wi_host_call call = make_call(b, WI_API_GRAPH_LAUNCH, at, at + 20);
        call.corr = ++b->corr;
        call.flags = WI_CALL_OWES;
        wi_engine_call(b->engine, &call);
        for (int64_t node = at + 20; node < at + 176; node += 52) {
            struct wi_device_op op = make_op(b, WI_OP_KERNEL, node, node + 50);
            op.flags = WI_OP_GRAPH_NODE;
            wi_engine_op(b->engine, &op);
        }
    }
    finish(b);
}

/* A launch of 2 us each 30 us keeps ahead of 3 x 50 + 2 x 2 us of nodes, and of 2 us from one graph
 * to the next. A faster GPU leaves the host its 300 us. */
static void test_graph_launches(void **state)
{
    (void)state;
    struct bench b;
    graphs(&b);
    brings_within(&b, "graph-replay", 19 * 300, 19 * 156, 2);
    brings(&b, "gpu-2x", 19 * 300, 19 * 300);
    bench_close(&b);
}

/* 100 launches that return 3 us after their kernel (100 us, from the entry + 5 on), 12 us apart.
 * They are made to wait: half the kernel time is seen in full, and no graph would change anything.
 */
static void test_launches_made_to_block(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 1, 0);
    for (int64_t at = 0; at < 12000; at += 120)
        launch(&b, at, at + 108, at + 5, at + 105);
    finish(&b);
    brings(&b, "gpu-2x", 99 * 120, 99 * 70);
    brings(&b, "graph-replay", 99 * 120, 99 * 120);
    bench_close(&b);
}

/* Launches of 5 us, 1 us apart, kernels of 50 us, and a queue of 1024: launch i returns when kernel
 * i - 1024 has left it. The device works without a pause from 5 on; the sync returns 5 us later. */
static void full_queue(struct bench *b, int64_t launches)
{
    bench_open(b, 1, 0);
    int64_t enter = 0;
    for (int64_t i = 0; i < launches; i++) {
        int64_t exit = enter + 5, room = i < 1024 ? 0 : 5 + 50 * (i - 1024);
        exit = exit > room ? exit : room;
        launch(b, enter, exit, 5 + 50 * i, 55 + 50 * i);
        enter = exit + 1;
    }
    say(b, WI_API_SYNC, enter, 10 + 50 * launches);
    finish(b);
}

/* Half the kernel time is half the time: the calls that waited for room wait for half as long. */
static void test_full_queue(void **state)
{
    (void)state;
    struct bench b;
    full_queue(&b, 2000);
    brings(&b, "gpu-2x", 1999 * 50 + 5, 1999 * 25 + 5);
    bench_close(&b);
}

/* The same when most launches had to wait, so that the usual launch is one of those. */
static void test_queue_full_most_of_the_time(void **state)
{
    (void)state;
    struct bench b;
    full_queue(&b, 6000);
    brings(&b, "gpu-2x", 5999 * 50 + 5, 5999 * 25 + 5);
    bench_close(&b);
}

/* 6000 such launches, 60 ms of host, 6000 more. While the host was held back by the queue, at most
 * 1024 kernels stood before it: 51 ms of device work, 26 with kernels of 25 us. The last launch of
 * the first part returns at 5 + 4975 x 50 (25), the first kernel of the second part starts 60 ms
 * and 5 us later, and 6000 kernels later the sync returns. */
static void test_the_queue_holds_the_host_back(void **state)
{
    (void)state;
    struct bench b;
    int64_t enter = 0, done = 0;
    bench_open(&b, 1, 0);
    for (int part = 0; part < 2; part++) {
        int64_t start = enter + 5;
        for (int64_t i = 0; i < 6000; i++) {
            int64_t exit = enter + 5, room = i < 1024 ? 0 : start + 50 * (i - 1024);
            exit = exit > room ? exit : room;
            launch(&b, enter, exit, start + 50 * i, start + 50 * i + 50);
            enter = exit + 1;
        }
        enter += part ? 0 : 60000 - 1;
        done = start + 6000 * 50;
    }
    say(&b, WI_API_SYNC, enter, done + 5);
    finish(&b);
    double second = 5 + 4975 * 50 + 60005, twice = 5 + 4975 * 25 + 60005;
    brings(&b, "gpu-2x", second + 6000 * 50 + 5 - 55, twice + 6000 * 25 + 5 - 30);
    bench_close(&b);
}

/* 200 000 such launches, of which stretches are kept: in those from the middle every launch has
 * waited for room, and none shows what a launch costs by itself. */
static void test_queue_always_full(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 1, 0);
    int64_t enter = 0;
    for (int64_t i = 0; i < 200000 + 1024; i++) {
        int64_t exit = enter + 5, freed = 5 + 50 * (i - 1024);
        exit = exit > freed ? exit : freed;
        if (i < 200000) {
            struct wi_host_call call = make_call(&b, WI_API_LAUNCH, enter, exit);
            call.corr = (uint64_t)i + 1;
            wi_engine_call(b.engine, &call);
        }
        if (i >= 1024) {
            b.corr = (uint64_t)i + 1 - 1024;
            struct wi_device_op op = make_op(&b, WI_OP_KERNEL, freed, freed + 50);
            wi_engine_op(b.engine, &op);
            wi_engine_advance(b.engine, freed * US);
        }
        enter = exit + 1;
    }
    finish(&b);
    struct wi_prediction got = ask(&b, "gpu-2x");
    assert_null(got.withheld);
    assert_in_range(got.speedup * 1000, 1990, 2000);
    bench_close(&b);
}

/* A launch each 100 us (10 of it in the call), kernels of 80 us. Cheaper launches leave the device
 * as the limit: 80 each. A faster GPU waits for the host: 100 each. Both: 40 each, 2.5 times as
 * fast where the two alone are 1.25 and 1.00. */
static void test_two_fixes_are_not_multiplied(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 1, 0);
    for (int64_t at = 0; at < 10000; at += 100)
        launch(&b, at, at + 10, at + 10, at + 90);
    finish(&b);
    brings(&b, "graph-replay", 99 * 100, 99 * 80);
    brings(&b, "gpu-2x", 99 * 100, 99 * 100);
    brings(&b, "graph-replay+gpu-2x", 99 * 100, 99 * 40);
    brings(&b, "gpu-2x+graph-replay", 99 * 100, 99 * 40);
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_graph_replay_of_launches),
        cmocka_unit_test(test_a_kernel_starts_when_its_launch_is_made),
        cmocka_unit_test(test_graph_replay_with_spacing),
        cmocka_unit_test(test_faster_gpu_launch_bound),
        cmocka_unit_test(test_graph_replay_of_a_busy_device),
        cmocka_unit_test(test_faster_gpu_by_blocks),
        cmocka_unit_test(test_faster_clock),
        cmocka_unit_test(test_filled_grids),
        cmocka_unit_test(test_batched),
        cmocka_unit_test(test_graph_launches),
        cmocka_unit_test(test_launches_made_to_block),
        cmocka_unit_test(test_full_queue),
        cmocka_unit_test(test_queue_full_most_of_the_time),
        cmocka_unit_test(test_the_queue_holds_the_host_back),
        cmocka_unit_test(test_queue_always_full),
        cmocka_unit_test(test_two_fixes_are_not_multiplied),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
