/* Driver calls that copy and set memory: what each waits for, and how long it takes.
 * Threads: any. May not: touch device times for the sake of the bytes, which are moved at once. */
#include "vgpu_clock.h"
#include "vgpu_config.h"
#include "vgpu_driver.h"
#include "vgpu_graph.h"
#include "vgpu_memory.h"
#include "vgpu_trace.h"

#include <stdlib.h>
#include <string.h>

static __thread uint64_t next_copy_ns;

/* For players of exact timelines: the duration of this thread's next copy. */
VGPU_API void vgpu_next_copy_ns(uint64_t duration_ns);
void vgpu_next_copy_ns(uint64_t duration_ns)
{
    next_copy_ns = duration_ns;
}

static void *at(vg_address address)
{
    return (void *)(uintptr_t)address;
}

static uint64_t transfer_ns(uint64_t bytes, int64_t gbps)
{
    return (uint64_t)vg_config()->copy_setup_ns + bytes / (uint64_t)gbps;
}

static bool on_device(uint8_t kind)
{
    return kind == VGPU_MEM_DEVICE || kind == VGPU_MEM_MANAGED;
}

/* The kind of an address, and the device it lives on. */
static uint8_t kind_of(const void *address, uint32_t *device)
{
    struct vg_block block;
    if (!vg_memory_find(address, &block)) {
        return VGPU_MEM_PAGEABLE;
    }
    *device = (uint32_t)block.device;
    return block.kind;
}

static int64_t host_gbps(uint8_t kind)
{
    return kind == VGPU_MEM_PAGEABLE ? vg_config()->pageable_gbps : vg_config()->pinned_gbps;
}

static void describe(struct vg_item *item, const struct vg_effect *shape, int device)
{
    const struct vg_config *config = vg_config();
    struct vgpu_op *op = &item->op;
    op->kind = VGPU_COPY;
    op->copies = 1;
    op->correlation = vg_call_correlation();
    op->bytes = (uint64_t)shape->width * shape->height;
    op->source_device = op->target_device = (uint32_t)device;
    op->source_kind = kind_of(shape->source, &op->source_device);
    op->target_kind = kind_of(shape->target, &op->target_device);
    bool from = on_device(op->source_kind), to = on_device(op->target_kind);
    if (from && to && op->source_device != op->target_device) {
        op->copy_kind = VGPU_PTOP;
        item->duration_ns = transfer_ns(op->bytes, config->peer_gbps);
    } else if (from && to) {
        op->copy_kind = VGPU_DTOD;
        item->duration_ns = transfer_ns(op->bytes, config->device_gbps);
    } else {
        op->copy_kind = to ? VGPU_HTOD : from ? VGPU_DTOH : VGPU_HTOH;
        item->engine = to ? VG_ENGINE_UP : from ? VG_ENGINE_DOWN : VG_ENGINE_NONE;
        item->duration_ns =
            transfer_ns(op->bytes, host_gbps(to ? op->source_kind : op->target_kind));
    }
    item->latency_ns = (uint64_t)config->copy_latency_ns;
    if (next_copy_ns != 0) {
        item->duration_ns = next_copy_ns;
        next_copy_ns = 0;
    }
}

/* Whether the call returns only when the copy is done. */
static bool waits(const struct vgpu_op *op)
{
    bool small = op->bytes <= (uint64_t)vg_config()->staging_bytes;
    switch (op->copy_kind) {
    case VGPU_HTOD:
        return op->source_kind == VGPU_MEM_PAGEABLE ? !small : !op->asynchronous;
    case VGPU_DTOH:
        return op->target_kind == VGPU_MEM_PAGEABLE || !op->asynchronous;
    case VGPU_HTOH:
        return true;
    default:
        return false;
    }
}

/* Submits a described copy whose bytes are the given effects, and waits as its kind demands. */
static int issue(struct vg_stream *stream, const struct vg_item *item,
                 const struct vg_effect *effects, size_t count)
{
    uint64_t end_ns = 0;
    int error = vg_submit(stream, item, &end_ns);
    bool wait = error == VG_SUCCESS && waits(&item->op);
    if (wait && end_ns == 0) {
        vg_wait_stream(stream);
    }
    for (size_t i = 0; i < count && error == VG_SUCCESS; i++) {
        vg_effect_add(&effects[i]);
    }
    if (wait || item->op.source_kind == VGPU_MEM_PAGEABLE) {
        vg_effects_settle();
    }
    if (wait) {
        vg_wait_until(end_ns);
    }
    return error;
}

static int copy(const struct vg_effect *shape, void *handle, bool per_thread, bool asynchronous)
{
    int error = VG_SUCCESS;
    struct vg_stream *stream = vg_call_stream(handle, per_thread, &error);
    if (stream == NULL || shape->width * shape->height == 0) {
        return error;
    }
    if (shape->target == NULL || shape->source == NULL) {
        return VG_INVALID_VALUE;
    }
    struct vg_item item = {.kind = VG_ITEM_OP};
    describe(&item, shape, stream->context->device);
    item.op.asynchronous = asynchronous;
    item.effect = *shape;
    if (stream->capture != NULL && !asynchronous) {
        return VG_CAPTURE_UNSUPPORTED;
    }
    if (vg_capture_take(stream, &item)) {
        return VG_SUCCESS;
    }
    vg_burn_call((uint64_t)vg_config()->call_ns);
    return issue(stream, &item, shape, 1);
}

static int copy_line(void *target, const void *source, size_t bytes, void *stream, bool per_thread,
                     bool asynchronous)
{
    const struct vg_effect shape = {target, source, bytes, bytes, bytes, 1, 0, 0};
    return copy(&shape, stream, per_thread, asynchronous);
}

int vg_do_copy(const struct vg_a_copy *a, bool per_thread)
{
    return copy_line(at(a->target), at(a->source), a->bytes, NULL, per_thread, false);
}

int vg_do_copy_async(const struct vg_a_copy_async *a, bool per_thread)
{
    return copy_line(at(a->target), at(a->source), a->bytes, a->stream, per_thread, true);
}

int vg_do_upload(const struct vg_a_upload *a, bool per_thread)
{
    return copy_line(at(a->target), a->source, a->bytes, NULL, per_thread, false);
}

int vg_do_download(const struct vg_a_download *a, bool per_thread)
{
    return copy_line(a->target, at(a->source), a->bytes, NULL, per_thread, false);
}

int vg_do_device_copy(const struct vg_a_device_copy *a, bool per_thread)
{
    return copy_line(at(a->target), at(a->source), a->bytes, NULL, per_thread, false);
}

int vg_do_upload_async(const struct vg_a_upload_async *a, bool per_thread)
{
    return copy_line(at(a->target), a->source, a->bytes, a->stream, per_thread, true);
}

int vg_do_download_async(const struct vg_a_download_async *a, bool per_thread)
{
    return copy_line(a->target, at(a->source), a->bytes, a->stream, per_thread, true);
}

int vg_do_device_copy_async(const struct vg_a_device_copy_async *a, bool per_thread)
{
    return copy_line(at(a->target), at(a->source), a->bytes, a->stream, per_thread, true);
}

int vg_do_peer_copy(const struct vg_a_peer_copy *a, bool per_thread)
{
    return copy_line(at(a->target), at(a->source), a->bytes, NULL, per_thread, false);
}

int vg_do_peer_copy_async(const struct vg_a_peer_copy_async *a, bool per_thread)
{
    return copy_line(at(a->target), at(a->source), a->bytes, a->stream, per_thread, true);
}

enum { TYPE_HOST = 1 };

static bool alike(const struct vgpu_op *a, const struct vgpu_op *b)
{
    return a->copy_kind == b->copy_kind && a->source_kind == b->source_kind &&
           a->target_kind == b->target_kind;
}

/* Copies of one kind that follow each other run as one operation; a batch allows any order. */
static int copy_run(struct vg_stream *stream, const struct vg_effect *shapes, size_t count)
{
    struct vg_item run = {.kind = VG_ITEM_OP};
    size_t first = 0;
    int error = VG_SUCCESS;
    for (size_t i = 0; i < count && error == VG_SUCCESS; i++) {
        struct vg_item item = {.kind = VG_ITEM_OP};
        describe(&item, &shapes[i], stream->context->device);
        item.op.asynchronous = 1;
        if (i > first && alike(&run.op, &item.op)) {
            run.op.copies++;
            run.op.bytes += item.op.bytes;
            run.duration_ns += item.duration_ns - (uint64_t)vg_config()->copy_setup_ns;
            continue;
        }
        error = i > first ? issue(stream, &run, &shapes[first], i - first) : VG_SUCCESS;
        first = i;
        run = item;
    }
    return error != VG_SUCCESS ? error : issue(stream, &run, &shapes[first], count - first);
}

/* The interface forbids the legacy stream; captured batches become one node a copy. */
static int copy_batch(const vg_address *targets, const vg_address *sources, const size_t *sizes,
                      size_t count, void *handle, bool per_thread)
{
    int error = VG_SUCCESS;
    struct vg_stream *stream = vg_call_stream(handle, per_thread, &error);
    if (stream == NULL || stream->legacy || count == 0 || targets == NULL || sources == NULL ||
        sizes == NULL) {
        return stream == NULL ? error : VG_INVALID_VALUE;
    }
    struct vg_effect *shapes = calloc(count, sizeof(*shapes));
    if (shapes == NULL) {
        return VG_OUT_OF_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        shapes[i] = (struct vg_effect){
            at(targets[i]), at(sources[i]), sizes[i], sizes[i], sizes[i], 1, 0, 0};
        error = sizes[i] == 0 ? VG_INVALID_VALUE : error;
    }
    vg_burn_call((uint64_t)vg_config()->call_ns);
    if (error == VG_SUCCESS && stream->capture == NULL) {
        error = copy_run(stream, shapes, count);
    } else {
        for (size_t i = 0; i < count && error == VG_SUCCESS; i++) {
            error = copy(&shapes[i], handle, per_thread, true);
        }
    }
    free(shapes);
    return error;
}

int vg_do_copy_batch(const struct vg_a_copy_batch *a, bool per_thread)
{
    int error = copy_batch(a->targets, a->sources, a->sizes, a->count, a->stream, per_thread);
    if (error != VG_SUCCESS && a->failed != NULL) {
        *a->failed = SIZE_MAX; /* no single copy is to blame */
    }
    return error;
}

int vg_do_copy_batch2(const struct vg_a_copy_batch2 *a, bool per_thread)
{
    return copy_batch(a->targets, a->sources, a->sizes, a->count, a->stream, per_thread);
}

static struct vg_effect shape_2d(const struct vg_copy_2d *s)
{
    const char *source = s->source_type == TYPE_HOST ? s->source_host : at(s->source_device);
    char *target = s->target_type == TYPE_HOST ? s->target_host : at(s->target_device);
    return (struct vg_effect){target + s->target_y * s->target_pitch + s->target_x,
                              source + s->source_y * s->source_pitch + s->source_x,
                              s->target_pitch,
                              s->source_pitch,
                              s->width,
                              s->height,
                              0,
                              0};
}

int vg_do_copy_2d(const struct vg_a_copy_2d *a, bool per_thread)
{
    const struct vg_effect shape = shape_2d(a->shape);
    return copy(&shape, NULL, per_thread, false);
}

int vg_do_copy_2d_aligned(const struct vg_a_copy_2d_aligned *a, bool per_thread)
{
    const struct vg_a_copy_2d same = {a->shape};
    return vg_do_copy_2d(&same, per_thread);
}

int vg_do_copy_2d_async(const struct vg_a_copy_2d_async *a, bool per_thread)
{
    const struct vg_effect shape = shape_2d(a->shape);
    return copy(&shape, a->stream, per_thread, true);
}

/* Memsets never wait on the host: of device memory they are asynchronous in any form. */
static int set(const struct vg_effect *effect, void *handle, bool per_thread)
{
    int error = VG_SUCCESS;
    uint64_t bytes = (uint64_t)effect->width * effect->height;
    struct vg_stream *stream = vg_call_stream(handle, per_thread, &error);
    if (stream == NULL || bytes == 0) {
        return error;
    }
    struct vg_item item = {.kind = VG_ITEM_OP, .effect = *effect};
    uint32_t device = 0;
    item.op.kind = VGPU_MEMSET;
    item.op.bytes = bytes;
    item.op.value = effect->value;
    item.op.target_kind = kind_of(effect->target, &device);
    item.op.asynchronous = 1;
    item.op.correlation = vg_call_correlation();
    item.latency_ns = (uint64_t)vg_config()->copy_latency_ns;
    item.duration_ns = transfer_ns(bytes, vg_config()->device_gbps);
    if (vg_capture_take(stream, &item)) {
        return VG_SUCCESS;
    }
    vg_burn_call((uint64_t)vg_config()->call_ns);
    vg_effect_add(effect);
    return vg_submit(stream, &item, NULL);
}

static int set_line(vg_address target, uint32_t value, size_t count, uint32_t element_bytes,
                    void *stream, bool per_thread)
{
    const struct vg_effect effect = {.target = at(target),
                                     .width = count * element_bytes,
                                     .height = 1,
                                     .value = value,
                                     .element_bytes = element_bytes};
    return set(&effect, stream, per_thread);
}

int vg_do_set8(const struct vg_a_set8 *a, bool per_thread)
{
    return set_line(a->target, a->value, a->count, 1, NULL, per_thread);
}

int vg_do_set8_async(const struct vg_a_set8_async *a, bool per_thread)
{
    return set_line(a->target, a->value, a->count, 1, a->stream, per_thread);
}

int vg_do_set32(const struct vg_a_set32 *a, bool per_thread)
{
    return set_line(a->target, a->value, a->count, 4, NULL, per_thread);
}

int vg_do_set32_async(const struct vg_a_set32_async *a, bool per_thread)
{
    return set_line(a->target, a->value, a->count, 4, a->stream, per_thread);
}

int vg_do_set2d8_async(const struct vg_a_set2d8_async *a, bool per_thread)
{
    const struct vg_effect effect = {.target = at(a->target),
                                     .target_pitch = a->pitch,
                                     .width = a->width,
                                     .height = a->height,
                                     .value = a->value,
                                     .element_bytes = 1};
    return set(&effect, a->stream, per_thread);
}
