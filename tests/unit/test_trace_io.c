/* The binary trace: what is written is read back, damage and newer records are told apart.
 * Threads: one. May not: derive expected bytes from the writer (they follow docs/trace-format.md).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <string.h>

#include "base/err.h"
#include "model/trace_io.h"

struct fixture {
    char bytes[8192];
    size_t len;
    struct wi_out out;
    struct wi_names *names, *read_names;
    struct wi_trace_writer writer;
    struct wi_trace_reader reader;
};

static int set_up(void **state)
{
    static struct fixture fixture;
    memset(&fixture, 0, sizeof(fixture));
    fixture.names = wi_names_create(1 << 20);
    fixture.read_names = wi_names_create(1 << 20);
    wi_out_mem(&fixture.out, fixture.bytes, sizeof(fixture.bytes));
    wi_trace_begin(&fixture.writer, &fixture.out, fixture.names);
    wi_trace_reader_init(&fixture.reader, fixture.read_names);
    *state = &fixture;
    return !fixture.names || !fixture.read_names;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    wi_trace_reader_free(&fixture->reader);
    wi_names_free(fixture->names);
    wi_names_free(fixture->read_names);
    return 0;
}

/* Writes one event and reads it back through every record before it. */
static struct wi_event round_trip(struct fixture *fixture, const struct wi_event *event)
{
    wi_trace_write(&fixture->writer, event);
    assert_int_equal(wi_out_finish(&fixture->out), 0);
    struct wi_event back;
    int have = 0;
    size_t at = fixture->len;
    while (at < fixture->out.len) {
        long used = wi_trace_read(&fixture->reader, (unsigned char *)fixture->bytes + at,
                                  fixture->out.len - at, &back, &have);
        assert_true(used > 0);
        at += (size_t)used;
    }
    fixture->len = at;
    assert_int_equal(have, 1);
    assert_int_equal(back.kind, event->kind);
    return back;
}

/* Every member different and with high bytes set, so that a swapped or cut field shows. */
static void keeps_calls(void **state)
{
    struct fixture *f = *state;
    struct wi_event event = {.kind = WI_EVENT_CALL};
    event.u.call = (struct wi_host_call){.enter_ns = 1700000000123456789,
                                         .exit_ns = 1700000000123456999,
                                         .run_ns = WI_UNKNOWN,
                                         .runnable_ns = 77,
                                         .held_ns = 1ll << 40,
                                         .corr = 0xfedcba9876543210u,
                                         .stream = 0x7f0000001234u,
                                         .target = 0x7f0000005678u,
                                         .bytes = 1ull << 40,
                                         .thread = 4194303,
                                         .api = wi_names_str(f->names, "cudaMemcpyAsync"),
                                         .site = wi_names_str(f->names, "train.py:58"),
                                         .repeat = 0x80000001u,
                                         .device = WI_NO_DEVICE,
                                         .api_class = WI_API_COPY,
                                         .flags = WI_CALL_BLOCKING | WI_CALL_OWES,
                                         .direction = WI_COPY_H2D,
                                         .src_mem = WI_MEM_PAGEABLE,
                                         .dst_mem = WI_MEM_DEVICE};
    wi_names_str(f->read_names, "takes an id"); /* the ids of the two tables differ */
    struct wi_host_call call = round_trip(f, &event).u.call;
    assert_string_equal(wi_names_text(f->read_names, call.api), "cudaMemcpyAsync");
    assert_string_equal(wi_names_text(f->read_names, call.site), "train.py:58");
    assert_int_not_equal(call.api, event.u.call.api);
    call.api = event.u.call.api;
    call.site = event.u.call.site;
    assert_memory_equal(&call, &event.u.call, offsetof(struct wi_host_call, dst_mem) + 1);
}

static void keeps_ops(void **state)
{
    struct fixture *f = *state;
    struct wi_event event = {.kind = WI_EVENT_OP};
    event.u.op = (struct wi_device_op){.start_ns = 1700000000123456789,
                                       .end_ns = 1700000000999999999,
                                       .corr = 0xfedcba9876543210u,
                                       .stream = 7,
                                       .bytes = 1ull << 33,
                                       .grid = {2147483647u, 2, 3},
                                       .block = {1024, 5, 6},
                                       .registers = 255,
                                       .shared_bytes = 232448,
                                       .name = wi_names_str(f->names, "void k<int>(int*)"),
                                       .device = 15,
                                       .kind = WI_OP_KERNEL,
                                       .flags = WI_OP_COLLECTIVE | WI_OP_GRAPH_NODE,
                                       .direction = WI_COPY_P2P,
                                       .src_mem = WI_MEM_PINNED,
                                       .dst_mem = WI_MEM_MANAGED};
    struct wi_device_op op = round_trip(f, &event).u.op;
    assert_string_equal(wi_names_text(f->read_names, op.name), "void k<int>(int*)");
    op.name = event.u.op.name;
    assert_memory_equal(&op, &event.u.op, offsetof(struct wi_device_op, dst_mem) + 1);
}

static void keeps_devices_and_spans(void **state)
{
    struct fixture *f = *state;
    struct wi_event event = {.kind = WI_EVENT_DEVICE};
    event.u.device =
        (struct wi_device_info){.device = 3,
                                .name = wi_names_str(f->names, "GPU"),
                                .sms = 132,
                                .threads_per_sm = 2048,
                                .blocks_per_sm = 32,
                                .registers_per_sm = 65536,
                                .shared_bytes_per_sm = 233472,
                                .memory_bytes = 150754820096,
                                .uuid = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 255}};
    struct wi_device_info device = round_trip(f, &event).u.device;
    assert_string_equal(wi_names_text(f->read_names, device.name), "GPU");
    device.name = event.u.device.name;
    assert_memory_equal(&device, &event.u.device, sizeof(device));

    struct wi_event span = {.kind = WI_EVENT_SPAN};
    span.u.span = (struct wi_host_span){.start_ns = -5,
                                        .end_ns = 1ll << 60,
                                        .thread = 99,
                                        .name = wi_names_str(f->names, "next(loader)"),
                                        .kind = WI_SPAN_INPUT_WAIT,
                                        .site = wi_names_str(f->names, "train.py:58 in main")};
    struct wi_host_span back = round_trip(f, &span).u.span;
    assert_int_equal(back.start_ns, -5);
    assert_int_equal(back.end_ns, 1ll << 60);
    assert_int_equal(back.thread, 99);
    assert_int_equal(back.kind, WI_SPAN_INPUT_WAIT);
    assert_string_equal(wi_names_text(f->read_names, back.name), "next(loader)");
    assert_string_equal(wi_names_text(f->read_names, back.site), "train.py:58 in main");
}

static void keeps_samples_losses_and_advances(void **state)
{
    struct fixture *f = *state;
    struct wi_event event = {.kind = WI_EVENT_SAMPLE};
    int64_t *figure = &event.u.sample.at_ns;
    for (int i = 0; figure + i <= &event.u.sample.link_width; i++)
        figure[i] = i == 4 ? WI_UNKNOWN : i + 1;
    struct wi_event back = round_trip(f, &event);
    assert_memory_equal(&back.u.sample, &event.u.sample, sizeof(event.u.sample));

    struct wi_event loss = {.kind = WI_EVENT_LOSS};
    loss.u.loss = (struct wi_loss){.start_ns = WI_UNKNOWN,
                                   .end_ns = WI_UNKNOWN,
                                   .count = 1ull << 50,
                                   .reason = wi_names_str(f->names, "the buffer was full"),
                                   .kind = WI_LOSS_LATE};
    back = round_trip(f, &loss);
    assert_int_equal(back.u.loss.start_ns, WI_UNKNOWN);
    assert_int_equal(back.u.loss.count, 1ull << 50);
    assert_int_equal(back.u.loss.kind, WI_LOSS_LATE);
    assert_string_equal(wi_names_text(f->read_names, back.u.loss.reason), "the buffer was full");

    struct wi_event advance = {.kind = WI_EVENT_ADVANCE, .u.at_ns = 123456789012345};
    assert_int_equal(round_trip(f, &advance).u.at_ns, 123456789012345);
}

/* The documented bytes, written out by hand. */
static void follows_the_documented_layout(void **state)
{
    struct fixture *f = *state;
    struct wi_event event = {.kind = WI_EVENT_SPAN};
    uint32_t id = wi_names_str(f->names, "ab");
    event.u.span = (struct wi_host_span){
        .start_ns = 258, .end_ns = -1, .thread = 3, .name = id, .kind = WI_SPAN_CPU_OP, .site = id};
    wi_trace_write(&f->writer, &event);
    const unsigned char span[] = {4,
                                  0,
                                  0,
                                  0,
                                  29,
                                  0,
                                  0,
                                  0,
                                  2,
                                  1,
                                  0,
                                  0,
                                  0,
                                  0,
                                  0,
                                  0,
                                  255,
                                  255,
                                  255,
                                  255,
                                  255,
                                  255,
                                  255,
                                  255,
                                  3,
                                  0,
                                  0,
                                  0,
                                  (unsigned char)id,
                                  0,
                                  0,
                                  0,
                                  2,
                                  (unsigned char)id,
                                  0,
                                  0,
                                  0};
    const unsigned char name[] = {0, 0, 0, 0, 6, 0, 0, 0, (unsigned char)id, 0, 0, 0, 'a', 'b'};
    size_t end = f->out.len;
    assert_memory_equal(f->bytes, "WITRACE1", 8);
    assert_memory_equal(f->bytes + end - sizeof(span), span, sizeof(span));
    assert_memory_equal(f->bytes + end - sizeof(span) - sizeof(name), name, sizeof(name));
}

static long read_one(struct fixture *f, const void *data, size_t len, int *have)
{
    struct wi_event event;
    return wi_trace_read(&f->reader, data, len, &event, have);
}

static void asks_for_more_when_cut(void **state)
{
    struct fixture *f = *state;
    struct wi_event event = {.kind = WI_EVENT_ADVANCE, .u.at_ns = 5};
    wi_trace_write(&f->writer, &event);
    int have = 1;
    for (size_t len = 0; len < 8; len++)
        assert_int_equal(read_one(f, f->bytes, len, &have), 0);
    assert_int_equal(read_one(f, f->bytes, 8, &have), 8);
    size_t record = f->out.len - 16;
    for (size_t len = 0; len < 16; len++)
        assert_int_equal(read_one(f, f->bytes + record, len, &have), 0);
    assert_int_equal(have, 0);
    assert_int_equal(read_one(f, f->bytes + record, 16, &have), 16);
    assert_int_equal(have, 1);
}

static void skips_unknown_kinds_and_longer_payloads(void **state)
{
    struct fixture *f = *state;
    const unsigned char newer[] = {99, 0, 0, 0, 3, 0, 0, 0, 1, 2, 3};
    const unsigned char longer[] = {7, 0, 0, 0, 10, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 42, 42};
    int have = 1;
    assert_int_equal(read_one(f, WI_TRACE_MAGIC, 8, &have), 8);
    assert_int_equal(read_one(f, newer, sizeof(newer), &have), 11);
    assert_int_equal(have, 0);
    struct wi_event event;
    assert_int_equal(wi_trace_read(&f->reader, longer, sizeof(longer), &event, &have), 18);
    assert_int_equal(have, 1);
    assert_int_equal(event.u.at_ns, 9);
}

/* A call as it was first written: eight figures of 8 bytes, five of 4 and five of 1. What was
 * added later is not known, not 0. */
static void reads_calls_of_older_traces(void **state)
{
    struct fixture *f = *state;
    unsigned char record[8 + 89] = {1, 0, 0, 0, 89};
    record[8] = 5;  /* enter_ns */
    record[16] = 9; /* exit_ns */
    struct wi_event event;
    int have = 0;
    assert_int_equal(read_one(f, WI_TRACE_MAGIC, 8, &have), 8);
    assert_int_equal(wi_trace_read(&f->reader, record, sizeof(record), &event, &have), 8 + 89);
    assert_int_equal(have, 1);
    assert_int_equal(event.u.call.exit_ns, 9);
    assert_int_equal(event.u.call.held_ns, WI_UNKNOWN);
    record[4] = 88; /* but a field of the first version that is missing is damage */
    assert_int_equal(wi_trace_read(&f->reader, record, sizeof(record), &event, &have),
                     WI_ERR_FORMAT);
    record[4] = 89 + 2; /* and so is half a field */
    unsigned char half[8 + 89 + 2];
    memcpy(half, record, sizeof(record));
    assert_int_equal(wi_trace_read(&f->reader, half, sizeof(half), &event, &have), WI_ERR_FORMAT);
}

/* Records as the first version wrote them: every field that came later is not known. */
static void reads_every_record_of_the_first_version(void **state)
{
    struct fixture *f = *state;
    unsigned char sample[8 + 72] = {5, 0, 0, 0, 72}, span[8 + 25] = {4, 0, 0, 0, 25};
    unsigned char job[8 + 13 * 8 + 5 * 2 + 1] = {8, 0, 0, 0, 13 * 8 + 5 * 2};
    struct wi_event event;
    int have = 0;
    assert_int_equal(read_one(f, WI_TRACE_MAGIC, 8, &have), 8);
    sample[8] = 7;             /* at_ns */
    sample[8 + 6 * 8 + 1] = 1; /* cores_idle_permille */
    assert_int_equal(wi_trace_read(&f->reader, sample, sizeof(sample), &event, &have), 80);
    assert_int_equal(have, 1);
    assert_int_equal(event.u.sample.cores_idle_permille, 256);
    assert_int_equal(event.u.sample.throttled_ns, 0);
    assert_int_equal(event.u.sample.child_starts, WI_UNKNOWN);
    assert_int_equal(event.u.sample.others_permille, WI_UNKNOWN);
    assert_int_equal(event.u.sample.busiest_name, WI_NO_NAME);
    sample[4] = 71;
    assert_int_equal(wi_trace_read(&f->reader, sample, sizeof(sample), &event, &have),
                     WI_ERR_FORMAT);
    assert_int_equal(wi_trace_read(&f->reader, span, sizeof(span), &event, &have), 33);
    assert_int_equal(event.u.span.site, WI_NO_NAME);
    job[8] = 42; /* pid */
    assert_int_equal(wi_trace_read(&f->reader, job, sizeof(job) - 1, &event, &have),
                     sizeof(job) - 1);
    assert_int_equal(f->reader.have_job, 1);
    assert_int_equal(f->reader.job.pid, 42);
    assert_null(f->reader.job.stacks);
    job[4]++; /* half a length is damage */
    assert_int_equal(wi_trace_read(&f->reader, job, sizeof(job), &event, &have), WI_ERR_FORMAT);
}

static void refuses_damage(void **state)
{
    struct fixture *f = *state;
    const unsigned char huge[] = {7, 0, 0, 0, 255, 255, 255, 127, 0};
    const unsigned char brief[] = {7, 0, 0, 0, 4, 0, 0, 0, 9, 0, 0, 0};
    const unsigned char wild_id[] = {0, 0, 0, 0, 5, 0, 0, 0, 255, 255, 255, 255, 'x'};
    const unsigned char no_id[] = {0, 0, 0, 0, 2, 0, 0, 0, 1, 0};
    const unsigned char far[] = {7, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x7f};
    const unsigned char no_time[] = {7, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80};
    int have = 1;
    assert_int_equal(read_one(f, "GARBAGE1", 8, &have), WI_ERR_FORMAT);
    assert_int_equal(read_one(f, "WX", 2, &have), WI_ERR_FORMAT);
    assert_int_equal(read_one(f, WI_TRACE_MAGIC, 8, &have), 8);
    assert_int_equal(read_one(f, huge, sizeof(huge), &have), WI_ERR_RANGE);
    assert_int_equal(read_one(f, brief, sizeof(brief), &have), WI_ERR_FORMAT);
    assert_int_equal(read_one(f, wild_id, sizeof(wild_id), &have), WI_ERR_RANGE);
    assert_int_equal(read_one(f, no_id, sizeof(no_id), &have), WI_ERR_FORMAT);
    assert_int_equal(read_one(f, far, sizeof(far), &have), WI_ERR_RANGE);
    assert_int_equal(read_one(f, no_time, sizeof(no_time), &have), WI_ERR_RANGE);
    assert_int_equal(have, 0);
}

/* A newer writer's class must not index beyond a table here; an id without a name is no name. */
static void settles_values_it_does_not_know(void **state)
{
    struct fixture *f = *state;
    struct wi_event event = {.kind = WI_EVENT_CALL};
    event.u.call = (struct wi_host_call){.run_ns = INT64_MAX,
                                         .runnable_ns = -5,
                                         .held_ns = -1,
                                         .api_class = 200,
                                         .direction = 201,
                                         .src_mem = 202,
                                         .dst_mem = 203,
                                         .api = 4000000,
                                         .site = 77};
    struct wi_host_call call = round_trip(f, &event).u.call;
    assert_int_equal(call.run_ns, WI_UNKNOWN);
    assert_int_equal(call.runnable_ns, WI_UNKNOWN);
    assert_int_equal(call.held_ns, WI_UNKNOWN);
    assert_int_equal(call.api_class, WI_API_OTHER);
    assert_int_equal(call.direction, WI_COPY_UNKNOWN);
    assert_int_equal(call.src_mem, WI_MEM_UNKNOWN);
    assert_int_equal(call.dst_mem, WI_MEM_UNKNOWN);
    assert_int_equal(call.api, WI_NO_NAME);
    assert_int_equal(call.site, WI_NO_NAME);

    struct wi_event span = {.kind = WI_EVENT_SPAN, .u.span = {.kind = 250}};
    size_t at = f->out.len;
    int have = 1;
    wi_trace_write(&f->writer, &span);
    assert_int_equal(read_one(f, f->bytes + at, f->out.len - at, &have), 37);
    assert_int_equal(have, 0);
}

/* More bytes than any machine has are not known; their sums must not overflow. */
static void settles_bytes(void **state)
{
    struct fixture *f = *state;
    const uint64_t most = UINT64_C(1) << 46, given[] = {1, most, most + 1, 1ull << 63, UINT64_MAX};
    for (size_t i = 0; i < sizeof(given) / sizeof(*given); i++) {
        struct wi_event call = {.kind = WI_EVENT_CALL, .u.call.bytes = given[i]};
        struct wi_event op = {.kind = WI_EVENT_OP, .u.op.bytes = given[i]};
        struct wi_event device = {.kind = WI_EVENT_DEVICE, .u.device.memory_bytes = given[i]};
        uint64_t wanted = given[i] > most ? 0 : given[i];
        assert_int_equal(round_trip(f, &call).u.call.bytes, wanted);
        assert_int_equal(round_trip(f, &op).u.op.bytes, wanted);
        assert_int_equal(round_trip(f, &device).u.device.memory_bytes, wanted);
    }
}

/* Counts and permilles are multiplied: what no machine has is not known. Times and bytes are
 * larger. */
static void settles_counts(void **state)
{
    struct fixture *f = *state;
    const int64_t most = INT64_C(1) << 30;
    struct wi_event look = {.kind = WI_EVENT_SAMPLE};
    wi_host_sample_clear(&look.u.sample);
    look.u.sample.at_ns = 1;
    look.u.sample.interval_ns = look.u.sample.read_bytes = most + 1;
    look.u.sample.busiest_permille = look.u.sample.children = most + 1;
    look.u.sample.threads_busy = look.u.sample.runnable = most;
    struct wi_host_sample back = round_trip(f, &look).u.sample;
    assert_true(back.interval_ns == most + 1 && back.read_bytes == most + 1);
    assert_true(back.busiest_permille == WI_UNKNOWN && back.children == WI_UNKNOWN);
    assert_true(back.threads_busy == most && back.runnable == most);
}

/* Takes the record that was written from `at` on. */
static void take_record(struct fixture *f, size_t at)
{
    int have = 1;
    long len = (long)(f->out.len - at);
    assert_int_equal(read_one(f, f->bytes + at, (size_t)len, &have), len);
    assert_int_equal(have, 0);
}

static void keeps_the_job(void **state)
{
    struct fixture *f = *state;
    struct wi_job job = {.program = "train.py",
                         .command = "train.py --lr 1",
                         .pid = 4242,
                         .rank = 3,
                         .world = WI_UNKNOWN,
                         .start_ns = 1700000000123456789,
                         .end_ns = 1700000000999999999,
                         .end = WI_JOB_SIGNALED,
                         .status = -1000,
                         .level = 'C',
                         .level_reason = "another profiler is attached",
                         .stacks = "Python 3.11, libgcc",
                         .virtual_gpu = 1,
                         .helper_cpu_ns = WI_UNKNOWN,
                         .memory_bytes = 1 << 20,
                         .looks_apart = 4,
                         .looks_halvings = 3,
                         .looks_spared_ns = 12000000000};
    int have = 1;
    assert_int_equal(read_one(f, f->bytes, 8, &have), 8);
    size_t at = f->out.len;
    wi_trace_write_job(&f->writer, &job);
    take_record(f, at);
    const struct wi_job *back = &f->reader.job;
    assert_true(f->reader.have_job);
    assert_string_equal(back->program, "train.py");
    assert_string_equal(back->command, "train.py --lr 1");
    assert_string_equal(back->level_reason, "another profiler is attached");
    assert_null(back->host);
    assert_null(back->cuda);
    assert_string_equal(back->stacks, "Python 3.11, libgcc");
    assert_int_equal(back->pid, 4242);
    assert_int_equal(back->rank, 3);
    assert_true(back->world == WI_UNKNOWN && back->helper_cpu_ns == WI_UNKNOWN);
    assert_true(back->start_ns == job.start_ns && back->end_ns == job.end_ns);
    assert_int_equal(back->end, WI_JOB_SIGNALED);
    assert_int_equal(back->status, -1000);
    assert_int_equal(back->level, 'C');
    assert_int_equal(back->virtual_gpu, 1);
    assert_int_equal(back->memory_bytes, 1 << 20);
    assert_int_equal(back->flush_ns, 0);
    assert_int_equal(back->looks_apart, 4);
    assert_int_equal(back->looks_halvings, 3);
    assert_true(back->looks_spared_ns == 12000000000);
    f->bytes[at + 4] -= 24; /* as it was written before these were added */
    assert_int_equal(read_one(f, f->bytes + at, f->out.len - at - 24, &have), f->out.len - at - 24);
    assert_string_equal(back->stacks, "Python 3.11, libgcc");
    assert_int_equal(back->looks_apart, 0);
}

static void settles_a_strange_job(void **state)
{
    struct fixture *f = *state;
    struct wi_job job = {.pid = -4,
                         .rank = -1,
                         .world = -2,
                         .end = 77,
                         .level = 'x',
                         .looks_apart = -1,
                         .looks_halvings = INT64_MIN,
                         .looks_spared_ns = INT64_MAX};
    int have = 1;
    assert_int_equal(read_one(f, f->bytes, 8, &have), 8);
    size_t at = f->out.len;
    wi_trace_write_job(&f->writer, &job);
    assert_int_equal(f->out.len - at, 8 + 13 * 8 + 6 * 2 + 3 * 8);
    assert_int_equal(read_one(f, f->bytes + at, f->out.len - at - 1, &have), 0);
    take_record(f, at);
    assert_int_equal(f->reader.job.pid, 0);
    assert_true(f->reader.job.rank == WI_UNKNOWN && f->reader.job.world == WI_UNKNOWN);
    assert_int_equal(f->reader.job.end, WI_JOB_IMPORTED);
    assert_int_equal(f->reader.job.level, 'I');
    assert_int_equal(f->reader.job.looks_apart, 0);
    assert_int_equal(f->reader.job.looks_halvings, 0);
    assert_int_equal(f->reader.job.looks_spared_ns, 0);
    const unsigned char brief[] = {8, 0, 0, 0, 4, 0, 0, 0, 9, 0, 0, 0};
    assert_int_equal(read_one(f, brief, sizeof(brief), &have), WI_ERR_FORMAT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(keeps_calls, set_up, tear_down),
        cmocka_unit_test_setup_teardown(keeps_ops, set_up, tear_down),
        cmocka_unit_test_setup_teardown(keeps_devices_and_spans, set_up, tear_down),
        cmocka_unit_test_setup_teardown(keeps_samples_losses_and_advances, set_up, tear_down),
        cmocka_unit_test_setup_teardown(follows_the_documented_layout, set_up, tear_down),
        cmocka_unit_test_setup_teardown(asks_for_more_when_cut, set_up, tear_down),
        cmocka_unit_test_setup_teardown(skips_unknown_kinds_and_longer_payloads, set_up, tear_down),
        cmocka_unit_test_setup_teardown(reads_calls_of_older_traces, set_up, tear_down),
        cmocka_unit_test_setup_teardown(reads_every_record_of_the_first_version, set_up, tear_down),
        cmocka_unit_test_setup_teardown(refuses_damage, set_up, tear_down),
        cmocka_unit_test_setup_teardown(keeps_the_job, set_up, tear_down),
        cmocka_unit_test_setup_teardown(settles_a_strange_job, set_up, tear_down),
        cmocka_unit_test_setup_teardown(settles_values_it_does_not_know, set_up, tear_down),
        cmocka_unit_test_setup_teardown(settles_bytes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(settles_counts, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
