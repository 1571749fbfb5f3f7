/* Words for tests of predictions: work on streams, waits, and what a change brings. All times in
 * microseconds, of the test's own arithmetic.
 * Threads: the test's. */
#ifndef WI_TESTS_REPLAY_FIXTURE_H
#define WI_TESTS_REPLAY_FIXTURE_H

#include "analyze/change_text.h"
#include "analyze/predict.h"
#include "engine_fixture.h"

/* 10 SMs that hold 16 blocks of 128 threads each: 160 blocks fill it, fewer than 20 are too few. */
#define SMS 10

struct work {
    int64_t enter_us, exit_us, start_us, end_us;
    uint64_t stream;
    uint32_t blocks; /* of 128 threads, 0 = not known */
    int call_flags, op_flags;
};

static inline void gpu_of_ten_sms(struct bench *b)
{
    struct wi_event event = {.kind = WI_EVENT_DEVICE};
    event.u.device =
        (struct wi_device_info){.device = b->device, .sms = SMS, .threads_per_sm = 2048};
    wi_engine_push(b->engine, &event);
}

static inline struct wi_device_op op_of(struct bench *b, const struct work *work, int kind)
{
    struct wi_device_op op = make_op(b, kind, work->start_us, work->end_us);
    op.stream = work->stream;
    op.flags = (uint8_t)work->op_flags;
    if (work->blocks) {
        op.grid[0] = work->blocks;
        op.block[0] = 128;
        op.grid[1] = op.grid[2] = op.block[1] = op.block[2] = 1;
    }
    return op;
}

/* A launch with its kernel. */
static inline void kernel(struct bench *b, const struct work *work)
{
    struct wi_host_call call = make_call(b, WI_API_LAUNCH, work->enter_us, work->exit_us);
    call.corr = ++b->corr;
    call.stream = work->stream;
    call.flags = (uint8_t)(WI_CALL_OWES | work->call_flags);
    wi_engine_call(b->engine, &call);
    struct wi_device_op op = op_of(b, work, WI_OP_KERNEL);
    wi_engine_op(b->engine, &op);
}

struct moved {
    int64_t bytes;
    int direction, memory, blocking;
    int asleep; /* the thread slept in all of the silence before */
};

/* A copy call with its copy. */
static inline void transfer(struct bench *b, const struct work *work, const struct moved *moved)
{
    struct wi_host_call call = make_call(b, WI_API_COPY, work->enter_us, work->exit_us);
    call.corr = ++b->corr;
    call.stream = work->stream;
    call.flags = (uint8_t)(WI_CALL_OWES | (moved->blocking ? WI_CALL_BLOCKING : 0));
    call.bytes = (uint64_t)moved->bytes;
    call.direction = (uint8_t)moved->direction;
    if (moved->asleep)
        call.run_ns = call.runnable_ns = 0;
    wi_engine_call(b->engine, &call);
    struct wi_device_op op = op_of(b, work, WI_OP_COPY);
    op.bytes = (uint64_t)moved->bytes;
    op.direction = (uint8_t)moved->direction;
    op.src_mem = op.dst_mem = WI_MEM_DEVICE;
    *(moved->direction == WI_COPY_D2H ? &op.dst_mem : &op.src_mem) = (uint8_t)moved->memory;
    wi_engine_op(b->engine, &op);
}

/* A call on a stream without work of its own; target: an event, 0 = none. */
static inline void call_on(struct bench *b, int api_class, int64_t enter_us, int64_t exit_us,
                           uint64_t stream, uint64_t target)
{
    struct wi_host_call call = make_call(b, api_class, enter_us, exit_us);
    call.stream = stream;
    call.target = target;
    call.flags = api_class == WI_API_SYNC ? WI_CALL_BLOCKING : 0;
    wi_engine_call(b->engine, &call);
}

/* Looks at the machine from `from_us` on, one a second: two loader processes that compute. */
static inline void busy_loaders(struct bench *b, int64_t until_us)
{
    struct wi_event event = {.kind = WI_EVENT_SAMPLE};
    for (int64_t at = 0; at <= until_us; at += 1000000) {
        wi_host_sample_clear(&event.u.sample);
        event.u.sample.at_ns = at * US;
        event.u.sample.interval_ns = 1000 * (int64_t)MS;
        event.u.sample.children = 2;
        event.u.sample.child_cpu_permille = 980;
        wi_engine_push(b->engine, &event);
    }
}

static inline struct wi_prediction ask(struct bench *b, const char *text)
{
    struct wi_change change;
    struct wi_prediction out;
    struct wi_change_problem problem;
    assert_int_equal(wi_change_parse(&change, text, &problem), 0);
    assert_int_equal(wi_predict_change(b->engine, &b->arena, &change, &out), 0);
    return out;
}

static inline void assert_near(const char *what, const char *text, int64_t ns, double us,
                               double within_us)
{
    double off = (double)ns / US - us;
    if (off > within_us || off < -within_us)
        fail_msg("%s: %s is %.3f us, by hand %.3f us", text, what, (double)ns / US, us);
}

/* What a change brings; within_us: what the medians of a histogram may be off in all. */
static inline void brings_within(struct bench *b, const char *text, double before_us,
                                 double after_us, double within_us)
{
    struct wi_prediction got = ask(b, text);
    if (got.withheld)
        fail_msg("%s: withheld, %s", text, got.withheld);
    assert_near("before", text, got.before_ns, before_us, 1);
    assert_near("after", text, got.after_ns, after_us, within_us);
    assert_true(got.low <= got.speedup && got.speedup <= got.high);
}

static inline void brings(struct bench *b, const char *text, double before_us, double after_us)
{
    brings_within(b, text, before_us, after_us, 1);
}

#endif
