/* The device time line against a second implementation: a table with one cell per nanosecond, and
 * hand-computed waves. Random streams, several thousand of them.
 * Threads: one. */
#include <stdlib.h>
#include <string.h>

#include "engine_fixture.h"

#include "analyze/device.h"

#define CELLS 3000

struct cell {
    unsigned kernel : 1, copy : 1, memset : 1, any : 1; /* raw */
    unsigned full : 1, thin : 1, collective : 1, moving : 1;
};

struct expected {
    int64_t first, last, kernel, copy, memset, exposed, idle, gaps, longest;
    int64_t compute, underfilled, communication, transfer;
};

static struct expected count_cells(const struct cell *cells, int64_t first, int64_t last)
{
    struct expected e = {.first = first, .last = last};
    int64_t run = 0;
    for (int64_t t = first; t < last; t++) {
        const struct cell *c = &cells[t];
        e.kernel += c->kernel;
        e.copy += c->copy;
        e.memset += c->memset;
        e.exposed += !c->kernel && (c->copy || c->memset);
        e.compute += c->full;
        e.underfilled += !c->full && c->thin;
        e.communication += !c->full && !c->thin && c->collective;
        e.transfer += !c->full && !c->thin && !c->collective && c->moving;
        if (!c->any) {
            e.idle++;
            e.gaps += !run++;
            e.longest = run > e.longest ? run : e.longest;
        } else {
            run = 0;
        }
    }
    return e;
}

static void paint(struct cell *cells, const struct wi_device_op *op, double waves)
{
    for (int64_t t = op->start_ns; t < op->end_ns; t++) {
        struct cell *c = &cells[t];
        c->any = 1;
        c->kernel |= op->kind == WI_OP_KERNEL;
        c->copy |= op->kind == WI_OP_COPY;
        c->memset |= op->kind == WI_OP_MEMSET;
        c->collective |= op->kind == WI_OP_KERNEL && (op->flags & WI_OP_COLLECTIVE);
        c->thin |= op->kind == WI_OP_KERNEL && !(op->flags & WI_OP_COLLECTIVE) && waves < 0.125;
        c->full |=
            (op->kind == WI_OP_KERNEL && !(op->flags & WI_OP_COLLECTIVE) && waves >= 0.125) ||
            op->kind == WI_OP_MEMSET || (op->kind == WI_OP_COPY && op->direction == WI_COPY_D2D);
        c->moving |= op->kind == WI_OP_COPY && op->direction == WI_COPY_H2D;
    }
}

static struct wi_device_op random_op(struct bench *b)
{
    struct wi_device_op op = make_op(b, WI_OP_KERNEL, 0, 0);
    op.start_ns = rand() % (CELLS - 400);
    op.end_ns = op.start_ns + (rand() % 8 ? rand() % 300 : 0);
    op.stream = (uint64_t)rand() % 4;
    int kind = rand() % 10;
    op.kind = kind < 5 ? WI_OP_KERNEL : kind < 9 ? WI_OP_COPY : WI_OP_MEMSET;
    op.direction = rand() % 2 ? WI_COPY_H2D : WI_COPY_D2D;
    if (op.kind == WI_OP_KERNEL && rand() % 4 == 0)
        op.flags = WI_OP_COLLECTIVE;
    /* 10 SMs, 2048 threads and 32 blocks each: 1024-thread blocks fit twice, so 20 fill one wave.
     * One block is 0.05 waves (thin; two are 0.1, three 0.15), 40 blocks are 2 waves. */
    op.block[0] = 1024;
    op.block[1] = op.block[2] = op.grid[1] = op.grid[2] = 1;
    op.grid[0] = 40;
    return op;
}

static void check(const struct bench *b, const struct wi_device_result *device,
                  const struct expected *e)
{
    (void)b;
    const struct wi_timeline *line = &device->timeline;
    assert_int_equal(line->start_ns, e->first);
    assert_int_equal(line->end_ns, e->last);
    assert_int_equal(line->kernel_ns, e->kernel);
    assert_int_equal(line->copy_ns, e->copy);
    assert_int_equal(line->memset_ns, e->memset);
    assert_int_equal(line->exposed_ns, e->exposed);
    assert_int_equal(line->idle_ns, e->idle);
    assert_int_equal(line->gaps, e->gaps);
    assert_int_equal(line->longest_gap_ns, e->longest);
    assert_int_equal(device->class_ns[WI_CLASS_COMPUTE], e->compute);
    assert_int_equal(device->subcause_ns[WI_SUB_UNDER_FILLED], e->underfilled);
    assert_int_equal(device->class_ns[WI_CLASS_COMMUNICATION], e->communication);
    assert_int_equal(device->class_ns[WI_CLASS_TRANSFER], e->transfer);
    assert_int_equal(device->class_ns[WI_CLASS_UNKNOWN], e->idle); /* no calls: untraced */
}

static void one_random_line(unsigned seed)
{
    static struct cell cells[CELLS];
    struct bench b;
    srand(seed);
    memset(cells, 0, sizeof(cells));
    bench_open(&b, (int)(seed % 2), 1);
    struct wi_event event = {.kind = WI_EVENT_DEVICE};
    event.u.device = (struct wi_device_info){
        .device = 0, .sms = 10, .threads_per_sm = 2048, .blocks_per_sm = 32};
    wi_engine_push(b.engine, &event);
    int count = 1 + rand() % 30, thin = rand() % 2;
    int64_t first = CELLS, last = 0;
    for (int i = 0; i < count; i++) {
        struct wi_device_op op = random_op(&b);
        if (thin && op.kind == WI_OP_KERNEL && count < 3)
            op.grid[0] = 1; /* at most two at once: 0.1 waves together */
        paint(cells, &op, op.grid[0] / 20.0);
        first = op.start_ns < first ? op.start_ns : first;
        last = op.end_ns > last ? op.end_ns : last;
        wi_engine_op(b.engine, &op);
    }
    finish(&b);
    struct expected e = count_cells(cells, first, last);
    check(&b, device_of(&b, 0), &e);
    assert_exact(device_of(&b, 0));
    bench_close(&b);
}

static void test_random_lines(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= 2000; seed++)
        one_random_line(seed);
}

/* Joint waves: three kernels of 0.05 waves reach 0.15 together and fill the device, two do not. */
static void test_joint_waves(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 1, 1);
    struct wi_event event = {.kind = WI_EVENT_DEVICE};
    event.u.device = (struct wi_device_info){
        .device = 0, .sms = 10, .threads_per_sm = 2048, .blocks_per_sm = 32};
    wi_engine_push(b.engine, &event);
    for (int i = 0; i < 3; i++) {
        struct wi_device_op op = make_op(&b, WI_OP_KERNEL, i * 10, 100);
        op.grid[0] = op.grid[1] = op.grid[2] = op.block[1] = op.block[2] = 1;
        op.block[0] = 1024;
        op.stream = (uint64_t)i;
        wi_engine_op(b.engine, &op);
    }
    finish(&b);
    assert_int_equal(us_of(&b, WI_SUB_UNDER_FILLED), 20);
    assert_int_equal(us_of(&b, WI_SUB_COMPUTE), 80);
    bench_close(&b);
}

/* Blocks per SM by the tightest of threads, blocks, registers and shared memory. */
static void test_waves_by_hand(void **state)
{
    (void)state;
    struct wi_device_info info = {.sms = 10,
                                  .threads_per_sm = 2048,
                                  .blocks_per_sm = 32,
                                  .registers_per_sm = 65536,
                                  .shared_bytes_per_sm = 100 << 10};
    struct wi_device_op op = {.grid = {80, 1, 1}, .block = {256, 1, 1}};

    assert_true(wi_device_waves(&info, &op) == 1.0); /* threads: 8 an SM */
    op.registers = 128;                              /* 128 x 256 = 32768: 2 an SM */
    assert_true(wi_device_waves(&info, &op) == 4.0);
    op.registers = 0;
    op.shared_bytes = 100 << 10; /* 1 an SM */
    assert_true(wi_device_waves(&info, &op) == 8.0);
    op.shared_bytes = 0;
    op.block[0] = 32; /* threads allow 64, blocks 32 */
    assert_true(wi_device_waves(&info, &op) == 0.25);
    op.grid[0] = 0;
    assert_true(wi_device_waves(&info, &op) < 0);
}

/* One kernel with grid and block on a device of known size, two without a grid, one of a collective
 * (never compute): 2. On a device of unknown size: all but the collective, 3. */
static void test_unknown_fill(void **state)
{
    (void)state;
    for (uint32_t sms = 0; sms <= 100; sms += 100) {
        struct bench b;
        bench_open(&b, 1, 1);
        struct wi_event device = {.kind = WI_EVENT_DEVICE,
                                  .u.device = {.device = 0, .sms = sms, .threads_per_sm = 2048}};
        wi_engine_push(b.engine, &device);
        for (int i = 0; i < 4; i++) {
            struct wi_device_op op = make_op(&b, WI_OP_KERNEL, i * 10, i * 10 + 5);
            op.grid[0] = op.grid[1] = op.grid[2] = i == 0;
            op.block[0] = op.block[1] = op.block[2] = 8;
            op.flags = i == 3 ? WI_OP_COLLECTIVE : 0;
            wi_engine_op(b.engine, &op);
        }
        finish(&b);
        assert_int_equal(b.result.coverage.unknown_fill, sms ? 2 : 3);
        bench_close(&b);
    }
}

/* A kernel is a finding only with 5 % of the window and 10 us a run. */
static void test_underfilled_finding(void **state)
{
    (void)state;
    for (int us = 8; us <= 20; us += 12) {
        struct bench b;
        bench_open(&b, 1, 1);
        struct wi_event event = {.kind = WI_EVENT_DEVICE};
        event.u.device = (struct wi_device_info){.device = 0, .sms = 100, .threads_per_sm = 2048};
        wi_engine_push(b.engine, &event);
        for (int i = 0; i < 50; i++) {
            struct wi_device_op op = make_op(&b, WI_OP_KERNEL, i * us, (i + 1) * us);
            op.grid[0] = op.grid[1] = op.grid[2] = op.block[1] = op.block[2] = 1;
            op.block[0] = 256;
            wi_engine_op(b.engine, &op);
        }
        finish(&b);
        assert_int_equal(us_of(&b, WI_SUB_UNDER_FILLED), 50 * us);
        const struct wi_finding *finding = finding_of(&b, WI_SUB_UNDER_FILLED);
        assert_int_equal(finding != NULL, us >= 10);
        if (finding)
            assert_string_equal(wi_names_text(b.names, finding->kernel), "kernel");
        bench_close(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_lines),        cmocka_unit_test(test_joint_waves),
        cmocka_unit_test(test_waves_by_hand),       cmocka_unit_test(test_unknown_fill),
        cmocka_unit_test(test_underfilled_finding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
