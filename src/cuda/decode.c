/* Translates activity records, see decode.h.
 * Threads: the helper. May not: read beyond a record's measured stride; trust its times. */
#include "cuda/decode.h"

#include <string.h>
#include <time.h>

#include "base/attr.h"
#include "base/clock.h"

#define MAX_DEVICES 64u
#define SECOND_NS   INT64_C(1000000000)

static uint8_t memory_kind(unsigned kind)
{
    static const uint8_t KINDS[] = {WI_MEM_UNKNOWN, WI_MEM_PAGEABLE, WI_MEM_PINNED, WI_MEM_DEVICE,
                                    WI_MEM_DEVICE,  WI_MEM_MANAGED,  WI_MEM_DEVICE, WI_MEM_MANAGED};
    return kind < WI_ARRAY_LEN(KINDS) ? KINDS[kind] : WI_MEM_UNKNOWN;
}

static uint8_t copy_direction(unsigned kind)
{
    static const uint8_t KINDS[] = {WI_COPY_UNKNOWN, WI_COPY_H2D, WI_COPY_D2H, WI_COPY_H2D,
                                    WI_COPY_D2H,     WI_COPY_D2D, WI_COPY_D2D, WI_COPY_D2D,
                                    WI_COPY_D2D,     WI_COPY_H2H, WI_COPY_P2P};
    return kind < WI_ARRAY_LEN(KINDS) ? KINDS[kind] : WI_COPY_UNKNOWN;
}

/* Whatever is no plausible time may be a reading of another tool's clock. */
static uint64_t as_time(const struct wi_decoder *d, uint64_t reading, int64_t latest_ns)
{
    int plausible = reading >= (uint64_t)d->earliest_ns && reading <= (uint64_t)latest_ns;
    return plausible || !reading || !d->clock ? reading : (uint64_t)d->clock(reading);
}

/* Sets the times, or marks the op: start == end == 0 is how CUPTI says that it had no room. */
static void set_times(const struct wi_decoder *d, struct wi_device_op *op, uint64_t start,
                      uint64_t end, int64_t latest_ns)
{
    start = as_time(d, start, latest_ns);
    end = as_time(d, end, latest_ns);
    int plausible = start <= end && start >= (uint64_t)d->earliest_ns &&
                    end <= (uint64_t)latest_ns && (uint32_t)op->device < MAX_DEVICES;
    op->start_ns = plausible ? (int64_t)start : WI_UNKNOWN;
    op->end_ns = plausible ? (int64_t)end : WI_UNKNOWN;
    if (!plausible)
        op->flags |= WI_OP_BAD_TIMES;
}

static void kernel(const struct wi_decoder *d, const struct wi_rec_kernel *k,
                   struct wi_device_op *op)
{
    op->kind = WI_OP_KERNEL;
    op->corr = k->corr;
    op->stream = k->stream;
    op->device = (int32_t)k->device;
    for (int i = 0; i < 3; i++) {
        op->grid[i] = (uint32_t)k->grid[i];
        op->block[i] = (uint32_t)k->block[i];
    }
    op->registers = k->registers;
    op->shared_bytes = (uint32_t)k->static_shared + (uint32_t)k->dynamic_shared;
    op->name = wi_names_str(d->names, k->name);
    if (k->graph_node)
        op->flags |= WI_OP_GRAPH_NODE;
}

static void copy(const struct wi_rec_copy *c, struct wi_device_op *op)
{
    op->kind = WI_OP_COPY;
    op->corr = c->corr;
    op->stream = c->stream;
    op->device = (int32_t)c->device;
    op->bytes = c->bytes;
    op->direction = copy_direction(c->copy_kind);
    op->src_mem = memory_kind(c->src_kind);
    op->dst_mem = memory_kind(c->dst_kind);
    if (c->graph_node)
        op->flags |= WI_OP_GRAPH_NODE;
}

static void peer(const struct wi_rec_peer *c, struct wi_device_op *op)
{
    op->kind = WI_OP_COPY;
    op->corr = c->corr;
    op->stream = c->stream;
    op->device = (int32_t)c->device;
    op->bytes = c->bytes;
    op->direction = c->src_device == c->dst_device ? WI_COPY_D2D : WI_COPY_P2P;
    op->src_mem = memory_kind(c->src_kind);
    op->dst_mem = memory_kind(c->dst_kind);
    if (c->graph_node)
        op->flags |= WI_OP_GRAPH_NODE;
}

/* The end of the copy that is not the record's device. Of a copy that a third device makes it is
 * the one that is written to. */
static int32_t other_end(const struct wi_rec_peer *c)
{
    uint32_t other = c->device == c->dst_device ? c->src_device : c->dst_device;
    return c->src_device == c->dst_device || other >= MAX_DEVICES ? WI_NO_DEVICE : (int32_t)other;
}

static void set(const struct wi_rec_memset *m, struct wi_device_op *op)
{
    op->kind = WI_OP_MEMSET;
    op->corr = m->corr;
    op->stream = m->stream;
    op->device = (int32_t)m->device;
    op->bytes = m->bytes;
    op->dst_mem = memory_kind(m->memory_kind);
    if (m->graph_node)
        op->flags |= WI_OP_GRAPH_NODE;
}

static void graph(const struct wi_rec_graph *g, struct wi_device_op *op)
{
    op->kind = WI_OP_GRAPH;
    op->corr = g->corr;
    op->stream = g->stream;
    op->device = (int32_t)g->device;
}

/* Fills op and its raw times from an operation's record; 0 if the kind is none or too short. */
static int operation(const struct wi_decoder *d, uint32_t kind, const void *raw,
                     struct wi_device_op *op, uint64_t times[2])
{
#define TAKE(type, call)                                                                           \
    do {                                                                                           \
        const struct type *r = raw;                                                                \
        if (!wi_cupti_has(d->cupti, kind, sizeof(*r)))                                             \
            return 0;                                                                              \
        *op = (struct wi_device_op){0};                                                            \
        call;                                                                                      \
        times[0] = r->start;                                                                       \
        times[1] = r->end;                                                                         \
    } while (0)
    switch (kind) {
    case WI_KIND_CONCURRENT_KERNEL:
        TAKE(wi_rec_kernel, kernel(d, r, op));
        return 1;
    case WI_KIND_MEMCPY:
        TAKE(wi_rec_copy, copy(r, op));
        return 1;
    case WI_KIND_MEMCPY2:
        TAKE(wi_rec_peer, peer(r, op));
        return 1;
    case WI_KIND_MEMSET:
        TAKE(wi_rec_memset, set(r, op));
        return 1;
    case WI_KIND_GRAPH_TRACE:
        TAKE(wi_rec_graph, graph(r, op));
        return 1;
    default:
        return 0;
    }
#undef TAKE
}

static void device(const struct wi_decoder *d, const struct wi_rec_device *r,
                   struct wi_device_info *info)
{
    info->device = (int32_t)r->id;
    info->name = wi_names_str(d->names, r->name);
    info->sms = r->sms;
    info->threads_per_sm = r->warps_per_sm * r->warp_threads;
    info->blocks_per_sm = r->blocks_per_sm;
    info->registers_per_sm = r->registers_per_sm;
    info->shared_bytes_per_sm = r->shared_per_sm;
    info->memory_bytes = r->memory_bytes;
    memcpy(info->uuid, r->uuid, sizeof(info->uuid));
}

/* What the driver does in a call, as a span kind, or -1. */
static int span_kind(uint32_t overhead)
{
    switch (overhead) {
    case WI_OVERHEAD_COMPILER:
        return WI_SPAN_COMPILING;
    case WI_OVERHEAD_MODULE_LOADING:
    case WI_OVERHEAD_FUNCTION_LOADING:
        return WI_SPAN_LOADING;
    case WI_OVERHEAD_QUEUE_FULL:
        return WI_SPAN_QUEUE_FULL;
    default:
        return -1;
    }
}

static int is_own_cost(uint32_t overhead)
{
    return overhead == WI_OVERHEAD_BUFFER_FLUSH || overhead == WI_OVERHEAD_INSTRUMENTATION ||
           overhead == WI_OVERHEAD_RESOURCE || overhead == WI_OVERHEAD_BUFFER_REQUEST;
}

/* The job's own doing, or CUPTI's; 0 if it is neither, or its times are not plausible. */
static int overhead(const struct wi_decoder *d, const struct wi_rec_overhead *r, int64_t latest_ns,
                    struct wi_record *out)
{
    int kind = span_kind(r->overhead);
    uint64_t start = as_time(d, r->start, latest_ns), end = as_time(d, r->end, latest_ns);
    if (end <= start || start < (uint64_t)d->earliest_ns || end > (uint64_t)latest_ns)
        return 0;
    if (kind < 0) {
        out->kind = WI_RECORD_OWN_COST;
        out->own_ns = (int64_t)(end - start);
        return is_own_cost(r->overhead);
    }
    out->kind = WI_RECORD_SPAN;
    out->span = (struct wi_host_span){.start_ns = (int64_t)start,
                                      .end_ns = (int64_t)end,
                                      .thread = r->object == WI_OBJECT_THREAD ? r->object_id[1] : 0,
                                      .kind = (uint8_t)kind};
    return 1;
}

/* How much is read of a record that is no operation. */
static size_t read_bytes(uint32_t kind)
{
    switch (kind) {
    case WI_KIND_DEVICE:
        return sizeof(struct wi_rec_device);
    case WI_KIND_CONTEXT:
        return sizeof(struct wi_rec_context);
    case WI_KIND_OVERHEAD:
        return sizeof(struct wi_rec_overhead);
    default:
        return sizeof(struct wi_rec_api);
    }
}

/* The records that are no operation; 0 if not understood, or too short. */
static int other(const struct wi_decoder *d, uint32_t kind, const void *raw, int64_t latest_ns,
                 struct wi_record *out)
{
    if (!wi_cupti_has(d->cupti, kind, read_bytes(kind)))
        return 0;
    if (kind == WI_KIND_DEVICE) {
        out->kind = WI_RECORD_DEVICE;
        device(d, raw, &out->device);
    } else if (kind == WI_KIND_CONTEXT) {
        const struct wi_rec_context *r = raw;
        out->kind = WI_RECORD_CONTEXT;
        out->context = r->context;
        out->device.device = (int32_t)r->device;
    } else if (kind == WI_KIND_OVERHEAD) {
        return overhead(d, raw, latest_ns, out);
    } else if (kind == WI_KIND_RUNTIME || kind == WI_KIND_DRIVER) {
        const struct wi_rec_api *r = raw;
        out->kind = WI_RECORD_API;
        out->api.start_ns = (int64_t)as_time(d, r->start, latest_ns);
        out->api.end_ns = (int64_t)as_time(d, r->end, latest_ns);
        out->api.thread = r->thread;
        out->api.corr = r->corr;
    } else {
        return 0;
    }
    return 1;
}

void wi_decode(const struct wi_decoder *d, uint8_t *buffer, size_t valid_bytes)
{
    int64_t latest_ns = wi_clock_ns(CLOCK_REALTIME) + SECOND_NS;
    void *raw = NULL;
    while (d->cupti->next_record(buffer, valid_bytes, &raw) == WI_CUPTI_SUCCESS && raw) {
        struct wi_record record; /* most are operations, which take a third of it */
        uint64_t times[2];
        uint32_t kind;
        memcpy(&kind, raw, sizeof(kind));
        if (operation(d, kind, raw, &record.op, times)) {
            record.kind = WI_RECORD_OP;
            record.peer = kind == WI_KIND_MEMCPY2 ? other_end(raw) : WI_NO_DEVICE;
            set_times(d, &record.op, times[0], times[1], latest_ns);
            d->give(d->user, &record);
            continue;
        }
        memset(&record, 0, sizeof(record));
        if (other(d, kind, raw, latest_ns, &record))
            d->give(d->user, &record);
    }
}
