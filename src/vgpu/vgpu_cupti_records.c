/* Turns what the driver tells into activity records.
 * Threads: any, the library's lock held. May not: append a kind nobody enabled. */
#include "vgpu_cupti_records.h"
#include "vgpu_cupti.h"

#include "vgpu_clock.h"

#include <unistd.h>

/* Start and end of a record, by the faults. */
struct times {
    uint64_t start, end;
};

static struct times times_of(const struct vgpu_op *op)
{
    static uint64_t count;
    uint64_t every = vg_faults()->zero_times;
    if (every != 0 && ++count % every == 0) {
        return (struct times){0, 0};
    }
    return (struct times){ct_clock(op->start_ns), ct_clock(op->end_ns)};
}

static void record_kernel(const struct vgpu_op *op, uint32_t kind)
{
    static int64_t grid_id;
    struct times times = times_of(op);
    struct ct_kernel r = {.kind = kind, .start = times.start, .end = times.end};
    r.completed = times.end;
    r.registers = (uint16_t)op->registers;
    r.device = op->device;
    r.context = op->context_id;
    r.stream = op->stream_id;
    for (int i = 0; i < 3; i++) {
        r.grid[i] = (int32_t)op->grid[i];
        r.block[i] = (int32_t)op->block[i];
    }
    r.shared_static = (int32_t)op->shared_static;
    r.shared_dynamic = (int32_t)op->shared_dynamic;
    r.correlation = op->correlation;
    r.grid_id = ++grid_id;
    r.name = op->name;
    r.graph_node_id = op->graph_node_id;
    r.graph_id = op->graph_id;
    ct_append(kind, &r, op->start_ns, op->end_ns);
}

static void record_copy(const struct vgpu_op *op)
{
    struct times times = times_of(op);
    struct ct_memcpy r = {.kind = CT_MEMCPY, .start = times.start, .end = times.end};
    r.copy_kind = op->copy_kind;
    r.source_kind = op->source_kind;
    r.target_kind = op->target_kind;
    r.flags = op->asynchronous;
    r.bytes = op->bytes;
    r.device = op->device;
    r.context = op->context_id;
    r.stream = op->stream_id;
    r.correlation = op->correlation;
    r.graph_node_id = op->graph_node_id;
    r.graph_id = op->graph_id;
    r.copy_count = op->copies;
    ct_append(CT_MEMCPY, &r, op->start_ns, op->end_ns);
}

static uint32_t primary_context(uint32_t device)
{
    struct vgpu_device_info info = {.context_id = 0};
    ct_core()->device_info((int)device, &info);
    return info.context_id;
}

static void record_peer_copy(const struct vgpu_op *op)
{
    struct times times = times_of(op);
    struct ct_peer_memcpy r = {.kind = CT_MEMCPY2, .start = times.start, .end = times.end};
    r.copy_kind = op->copy_kind;
    r.source_kind = op->source_kind;
    r.target_kind = op->target_kind;
    r.flags = op->asynchronous;
    r.bytes = op->bytes;
    r.device = op->device;
    r.context = op->context_id;
    r.stream = op->stream_id;
    r.source_device = op->source_device;
    r.source_context = primary_context(op->source_device);
    r.target_device = op->target_device;
    r.target_context = primary_context(op->target_device);
    r.correlation = op->correlation;
    r.graph_node_id = op->graph_node_id;
    r.graph_id = op->graph_id;
    ct_append(CT_MEMCPY2, &r, op->start_ns, op->end_ns);
}

static void record_memset(const struct vgpu_op *op)
{
    struct times times = times_of(op);
    struct ct_memset r = {.kind = CT_MEMSET, .start = times.start, .end = times.end};
    r.value = op->value;
    r.bytes = op->bytes;
    r.device = op->device;
    r.context = op->context_id;
    r.stream = op->stream_id;
    r.correlation = op->correlation;
    r.flags = op->asynchronous;
    r.memory_kind = op->target_kind;
    r.graph_node_id = op->graph_node_id;
    r.graph_id = op->graph_id;
    ct_append(CT_MEMSET, &r, op->start_ns, op->end_ns);
}

static void record_graph(const struct vgpu_op *op)
{
    struct times times = times_of(op);
    struct ct_graph r = {.kind = CT_GRAPH_TRACE, .start = times.start, .end = times.end};
    r.correlation = op->correlation;
    r.device = r.end_device = op->device;
    r.graph = op->graph_id;
    r.context = r.end_context = op->context_id;
    r.stream = op->stream_id;
    ct_append(CT_GRAPH_TRACE, &r, op->start_ns, op->end_ns);
}

void ct_record_operation(const struct vgpu_op *op)
{
    bool whole = ct_kind_enabled(CT_GRAPH_TRACE);
    if (op->kind == VGPU_GRAPH ? !whole : whole && op->graph_id != 0) {
        return; /* one record a launch, or one a node, never both */
    }
    switch (op->kind) {
    case VGPU_KERNEL:
        if (ct_kind_enabled(CT_CONCURRENT_KERNEL) || ct_kind_enabled(CT_KERNEL)) {
            bool concurrent = ct_kind_enabled(CT_CONCURRENT_KERNEL);
            record_kernel(op, concurrent ? CT_CONCURRENT_KERNEL : CT_KERNEL);
        }
        break;
    case VGPU_COPY:
        if (op->copy_kind == VGPU_PTOP && ct_kind_enabled(CT_MEMCPY2)) {
            record_peer_copy(op);
        } else if (op->copy_kind != VGPU_PTOP && ct_kind_enabled(CT_MEMCPY)) {
            record_copy(op);
        }
        break;
    case VGPU_MEMSET:
        if (ct_kind_enabled(CT_MEMSET)) {
            record_memset(op);
        }
        break;
    case VGPU_GRAPH:
        record_graph(op);
        break;
    }
}

void ct_record_call(const struct vgpu_call *call)
{
    uint32_t kind = call->domain == VGPU_DOMAIN_DRIVER ? CT_DRIVER : CT_RUNTIME;
    if (!ct_kind_enabled(kind) || call->cbid == 0) {
        return;
    }
    uint64_t now_ns = vg_now_ns();
    struct ct_api r = {.kind = kind, .cbid = call->cbid};
    r.start = ct_clock(call->enter_ns);
    r.end = ct_clock(now_ns);
    r.process = (uint32_t)getpid();
    r.thread = ct_thread();
    r.correlation = call->correlation;
    r.result = (uint32_t)call->result;
    ct_append(kind, &r, call->enter_ns, now_ns);
}

void ct_record_sync(const struct vgpu_sync *sync)
{
    if (!ct_kind_enabled(CT_SYNCHRONIZATION)) {
        return;
    }
    struct ct_synchronization r = {.kind = CT_SYNCHRONIZATION, .type = sync->type};
    r.start = ct_clock(sync->start_ns);
    r.end = ct_clock(sync->end_ns);
    r.correlation = sync->correlation;
    r.context = sync->context_id;
    r.stream = sync->stream_id;
    r.event = sync->event_id;
    ct_append(CT_SYNCHRONIZATION, &r, sync->start_ns, sync->end_ns);
}

void ct_record_overhead(const struct vgpu_overhead *overhead)
{
    bool newer = ct_stride(CT_OVERHEAD) >= sizeof(struct ct_overhead); /* kinds of CUDA 12 */
    if (!ct_kind_enabled(CT_OVERHEAD) || (!newer && overhead->kind != VGPU_OVERHEAD_COMPILER)) {
        return;
    }
    const uint32_t thread_object = 2;
    struct ct_overhead r = {.kind = CT_OVERHEAD, .overhead_kind = overhead->kind};
    r.object_kind = thread_object;
    r.object[0] = (uint32_t)getpid();
    r.object[1] = ct_thread();
    r.start = ct_clock(overhead->start_ns);
    r.end = ct_clock(overhead->end_ns);
    r.correlation = overhead->correlation;
    ct_append(CT_OVERHEAD, &r, overhead->start_ns, overhead->end_ns);
}

void ct_record_device(int device)
{
    static const char name[] = VGPU_NAME;
    struct vgpu_device_info info;
    if (ct_core()->device_info(device, &info) != 0) {
        return;
    }
    struct ct_device r = {.kind = CT_DEVICE, .id = (uint32_t)device, .name = name, .visible = 1};
    r.bandwidth = info.bandwidth_bytes_per_s / 1000;
    r.memory_bytes = info.memory_bytes;
    r.warp = 32;
    r.clock_khz = info.clock_mhz * 1000;
    r.copy_engines = 2;
    r.multiprocessors = info.sms;
    r.warps_per_sm = 64;
    r.blocks_per_sm = 32;
    r.threads_per_block = 1024;
    r.registers_per_sm = r.registers_per_block = 65536;
    r.shared_per_sm = 167936;
    r.shared_per_block = 49152;
    r.major = 8;
    for (int i = 0; i < 16; i++) {
        r.uuid[i] = info.uuid[i];
    }
    ct_append(CT_DEVICE, &r, 0, 0);
}

static void record_context(uint32_t device, uint32_t context)
{
    const uint16_t cuda = 1, null_stream = 7;
    struct ct_context r = {.kind = CT_CONTEXT, .context = context, .device = device};
    struct vgpu_device_info info = {.sms = 0};
    ct_core()->device_info((int)device, &info);
    r.api = cuda;
    r.null_stream = null_stream;
    r.multiprocessors = (uint16_t)info.sms;
    ct_append(CT_CONTEXT, &r, 0, 0);
}

void ct_record_resource(const struct vgpu_resource *resource)
{
    struct vgpu_device_info info;
    if (resource->cbid == VGPU_INIT_FINISHED && ct_kind_enabled(CT_DEVICE)) {
        for (int device = 0; ct_core()->device_info(device, &info) == 0; device++) {
            ct_record_device(device);
        }
    } else if (resource->cbid == VGPU_CONTEXT_CREATED && ct_kind_enabled(CT_CONTEXT)) {
        record_context(resource->device, resource->context_id);
    }
}

/* The devices and contexts that were there before the kind was enabled. */
VGPU_API int cuptiActivityEnable(uint32_t kind);
VGPU_API int cuptiActivityEnableAndDump(uint32_t kind);
int cuptiActivityEnableAndDump(uint32_t kind)
{
    int result = cuptiActivityEnable(kind);
    struct vgpu_device_info info;
    ct_enter();
    for (int device = 0; result == CT_SUCCESS && ct_core()->device_info(device, &info) == 0;
         device++) {
        if (kind == CT_DEVICE) {
            ct_record_device(device);
        } else if (kind == CT_CONTEXT && info.context_id != 0) {
            record_context((uint32_t)device, info.context_id);
        }
    }
    return ct_leave(result);
}
