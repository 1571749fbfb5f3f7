/* Predictions of runs that wait for input, for requests or for the host, against time lines worked
 * out on paper. Where one kind of wait takes much of the time, whole cycles count, from the end of
 * one wait to the end of another.
 * Threads: one. */
#include "replay_fixture.h"

#define TIMES  30
#define CYCLES 28 /* the first step has no wait before it; 29 ends of waits */

/* Who makes the input: what the evidence shows while the thread is silent. */
enum maker { NOBODY_KNOWN, LOADERS, DISK, CLIENTS, THE_THREAD_ITSELF };

static void evidence(struct bench *b, enum maker maker)
{
    struct wi_event event = {.kind = WI_EVENT_SAMPLE};
    wi_host_sample_clear(&event.u.sample);
    event.u.sample.at_ns = 0;
    event.u.sample.interval_ns = 1000 * (int64_t)MS;
    event.u.sample.children = 2;
    event.u.sample.child_cpu_permille = maker == DISK ? 300 : 980;
    event.u.sample.child_disk_permille = maker == DISK ? 650 : 0;
    if (maker == LOADERS || maker == DISK)
        wi_engine_push(b->engine, &event);
    event.kind = WI_EVENT_SPAN;
    for (int64_t at = 0; at < TIMES * 16000 && maker == CLIENTS; at += 16000) {
        event.u.span = (struct wi_host_span){
            (at + 6015) * US, (at + 16000) * US, b->thread, 0, WI_SPAN_WAIT_REQUEST, 0};
        wi_engine_push(b->engine, &event);
    }
}

/* Each 16000 us: a copy of 8 MB that does not block (call of 10 us, copy of 1000), a launch (15 to
 * 20), its kernel of 5000 behind the copy, a value read back (4 bytes: 6010 to 6012, there at
 * 6015), and 9985 us until the next input is there. A step without waiting takes 6015. */
static void run(struct bench *b, enum maker maker)
{
    struct moved value = {4, WI_COPY_D2H, WI_MEM_PINNED, .blocking = 1};
    bench_open(b, 1, 0);
    evidence(b, maker);
    for (int64_t at = 0; at < TIMES * 16000; at += 16000) {
        struct copy batch = {at,          at + 10,       at + 10, at + 1010, 8000000,
                             WI_COPY_H2D, WI_MEM_PINNED, 0,       0};
        batch.run_us = maker == THE_THREAD_ITSELF ? 9985 : 0;
        copy(b, &batch);
        launch(b, at + 15, at + 20, at + 1010, at + 6010);
        transfer(b, &(struct work){at + 25, at + 6015, at + 6010, at + 6012, .stream = 0}, &value);
    }
    finish(b);
}

/* Loaders have their own clock: an input each 16000 us, twice as fast one each 8000, four times one
 * each 4000, of which a step can take one each 6015. */
static void test_a_faster_producer(void **state)
{
    (void)state;
    struct bench b;
    run(&b, LOADERS);
    brings(&b, "producer-rate:x=2", CYCLES * 16000, CYCLES * 8000);
    brings(&b, "producer-rate:x=2,by=workers", CYCLES * 16000, CYCLES * 8000);
    brings(&b, "producer-rate:x=4", CYCLES * 16000, CYCLES * 6015);
    brings(&b, "input-ready", CYCLES * 16000, CYCLES * 6015);
    brings(&b, "input-ready:stay=4", CYCLES * 16000, CYCLES * (6015 + 4000));
    bench_close(&b);
}

/* As in run(), but for 3000 us of each wait the thread was ready and had no core: without that an
 * input each 13000 us, and twice as fast one each 6500. Two changes bring no less than one. */
static void test_a_faster_producer_and_a_free_core(void **state)
{
    (void)state;
    struct bench b;
    struct moved value = {4, WI_COPY_D2H, WI_MEM_PINNED, .blocking = 1};
    bench_open(&b, 1, 0);
    evidence(&b, LOADERS);
    for (int64_t at = 0; at < TIMES * 16000; at += 16000) {
        struct wi_host_call call = make_call(&b, WI_API_COPY, at, at + 10);
        struct wi_device_op batch = make_op(&b, WI_OP_COPY, at + 10, at + 1010);
        call.corr = batch.corr = ++b.corr;
        call.flags = WI_CALL_OWES;
        call.direction = batch.direction = WI_COPY_H2D;
        call.bytes = batch.bytes = 8000000;
        batch.src_mem = WI_MEM_PINNED;
        batch.dst_mem = WI_MEM_DEVICE;
        call.run_ns = 0;
        call.runnable_ns = 3000 * US;
        wi_engine_call(b.engine, &call);
        wi_engine_op(b.engine, &batch);
        launch(&b, at + 15, at + 20, at + 1010, at + 6010);
        transfer(&b, &(struct work){at + 25, at + 6015, at + 6010, at + 6012, .stream = 0}, &value);
    }
    finish(&b);
    brings(&b, "producer-rate:x=2", CYCLES * 16000, CYCLES * 8000);
    brings(&b, "host-other-free", CYCLES * 16000, CYCLES * 13000);
    brings(&b, "producer-rate:x=2+host-other-free", CYCLES * 16000, CYCLES * 6500);
    bench_close(&b);
}

/* Whatever the device, the copies, the launches or the read-backs save is spent waiting for the
 * next input. */
static void test_a_fix_on_the_wrong_side(void **state)
{
    (void)state;
    struct bench b;
    run(&b, LOADERS);
    static const char *const WRONG[] = {"gpu-2x",           "pinned-async:rate=24",
                                        "graph-replay",     "no-readback-sync",
                                        "host-other-free",  "no-allocator",
                                        "coalesced-copies", "producer-rate:x=2,by=storage"};
    for (size_t i = 0; i < sizeof(WRONG) / sizeof(*WRONG); i++)
        brings(&b, WRONG[i], CYCLES * 16000, CYCLES * 16000);
    bench_close(&b);
}

/* Alone, four times the inputs gain 16000 / 6015 and a faster GPU nothing; together the step takes
 * 3515 and the inputs come each 4000. */
static void test_both_sides(void **state)
{
    (void)state;
    struct bench b;
    run(&b, LOADERS);
    brings(&b, "producer-rate:x=4+gpu-2x", CYCLES * 16000, CYCLES * 4000);
    bench_close(&b);
}

/* More workers do not make a disk faster. */
static void test_a_slow_disk(void **state)
{
    (void)state;
    struct bench b;
    run(&b, DISK);
    brings(&b, "producer-rate:x=2,by=storage", CYCLES * 16000, CYCLES * 8000);
    brings(&b, "producer-rate:x=2,by=workers", CYCLES * 16000, CYCLES * 16000);
    brings(&b, "gpu-2x", CYCLES * 16000, CYCLES * 16000);
    bench_close(&b);
}

/* A wait of which nothing shows that somebody makes inputs meanwhile is as long as it was: a faster
 * GPU saves 2500 us of each step, no wait for the value all that the device needs: 25 us of calls,
 * and the wait, which then takes place beside the kernel (the call is one of 3 us). */
static void test_a_fixed_wait(void **state)
{
    (void)state;
    struct bench b;
    run(&b, NOBODY_KNOWN);
    brings(&b, "gpu-2x", CYCLES * 16000, CYCLES * 13500);
    brings(&b, "input-ready", CYCLES * 16000, CYCLES * 6015);
    brings(&b, "no-readback-sync", CYCLES * 16000, CYCLES * (25 + 3 + 9985));
    bench_close(&b);
}

/* Requests come when they come. Twice as often: one each 8000 us; as many as it can take: one each
 * 6015. No fix of the device or of the host changes how often they come. */
static void test_requests(void **state)
{
    (void)state;
    struct bench b;
    run(&b, CLIENTS);
    brings(&b, "requests:x=2", CYCLES * 16000, CYCLES * 8000);
    brings(&b, "requests:x=4", CYCLES * 16000, CYCLES * 6015);
    brings(&b, "requests", CYCLES * 16000, CYCLES * 6015);
    brings(&b, "gpu-2x", CYCLES * 16000, CYCLES * 16000);
    brings(&b, "graph-replay", CYCLES * 16000, CYCLES * 16000);
    brings(&b, "input-ready", CYCLES * 16000, CYCLES * 16000);
    brings(&b, "requests+gpu-2x", CYCLES * 16000, CYCLES * 3515);
    bench_close(&b);
}

/* The thread works 9985 us for each input: saved elsewhere is saved. Workers beside it make one
 * each 9985 / N us: with 1.25 of them 7988, with 2 more than a step can take. */
static void test_input_made_on_the_thread(void **state)
{
    (void)state;
    struct bench b;
    run(&b, THE_THREAD_ITSELF);
    brings(&b, "gpu-2x", CYCLES * 16000, CYCLES * 13500);
    brings(&b, "input-ready", CYCLES * 16000, CYCLES * 6015);
    brings(&b, "producer-rate:x=1.25", CYCLES * 16000, CYCLES * 7988);
    brings(&b, "producer-rate:x=2", CYCLES * 16000, CYCLES * 6015);
    bench_close(&b);
}

/* Each 4010 us: a launch of 5 us, its kernel of 1000, a wait for it (returns at 1010), 3000 us of
 * the thread's own computing. */
static void own_work(struct bench *b)
{
    bench_open(b, 1, 0);
    for (int64_t at = 0; at < TIMES * 4010; at += 4010) {
        struct wi_host_call call = make_call(b, WI_API_LAUNCH, at, at + 5);
        call.corr = ++b->corr;
        call.run_ns = 3000 * US;
        call.runnable_ns = 0;
        wi_engine_call(b->engine, &call);
        struct wi_device_op op = make_op(b, WI_OP_KERNEL, at + 5, at + 1005);
        wi_engine_op(b->engine, &op);
        say(b, WI_API_SYNC, at + 10, at + 1010);
    }
    finish(b);
}

static void test_own_work(void **state)
{
    (void)state;
    struct bench b;
    own_work(&b);
    brings(&b, "host-other-free", CYCLES * 4010, CYCLES * 1010);
    brings(&b, "host-other-free:divide=2", CYCLES * 4010, CYCLES * 2510);
    brings(&b, "host-other-free:stay=0.5", CYCLES * 4010, CYCLES * 1510);
    brings(&b, "host-other-free:cause=host/cpu-compute", CYCLES * 4010, CYCLES * 1010);
    brings(&b, "host-other-free:cause=host", CYCLES * 4010, CYCLES * 1010);
    brings(&b, "host-other-free:cause=host/checkpoint", CYCLES * 4010, CYCLES * 4010);
    brings(&b, "host-other-free:cause=data-loading", CYCLES * 4010, CYCLES * 4010);
    brings(&b, "input-ready", CYCLES * 4010, CYCLES * 4010);
    brings(&b, "gpu-2x", CYCLES * 4010, CYCLES * 3510);
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_faster_producer),
        cmocka_unit_test(test_a_faster_producer_and_a_free_core),
        cmocka_unit_test(test_a_fix_on_the_wrong_side),
        cmocka_unit_test(test_both_sides),
        cmocka_unit_test(test_a_slow_disk),
        cmocka_unit_test(test_a_fixed_wait),
        cmocka_unit_test(test_requests),
        cmocka_unit_test(test_input_made_on_the_thread),
        cmocka_unit_test(test_own_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
