/* Random streams of events, plausible and not, into the engine: whatever comes in whatever order,
 * every nanosecond of every window is in one class, none is negative, the memory stays within its
 * budget, asking for a report changes nothing, and the same stream written as a trace and read back
 * gives the same report.
 * Threads: one. Built by scripts/fuzz.sh. */
#include <stdlib.h>
#include <string.h>

#include "analyze/engine.h"
#include "analyze/result.h"
#include "base/err.h"
#include "model/trace_io.h"
#include "report/report.h"

#define MOST_EVENTS  2000
#define ENGINE_BYTES ((size_t)56 << 20)
#define RESULT_BYTES ((size_t)16 << 20)

static const char *const WORDS[] = {"(none)",
                                    "cudaLaunchKernel",
                                    "cudaMemcpyAsync",
                                    "gemm",
                                    "ncclDevKernel_All",
                                    "train.py:58",
                                    "decode",
                                    "cudaStreamSynchronize",
                                    "void relu<float>(float*)",
                                    "a\x1b[2J",
                                    "\xff\xfe",
                                    "cudaGraphLaunch"};
#define WORD_COUNT (sizeof(WORDS) / sizeof(WORDS[0]))

static struct wi_event events[MOST_EVENTS];
static uint32_t ids[WORD_COUNT]; /* of the words, the same in each table */
static char trace[2 << 20], text[2][4 << 20];

static void require(int truth)
{
    if (!truth)
        abort();
}

/* The bytes of the input; zeros behind its end. */
static struct {
    const unsigned char *at, *end;
    int64_t now_ns;
} input;

static unsigned byte(void)
{
    return input.at < input.end ? *input.at++ : 0;
}

static uint32_t word(void)
{
    return ids[byte() % WORD_COUNT];
}

/* Mostly some microseconds, at times nothing, years, or no number at all. */
static int64_t span_ns(void)
{
    static const int64_t ODD[] = {
        0, 1, -1, INT64_MAX, INT64_MIN, INT64_MIN + 1, INT64_C(1) << 62, -(INT64_C(1) << 40)};
    unsigned b = byte();
    if (b >= 0xf8)
        return ODD[b & 7];
    return (int64_t)(1 + (b & 15)) << (b >> 4) * 2;
}

static int64_t near_ns(void)
{
    unsigned b = byte();
    int64_t away = (int64_t)(b & 127) << 10;
    return (int64_t)((uint64_t)input.now_ns + (uint64_t)(b & 128 ? -away : away));
}

static int64_t after_ns(int64_t from_ns)
{
    return (int64_t)((uint64_t)from_ns + (uint64_t)span_ns());
}

static void take_call(struct wi_host_call *c)
{
    unsigned what = byte(), more = byte();
    c->enter_ns = near_ns();
    c->exit_ns = after_ns(c->enter_ns);
    c->run_ns = more & 1 ? span_ns() : WI_UNKNOWN;
    c->runnable_ns = more & 2 ? span_ns() : WI_UNKNOWN;
    c->corr = byte();
    c->stream = more >> 2 & 3;
    c->target = more >> 4 & 1 ? byte() : 0;
    c->bytes = what & 64 ? (uint64_t)span_ns() : 0;
    c->thread = 1 + (more >> 5 & 3);
    c->api = word();
    c->site = word();
    c->repeat = more & 128 ? byte() : 0;
    c->device = (int32_t)(what >> 4 & 1) - (int32_t)(what >> 5 & 1);
    c->api_class = what % 16; /* some are outside of the table */
    c->flags = byte() & 15;
    c->direction = byte() % (WI_COPY_COUNT + 1);
    c->src_mem = c->dst_mem = (uint8_t)(what >> 4);
}

static void take_op(struct wi_device_op *op)
{
    unsigned what = byte(), more = byte();
    op->start_ns = near_ns();
    op->end_ns = after_ns(op->start_ns);
    op->corr = byte();
    op->stream = more & 3;
    op->bytes = what & 4 ? (uint64_t)span_ns() : 0;
    op->grid[0] = op->block[0] = more & 4 ? byte() : 0;
    op->grid[1] = op->grid[2] = op->block[1] = op->block[2] = 1;
    op->registers = what & 8 ? byte() : 0;
    op->shared_bytes = what & 16 ? byte() << 8 : 0;
    op->name = word();
    op->device = (int32_t)(more >> 3 & 3) - (int32_t)(more >> 5 & 1);
    op->kind = what & 3;
    op->flags = what >> 5;
    op->direction = byte() % (WI_COPY_COUNT + 1);
}

static void take_sample(struct wi_host_sample *sample)
{
    int64_t *figure = &sample->children;
    wi_host_sample_clear(sample);
    sample->at_ns = near_ns();
    sample->interval_ns = span_ns();
    for (unsigned left = byte() & 7; left; left--)
        figure[byte() % (&sample->link_width - figure + 1)] = span_ns();
}

static void take_rest(struct wi_event *event, unsigned kind)
{
    switch (kind) {
    case WI_EVENT_DEVICE:
        event->u.device = (struct wi_device_info){.device = (int32_t)(byte() & 3),
                                                  .name = word(),
                                                  .sms = byte(),
                                                  .threads_per_sm = byte() * 8,
                                                  .blocks_per_sm = byte() & 31};
        break;
    case WI_EVENT_SPAN:
        event->u.span.start_ns = near_ns();
        event->u.span.end_ns = after_ns(event->u.span.start_ns);
        event->u.span.thread = 1 + (byte() & 3);
        event->u.span.name = word();
        event->u.span.kind = (uint8_t)(byte() % (WI_SPAN_COUNT + 1));
        event->u.span.site = word();
        break;
    case WI_EVENT_LOSS:
        event->u.loss =
            (struct wi_loss){.kind = (uint8_t)(byte() % (WI_LOSS_COUNT + 1)), .count = byte()};
        event->u.loss.start_ns = byte() & 1 ? near_ns() : WI_UNKNOWN;
        event->u.loss.end_ns = after_ns(event->u.loss.start_ns);
        break;
    default:
        event->kind = WI_EVENT_ADVANCE;
        event->u.at_ns = near_ns();
    }
}

static int take_events(void)
{
    int count = 0;
    for (; count < MOST_EVENTS && input.at < input.end; count++) {
        struct wi_event *event = &events[count];
        unsigned b = byte();
        memset(event, 0, sizeof(*event));
        input.now_ns = after_ns(input.now_ns);
        event->kind = b % 12 < 4 ? WI_EVENT_CALL : b % 12 < 8 ? WI_EVENT_OP : b % 12 - 5;
        if (event->kind == WI_EVENT_CALL)
            take_call(&event->u.call);
        else if (event->kind == WI_EVENT_OP)
            take_op(&event->u.op);
        else if (event->kind == WI_EVENT_SAMPLE)
            take_sample(&event->u.sample);
        else
            take_rest(event, event->kind);
    }
    return count;
}

static void feed(struct wi_engine *engine, const struct wi_event *event)
{
    if (event->kind == WI_EVENT_ADVANCE)
        wi_engine_advance(engine, event->u.at_ns);
    else
        wi_engine_push(engine, event);
}

static void check_device(const struct wi_device_result *device)
{
    int64_t left_ns = device->window_end_ns - device->window_start_ns;
    int64_t of_subs_ns[WI_CLASS_COUNT] = {0};
    for (int s = 0; s < WI_SUB_COUNT; s++) {
        require(device->subcause_ns[s] >= 0);
        of_subs_ns[wi_subcause_class((enum wi_subcause)s)] += device->subcause_ns[s];
    }
    for (int k = 0; k < WI_CLASS_COUNT; k++) {
        require(device->class_ns[k] >= 0 && device->class_ns[k] == of_subs_ns[k]);
        left_ns -= device->class_ns[k];
    }
    require(left_ns == 0);
}

/* The report in `to`; its length, 0 if there was no memory for one. */
static size_t report(struct wi_engine *engine, const struct wi_names *names, char *to)
{
    struct wi_arena arena;
    struct wi_result result;
    struct wi_job job = {.rank = WI_UNKNOWN, .world = WI_UNKNOWN, .level = 'A'};
    struct wi_out out;
    wi_arena_init(&arena, RESULT_BYTES);
    wi_out_mem(&out, to, sizeof(text[0]));
    if (wi_engine_result(engine, &arena, &result) == 0) {
        struct wi_report report = {.job = &job, .result = &result, .names = names};
        struct wi_text_options options = {.width = 100, .verdict_line = 1, .hints = ""};
        require(result.engine_bytes <= ENGINE_BYTES);
        for (int i = 0; i < result.device_count; i++)
            if (result.devices[i].used)
                check_device(&result.devices[i]);
        wi_report_json(&out, &report);
        wi_report_text(&out, &report, &options);
    }
    require(wi_out_finish(&out) == 0);
    wi_arena_free(&arena);
    return out.len;
}

static struct wi_names *some_names(void)
{
    struct wi_names *names = wi_names_create(1 << 20);
    require(names != NULL);
    for (size_t i = 1; i < WORD_COUNT; i++) /* 0: no name */
        ids[i] = wi_names_str(names, WORDS[i]);
    return names;
}

static size_t write_trace(const struct wi_names *names, int count)
{
    struct wi_trace_writer writer;
    struct wi_out out;
    wi_out_mem(&out, trace, sizeof(trace));
    wi_trace_begin(&writer, &out, names);
    for (int i = 0; i < count; i++)
        wi_trace_write(&writer, &events[i]);
    require(wi_out_finish(&out) == 0);
    return out.len;
}

/* 0 if a value of the stream is one that the format refuses: then nothing can be compared. */
static int feed_trace(struct wi_engine *engine, struct wi_names *names, size_t len)
{
    struct wi_trace_reader reader;
    size_t at = 0;
    long used = 1;
    wi_trace_reader_init(&reader, names);
    while (at < len && used > 0) {
        struct wi_event event;
        int have = 0;
        used = wi_trace_read(&reader, (unsigned char *)trace + at, len - at, &event, &have);
        at += used > 0 ? (size_t)used : 0;
        if (used > 0 && have)
            feed(engine, &event);
    }
    wi_trace_reader_free(&reader);
    return at == len;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t len)
{
    input.at = data;
    input.end = data + len;
    input.now_ns = INT64_C(1700000000000000000);
    unsigned mode = byte();
    struct wi_names *names = some_names(), *again = some_names();
    struct wi_engine_config config = {.names = names,
                                      .ordered = mode & 1,
                                      .imported = mode >> 1 & 1,
                                      .host_only = mode >> 2 & 1,
                                      .budget_bytes = ENGINE_BYTES};
    struct wi_engine *engine = wi_engine_create(&config);
    config.names = again;
    struct wi_engine *other = wi_engine_create(&config);
    require(engine && other);
    int count = take_events(), every = 16 + (int)(mode >> 3) * 32;
    for (int i = 0; i < count; i++) {
        feed(engine, &events[i]);
        if (i % every == every - 1)
            report(engine, names, text[0]); /* a rolling report */
    }
    wi_engine_finish(engine);
    size_t length = report(engine, names, text[0]);
    if (feed_trace(other, again, write_trace(names, count))) {
        wi_engine_finish(other);
        require(report(other, again, text[1]) == length && !memcmp(text[0], text[1], length));
    }
    wi_engine_free(engine);
    wi_engine_free(other);
    wi_names_free(names);
    wi_names_free(again);
    return 0;
}
