/* From the simulation to events: calls, device operations, spans, samples, device facts.
 * Threads: one. Operations start later than their calls, so each rank holds them back in one queue
 * per stream until the host clock has passed their start. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "timeline_events.h"
#include "timeline_sim.h"
#include "timeline_watch.h"

#define MAX_STREAMS   16
#define MAX_LINES     1024
#define BASE_NS       1700000000000000000 /* times of day, as a live job has them */
#define FIRST_THREAD  1000u
#define SAMPLE_NS     1000000000
#define KNOWN_SILENCE 1000000 /* the collector measures silences above 1 ms only */
#define EDGE_CALL_NS  1000    /* the small calls at both ends */

struct op_queue {
    int first, count, cap;
    struct wi_device_op *ops;
};

struct rank_events {
    struct op_queue queue[MAX_STREAMS];
    uint64_t corr;
    int64_t silence_start, run_ns, runnable_ns; /* of the silence since the last call */
    int64_t next_sample_ns;
    struct tl_watch watch;
};

struct events {
    const struct tl_block *block;
    struct wi_names *names;
    tl_event_sink sink;
    void *sink_ctx;
    uint32_t kernel_name[MAX_LINES]; /* by line number */
    struct rank_events rank[TL_MAX_RANKS];
};

static void give(struct events *ev, int rank, const struct wi_event *event)
{
    ev->sink(ev->sink_ctx, rank, event);
}

static void hold_op(struct op_queue *queue, const struct wi_device_op *op)
{
    if (queue->first + queue->count == queue->cap) {
        if (queue->first > queue->cap / 2) {
            memmove(queue->ops, queue->ops + queue->first,
                    (size_t)queue->count * sizeof(*queue->ops));
            queue->first = 0;
        } else {
            queue->cap = queue->cap ? queue->cap * 2 : 256;
            queue->ops = realloc(queue->ops, (size_t)queue->cap * sizeof(*queue->ops));
            if (!queue->ops)
                abort();
        }
    }
    queue->ops[queue->first + queue->count++] = *op;
}

static void give_sample(struct events *ev, int rank, int64_t at, int64_t interval)
{
    struct wi_event event = {.kind = WI_EVENT_SAMPLE};

    tl_watch_sample(&ev->rank[rank].watch, at, interval, &event.u.sample);
    give(ev, rank, &event);
}

/* Everything that is held back and belongs before `at`. */
static void flush_before(struct events *ev, int rank, int64_t at)
{
    struct rank_events *re = &ev->rank[rank];

    for (;;) {
        struct op_queue *best = NULL;
        int64_t when = at;

        for (int s = 0; s < MAX_STREAMS; s++) {
            struct op_queue *queue = &re->queue[s];
            if (queue->count && queue->ops[queue->first].start_ns < when) {
                best = queue;
                when = queue->ops[queue->first].start_ns;
            }
        }
        if (re->next_sample_ns < when) {
            give_sample(ev, rank, re->next_sample_ns, SAMPLE_NS);
            re->next_sample_ns += SAMPLE_NS;
        } else if (best) {
            struct wi_event event = {.kind = WI_EVENT_OP, .u.op = best->ops[best->first]};

            best->first++;
            best->count--;
            give(ev, rank, &event);
        } else {
            return;
        }
    }
}

static void give_call(struct events *ev, int rank, struct wi_host_call *call)
{
    struct rank_events *re = &ev->rank[rank];
    struct wi_event event = {.kind = WI_EVENT_CALL};

    call->thread = FIRST_THREAD + (uint32_t)rank;
    call->run_ns = call->runnable_ns = WI_UNKNOWN;
    if (call->enter_ns - re->silence_start > KNOWN_SILENCE) {
        call->run_ns = re->run_ns;
        call->runnable_ns = re->runnable_ns;
    }
    re->run_ns = re->runnable_ns = 0;
    re->silence_start = call->exit_ns;
    flush_before(ev, rank, call->enter_ns);
    event.u.call = *call;
    give(ev, rank, &event);
}

static void fill_copy(struct wi_host_call *call, const struct tl_line *line)
{
    int to_device = line->op == TL_H2D;
    uint8_t host = line->pinned ? WI_MEM_PINNED : WI_MEM_PAGEABLE;

    call->api_class = WI_API_COPY;
    call->bytes = (uint64_t)line->bytes;
    call->target = line->same ? (uint64_t)line->number : 0;
    call->direction = to_device ? WI_COPY_H2D : WI_COPY_D2H;
    call->src_mem = to_device ? host : WI_MEM_DEVICE;
    call->dst_mem = to_device ? WI_MEM_DEVICE : host;
}

static const char *api_of(const struct tl_line *line)
{
    switch (line->op) {
    case TL_H2D:
    case TL_D2H:
        return line->sync && !line->stream ? "cudaMemcpy" : "cudaMemcpyAsync";
    case TL_SYNC:
        return "cudaDeviceSynchronize";
    case TL_MALLOC:
        return "cudaMalloc";
    case TL_FREE:
        return "cudaFree";
    case TL_HOSTALLOC:
        return "cudaHostAlloc";
    case TL_GRAPH:
        return "cudaGraphLaunch";
    default:
        return "cudaLaunchKernel";
    }
}

static void fill_class(struct wi_host_call *call, const struct tl_line *line)
{
    switch (line->op) {
    case TL_H2D:
    case TL_D2H:
        fill_copy(call, line);
        call->flags |= line->sync ? WI_CALL_BLOCKING : 0;
        break;
    case TL_SYNC:
        call->api_class = WI_API_SYNC;
        call->flags |= WI_CALL_BLOCKING;
        break;
    case TL_MALLOC:
        call->api_class = WI_API_ALLOC;
        break;
    case TL_FREE:
        call->api_class = WI_API_FREE;
        call->flags |= WI_CALL_BLOCKING;
        break;
    case TL_HOSTALLOC:
        call->api_class = WI_API_PIN;
        break;
    case TL_GRAPH:
        call->api_class = WI_API_GRAPH_LAUNCH;
        break;
    default:
        call->api_class = WI_API_LAUNCH;
        break;
    }
}

static void hold_device_work(struct events *ev, int rank, const struct tl_line *line,
                             const struct wi_host_call *call, int64_t start, int64_t end)
{
    struct wi_device_op op = {.start_ns = BASE_NS + start,
                              .end_ns = BASE_NS + end,
                              .corr = call->corr,
                              .stream = line->stream,
                              .kind = WI_OP_KERNEL};

    if (line->op == TL_H2D || line->op == TL_D2H) {
        op.kind = WI_OP_COPY;
        op.bytes = call->bytes;
        op.direction = call->direction;
        op.src_mem = call->src_mem;
        op.dst_mem = call->dst_mem;
    } else {
        op.name = ev->kernel_name[line->number];
        op.kind = line->op == TL_GRAPH ? WI_OP_GRAPH : WI_OP_KERNEL;
        op.flags = line->op == TL_COLL ? WI_OP_COLLECTIVE : 0;
        if (line->grid)
            op.grid[0] = line->grid, op.grid[1] = op.grid[2] = 1;
        if (line->block)
            op.block[0] = line->block, op.block[1] = op.block[2] = 1;
    }
    hold_op(&ev->rank[rank].queue[line->stream % MAX_STREAMS], &op);
}

static void on_call(void *ctx, int rank, const struct tl_line *line, int64_t enter, int64_t exit,
                    int64_t op_start, int64_t op_end)
{
    struct events *ev = ctx;
    struct wi_host_call call = {.enter_ns = BASE_NS + enter,
                                .exit_ns = BASE_NS + exit,
                                .stream = line->stream,
                                .api = wi_names_str(ev->names, api_of(line))};

    fill_class(&call, line);
    if (line->stream)
        call.flags |= WI_CALL_NONBLOCKING_STREAM;
    if (op_start >= 0) {
        call.flags |= WI_CALL_OWES;
        call.corr = ++ev->rank[rank].corr;
    }
    give_call(ev, rank, &call);
    if (op_start >= 0)
        hold_device_work(ev, rank, line, &call, op_start, op_end);
}

/* Samples that fall into the silence see the part that lies before them. */
static void spread_silence(struct events *ev, int rank, const struct tl_line *line, int64_t a,
                           int64_t b)
{
    struct rank_events *re = &ev->rank[rank];
    int64_t from = a;

    while (re->next_sample_ns < b) {
        int64_t at = re->next_sample_ns;

        tl_watch_silence(&re->watch, line, a, b, from, at);
        flush_before(ev, rank, at + 1);
        from = at;
    }
    tl_watch_silence(&re->watch, line, a, b, from, b);
}

static void on_silence(void *ctx, int rank, const struct tl_line *line, int64_t a, int64_t b)
{
    struct events *ev = ctx;
    struct rank_events *re = &ev->rank[rank];
    struct wi_event event = {.kind = WI_EVENT_SPAN};
    int64_t run, runnable;

    if (b <= a)
        return;
    flush_before(ev, rank, BASE_NS + a);
    tl_watch_schedule(&re->watch, line, b - a, &run, &runnable);
    re->run_ns += run;
    re->runnable_ns += runnable;
    if (tl_watch_span(&re->watch, line, BASE_NS + a, BASE_NS + b, &event.u.span)) {
        event.u.span.thread = FIRST_THREAD + (uint32_t)rank;
        give(ev, rank, &event);
    }
    spread_silence(ev, rank, line, BASE_NS + a, BASE_NS + b);
}

static void edge_call(struct events *ev, int rank, int64_t at)
{
    struct wi_host_call call = {.enter_ns = BASE_NS + at,
                                .exit_ns = BASE_NS + at + EDGE_CALL_NS,
                                .api = wi_names_str(ev->names, "cudaGetDevice"),
                                .api_class = WI_API_OTHER};

    give_call(ev, rank, &call);
}

static void on_end(void *ctx, int rank, int64_t at)
{
    struct events *ev = ctx;
    struct rank_events *re = &ev->rank[rank];
    int64_t end = BASE_NS + at + EDGE_CALL_NS;

    edge_call(ev, rank, at);
    flush_before(ev, rank, end);
    if (end > re->next_sample_ns - SAMPLE_NS)
        give_sample(ev, rank, end, end - (re->next_sample_ns - SAMPLE_NS));
}

static void name_kernels(struct events *ev)
{
    for (int r = 0; r < ev->block->ranks; r++) {
        const struct tl_rank *rank = &ev->block->rank[r];
        for (int i = 0; i < rank->lines; i++) {
            const struct tl_line *line = &rank->program[i];
            char name[64];

            if (line->op == TL_COLL)
                snprintf(name, sizeof(name), "ncclDevKernel_AllReduce_Sum_f32");
            else if (line->op == TL_KERN || line->op == TL_GRAPH)
                snprintf(name, sizeof(name), "step_kernel_%d", line->number);
            else
                continue;
            if (line->number < MAX_LINES)
                ev->kernel_name[line->number] = wi_names_str(ev->names, name);
        }
    }
}

static void give_start(struct events *ev, int rank)
{
    struct wi_event event = {.kind = WI_EVENT_DEVICE};
    struct wi_device_info *device = &event.u.device;

    device->name = wi_names_str(ev->names, "timeline device");
    device->sms = ev->block->side.sms < 0 ? 0 : (uint32_t)ev->block->side.sms;
    device->threads_per_sm = 1536;
    device->blocks_per_sm = 32;
    device->registers_per_sm = 65536;
    device->shared_bytes_per_sm = 100 * 1024;
    give(ev, rank, &event);
    tl_watch_start(&ev->rank[rank].watch, &ev->block->side, ev->names);
    ev->rank[rank].next_sample_ns = BASE_NS + SAMPLE_NS;
    ev->rank[rank].silence_start = BASE_NS;
    /* Before the program's first line, so that its window starts with it. */
    edge_call(ev, rank, -EDGE_CALL_NS);
}

int tl_events(const struct tl_block *block, int64_t max_loops, struct wi_names *names,
              tl_event_sink sink, void *ctx)
{
    struct events *ev = calloc(1, sizeof(*ev));
    struct tl_sink play = {.silence = on_silence, .call = on_call, .end = on_end, .ctx = ev};

    if (!ev)
        return -1;
    ev->block = block;
    ev->names = names;
    ev->sink = sink;
    ev->sink_ctx = ctx;
    name_kernels(ev);
    for (int r = 0; r < block->ranks; r++)
        give_start(ev, r);
    int rc = tl_play(block, max_loops, &play) < 0 ? -1 : 0;
    for (int r = 0; r < block->ranks; r++)
        for (int s = 0; s < MAX_STREAMS; s++)
            free(ev->rank[r].queue[s].ops);
    free(ev);
    return rc;
}
