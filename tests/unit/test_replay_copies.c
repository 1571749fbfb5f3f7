/* Predictions about copies and allocations, against time lines worked out on paper. A stretch
 * begins when its first operation has ended.
 * Threads: one. */
#include "replay_fixture.h"

#define TIMES 20
#define MB    1000000

/* Each 1000 us: a launch with its kernel (980 us, stream 1), a pageable copy that blocks beside it
 * (stream 2, 498 us), a wait for the kernel that returns 5 us after it. Nobody waits for the copy
 * longer than for the kernel. */
static void test_a_copy_beside_a_kernel(void **state)
{
    (void)state;
    struct bench b;
    struct moved batch = {6 * MB, WI_COPY_H2D, WI_MEM_PAGEABLE, .blocking = 1};
    bench_open(&b, 1, 0);
    for (int64_t at = 0; at < TIMES * 1000; at += 1000) {
        kernel(&b, &(struct work){at, at + 5, at + 5, at + 985, .stream = 1});
        transfer(&b, &(struct work){at + 10, at + 512, at + 12, at + 510, .stream = 2}, &batch);
        call_on(&b, WI_API_SYNC, at + 515, at + 990, 1, 0);
    }
    finish(&b);
    brings(&b, "pinned-async:rate=24", 19 * 1000 + 5, 19 * 1000 + 5);
    bench_close(&b);
}

/* Each 3040 us: a pageable copy of 12 MB (starts 10 us after its call, 2000 us, returns 5 us
 * later), 5 us, a launch of 5 us, its kernel of 1000 us behind the copy, a wait that returns 5 us
 * after it, 10 us. */
static void copy_in_front_of_kernels(struct bench *b)
{
    struct moved batch = {12 * MB, WI_COPY_H2D, WI_MEM_PAGEABLE, .blocking = 1};
    for (int64_t at = 0; at < TIMES * 3040; at += 3040) {
        transfer(b, &(struct work){at, at + 2015, at + 10, at + 2010, .stream = 0}, &batch);
        kernel(b, &(struct work){at + 2020, at + 2025, at + 2025, at + 3025, .stream = 0});
        say(b, WI_API_SYNC, at + 2026, at + 3030);
    }
    finish(b);
}

static void copies_in_front(struct bench *b)
{
    bench_open(b, 1, 0);
    copy_in_front_of_kernels(b);
}

/* 12 MB at 12 GB/s are 1000 us; the launch is made meanwhile: 10 + 1000 + 1000 + 5 + 10 each. The
 * first copy ends at 2010, then at 1010, the last wait 19 periods and 3030 or 2015 after the start.
 */
static void test_a_pageable_copy_in_front(void **state)
{
    (void)state;
    struct bench b;
    copies_in_front(&b);
    brings(&b, "pinned-async:rate=12", 19 * 3040 + 3030 - 2015, 19 * 2025 + 2015 - 1010);
    /* a tenth of the time, half of it again by a faster link */
    brings(&b, "pinned-async:rate=120,x=2", 19 * 3040 + 3030 - 2015, 19 * 1075 + 1065 - 60);
    bench_close(&b);
}

/* The end of a range is a hundredth wider, and the first copy counts for less. */
static int is_close(double value, double want)
{
    return value > 0.98 * want && value < 1.03 * want;
}

/* No copy shows what page-locked memory would bring: 12 GB/s, on the fastest link 48 (250 us); of
 * PCIe 4.0 x16, 31.5 GB/s, three quarters (508 us) to nine tenths (423 us). */
static void test_a_rate_that_nobody_has_seen(void **state)
{
    (void)state;
    struct bench b;
    copies_in_front(&b);
    brings(&b, "pinned-async", 19 * 3040 + 3030 - 2015, 19 * 2025 + 2015 - 1010);
    assert_true(is_close(ask(&b, "pinned-async").high, 3040.0 / 1275));
    bench_close(&b);
    bench_open(&b, 1, 0);
    struct wi_event event = {.kind = WI_EVENT_SAMPLE};
    wi_host_sample_clear(&event.u.sample);
    event.u.sample.interval_ns = 1000 * (int64_t)MS;
    event.u.sample.at_ns = 0;
    event.u.sample.link_generation = 4;
    event.u.sample.link_width = 16;
    wi_engine_push(b.engine, &event);
    copy_in_front_of_kernels(&b);
    brings_within(&b, "pinned-async", 19 * 3040 + 3030 - 2015, 19 * 1533 + 1523 - 518, 4);
    assert_true(is_close(ask(&b, "pinned-async").high, 3040.0 / 1448));
    bench_close(&b);
}

/* Kernels of 1000 us; behind each 12 MB to the host (2000 us), which the call waits for; then, at
 * once or after `work_us` on the host, the next launch. */
static void copies_out(struct bench *b, int64_t work_us)
{
    struct moved out = {12 * MB, WI_COPY_D2H, WI_MEM_PAGEABLE, .blocking = 1};
    int64_t period = 3010 + work_us;
    bench_open(b, 1, 0);
    for (int64_t at = 0; at < TIMES * period; at += period) {
        launch(b, at, at + 5, at + 5, at + 1005);
        transfer(b, &(struct work){at + 10, at + 3010, at + 1005, at + 3005, .stream = 0}, &out);
    }
    finish(b);
}

/* 10 us later the next launch: nobody looks at what was copied. Copies of 1000 us run beside the
 * next kernel: a kernel each 1000 us and the last copy, from the end of the first kernel. */
static void test_copies_out_that_nobody_waits_for(void **state)
{
    (void)state;
    struct bench b;
    copies_out(&b, 10);
    brings(&b, "pinned-async:rate=12", 19 * 3020 + 3010 - 1005, 19 * 1000 + 1000);
    bench_close(&b);
}

/* 2000 us of work on what was copied: it has to be there first. 5 + 1000 + 1000 + 2000 each; of the
 * wake-up of 5 us a real program would keep as much. Whole cycles count, from one end of that work
 * to another: 18. */
static void test_copies_out_that_are_worked_on(void **state)
{
    (void)state;
    struct bench b;
    copies_out(&b, 2000);
    brings_within(&b, "pinned-async:rate=12", 18 * 5010, 18 * 4007.5, 18 * 2.5);
    bench_close(&b);
}

/* Kernels of 1000 us, after each a value of 4 bytes that is waited for, 8 us of host: it stays a
 * wait. The copy itself takes 2 us, and would at any rate. */
static void test_a_value_is_waited_for(void **state)
{
    (void)state;
    struct bench b;
    struct moved value = {4, WI_COPY_D2H, WI_MEM_PAGEABLE, .blocking = 1};
    bench_open(&b, 1, 0);
    for (int64_t at = 0; at < TIMES * 1020; at += 1020) {
        launch(&b, at, at + 5, at + 5, at + 1005);
        transfer(&b, &(struct work){at + 10, at + 1012, at + 1005, at + 1007, .stream = 0}, &value);
    }
    finish(&b);
    brings(&b, "pinned-async:rate=12", 19 * 1020 + 7, 19 * 1020 + 7);
    bench_close(&b);
}

/* Each 710 us: 16 copies of 4 KiB (10 us a call, 2 us apart, 2 us each on the device), a launch of
 * 5 us, its kernel of 500, a wait that returns 5 us after it, 8 us. In one call: 10 us, in which
 * the copy starts at 8 and takes what the 16 took, 32, to 40; the launch has returned by then; the
 * kernel ends at 540, the wait at 545: 553 each. */
static void test_coalesced_copies(void **state)
{
    (void)state;
    struct bench b;
    struct moved piece = {4096, WI_COPY_H2D, WI_MEM_PINNED, .blocking = 0};
    bench_open(&b, 1, 0);
    for (int64_t at = 0; at < TIMES * 710; at += 710) {
        for (int64_t i = at; i < at + 16 * 12; i += 12)
            transfer(&b, &(struct work){i, i + 10, i + 8, i + 10, .stream = 0}, &piece);
        kernel(&b, &(struct work){at + 192, at + 197, at + 197, at + 697, .stream = 0});
        say(&b, WI_API_SYNC, at + 200, at + 702);
    }
    finish(&b);
    /* from the end of the first copy: 10, then 40 */
    brings(&b, "coalesced-copies", 19 * 710 + 702 - 10, 19 * 553 + 545 - 40);
    /* 50 us to pack them, each time; the first ends at 90 */
    brings(&b, "coalesced-copies:pack=0.05", 19 * 710 + 702 - 10, 19 * 603 + 595 - 90);
    bench_close(&b);
}

/* Large copies in a row of two: the bytes cost, not the calls. Two of 1000 us (6 MB each) are one
 * of 2000; a call of 5 us and the 5 us up to it are saved, and both were made while the first
 * copied. */
static void test_coalesced_large_copies(void **state)
{
    (void)state;
    struct bench b;
    struct moved half = {6 * MB, WI_COPY_H2D, WI_MEM_PINNED, .blocking = 0};
    bench_open(&b, 1, 0);
    for (int64_t at = 0; at < TIMES * 2500; at += 2500) {
        transfer(&b, &(struct work){at, at + 5, at + 5, at + 1005, .stream = 0}, &half);
        transfer(&b, &(struct work){at + 10, at + 15, at + 1005, at + 2005, .stream = 0}, &half);
        kernel(&b, &(struct work){at + 20, at + 25, at + 2005, at + 2485, .stream = 0});
        say(&b, WI_API_SYNC, at + 30, at + 2490);
    }
    finish(&b);
    struct wi_prediction got = ask(&b, "coalesced-copies");
    assert_null(got.withheld);
    assert_in_range(got.speedup * 1000, 1000 * 19.5 / 20, 1000 * 20.5 / 20);
    bench_close(&b);
}

/* Two copies of 500 us in each 1200 us, on two streams, with 595 us of host before each. */
static void two_streams(struct bench *b, int second_direction)
{
    struct moved first = {6 * MB, WI_COPY_H2D, WI_MEM_PINNED, .blocking = 0};
    struct moved second = {6 * MB, second_direction, WI_MEM_PINNED, .blocking = 0};
    bench_open(b, 1, 0);
    for (int64_t at = 0; at < TIMES * 1200; at += 1200) {
        transfer(b, &(struct work){at, at + 5, at + 5, at + 505, .stream = 1}, &first);
        transfer(b, &(struct work){at + 600, at + 605, at + 605, at + 1105, .stream = 2}, &second);
    }
    finish(b);
}

/* Without that host time, and that in the calls, copies of one direction follow each other on its
 * engine, 500 us each; those of two directions run side by side. */
static void test_one_engine_for_a_direction(void **state)
{
    (void)state;
    struct bench b;
    two_streams(&b, WI_COPY_H2D);
    brings(&b, "host-other-free:cause=transfer/undetermined", 19 * 1200 + 600, 39 * 500);
    bench_close(&b);
    two_streams(&b, WI_COPY_D2H);
    brings(&b, "host-other-free:cause=transfer/undetermined", 19 * 1200 + 600, 19 * 500);
    bench_close(&b);
}

/* Each 520 us: an allocation of 200 us, a launch (5 us after it, 5 us), its kernel of 300, a wait
 * that returns 5 us after it, 5 us. Without the allocations 320 each, but the first: what it takes
 * belongs to the start. */
static void test_no_allocator(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 1, 0);
    for (int64_t at = 0; at < TIMES * 520; at += 520) {
        say(&b, WI_API_ALLOC, at, at + 200);
        launch(&b, at + 205, at + 210, at + 210, at + 510);
        say(&b, WI_API_SYNC, at + 215, at + 515);
    }
    finish(&b);
    brings(&b, "no-allocator", 19 * 520 + 515, 520 + 18 * 320 + 315);
    bench_close(&b);
}

/* Each 1515 us: a launch with its kernel of 1000 us, a free that waits for it (from 10 to 1010),
 * 500 us of host work, 5 us. Without the free that work is done beside the kernel: a kernel each
 * 1000 us, from the end of the first one. */
static void test_a_free_waits_for_the_device(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 1, 0);
    for (int64_t at = 0; at < TIMES * 1515; at += 1515) {
        launch(&b, at, at + 5, at + 5, at + 1005);
        say(&b, WI_API_FREE, at + 10, at + 1010);
    }
    finish(&b);
    brings(&b, "no-allocator", 19 * 1515 + 5, 19 * 1000);
    bench_close(&b);
}

/* Each 1030 us: 500 us in which memory is page-locked, 5 us, a copy call of 5 us for 505 us of
 * copy, a wait that returns 5 us after it, 10 us. Without the locking 530 each, but the first. */
static void test_page_locking_for_each_copy(void **state)
{
    (void)state;
    struct bench b;
    struct moved batch = {6 * MB, WI_COPY_H2D, WI_MEM_PINNED, .blocking = 0};
    bench_open(&b, 1, 0);
    for (int64_t at = 0; at < TIMES * 1030; at += 1030) {
        say(&b, WI_API_PIN, at, at + 500);
        transfer(&b, &(struct work){at + 505, at + 510, at + 510, at + 1015, .stream = 0}, &batch);
        say(&b, WI_API_SYNC, at + 515, at + 1020);
    }
    finish(&b);
    brings(&b, "no-allocator", 19 * 1030 + 1020, 1030 + 18 * 530 + 520);
    bench_close(&b);
}

/* Each 1020 us: a launch with its kernel of 1000 us, beside it 900 us of page-locking (from 10), a
 * wait from 915 that returns at 1010. With kernels of 100 us the locking is seen: 930 each, without
 * it 120. */
static void test_page_locking_beside_a_kernel(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 1, 0);
    for (int64_t at = 0; at < TIMES * 1020; at += 1020) {
        launch(&b, at, at + 5, at + 5, at + 1005);
        say(&b, WI_API_PIN, at + 10, at + 910);
        say(&b, WI_API_SYNC, at + 915, at + 1010);
    }
    finish(&b);
    brings(&b, "no-allocator", 19 * 1020 + 5, 19 * 1020 + 5);
    brings(&b, "gpu-2x:x=10", 19 * 1020 + 5, 19 * 930 + 920 - 105);
    brings(&b, "no-allocator+gpu-2x:x=10", 19 * 1020 + 5, 19 * 120 + 5);
    bench_close(&b);
}

/* Copies within the device, one behind the other on one stream, queued ahead: 64 MB in 100 us, in
 * each second place 64 KB in 3 us. Twice the memory bandwidth halves what takes its time for the
 * bytes. From the end of the first large one: 20 small ones and 19 large ones. */
static void test_copies_within_a_faster_device(void **state)
{
    (void)state;
    struct bench b;
    struct moved large = {64 * MB, WI_COPY_D2D, WI_MEM_DEVICE, .blocking = 0};
    struct moved small = {MB / 16, WI_COPY_D2D, WI_MEM_DEVICE, .blocking = 0};
    bench_open(&b, 1, 0);
    for (int64_t i = 0; i < TIMES; i++) {
        int64_t host = 20 * i, at = 5 + 103 * i;
        transfer(&b, &(struct work){host, host + 5, at, at + 100, .stream = 1}, &large);
        transfer(&b, &(struct work){host + 10, host + 15, at + 100, at + 103, .stream = 1}, &small);
    }
    finish(&b);
    brings(&b, "gpu-2x", 19 * 100 + 20 * 3, 19 * 50 + 20 * 3);
    brings(&b, "gpu-2x:x=3", 19 * 100 + 20 * 3, 19 * 100 + 20 * 3); /* the kernels alone */
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_copy_beside_a_kernel),
        cmocka_unit_test(test_a_pageable_copy_in_front),
        cmocka_unit_test(test_a_rate_that_nobody_has_seen),
        cmocka_unit_test(test_copies_out_that_nobody_waits_for),
        cmocka_unit_test(test_copies_out_that_are_worked_on),
        cmocka_unit_test(test_a_value_is_waited_for),
        cmocka_unit_test(test_coalesced_copies),
        cmocka_unit_test(test_coalesced_large_copies),
        cmocka_unit_test(test_one_engine_for_a_direction),
        cmocka_unit_test(test_no_allocator),
        cmocka_unit_test(test_a_free_waits_for_the_device),
        cmocka_unit_test(test_page_locking_for_each_copy),
        cmocka_unit_test(test_copies_within_a_faster_device),
        cmocka_unit_test(test_page_locking_beside_a_kernel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
