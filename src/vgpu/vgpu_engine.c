/* Gives operations their times, in stream order, and queues those that cannot have them yet.
 * Threads: any. May not: call tracers or user code with the lock held. */
#include "vgpu_engine.h"

#include "vgpu_clock.h"
#include "vgpu_config.h"
#include "vgpu_graph.h"
#include "vgpu_trace.h"

#include <stdlib.h>
#include <string.h>

struct vg_model vg_model = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .resolved = PTHREAD_COND_INITIALIZER,
};

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Whether an item of `stream` must follow what was issued before it in `other`. */
static bool ordered(const struct vg_stream *stream, const struct vg_stream *other)
{
    return stream != other && stream->context == other->context &&
           ((stream->legacy && other->blocking) || (stream->blocking && other->legacy));
}

/* The time from which the item may run by the order of streams; false if that is not known yet. */
static bool base_time(const struct vg_stream *stream, const struct vg_item *item, uint64_t *base_ns)
{
    *base_ns = stream->ready_ns;
    for (const struct vg_stream *other = vg_model.streams; other != NULL; other = other->next) {
        if (!ordered(stream, other)) {
            continue;
        }
        if (other->head != NULL && other->head->sequence < item->sequence) {
            return false;
        }
        *base_ns = later(*base_ns, other->ready_ns);
    }
    return true;
}

static void note_busy(const struct vgpu_op *op)
{
    if (op->kind == VGPU_KERNEL) {
        struct vg_device *device = &vg_model.devices[op->device];
        const uint32_t slots = sizeof(device->busy) / sizeof(device->busy[0]);
        device->busy[device->busy_count++ % slots] = (struct vg_span){op->start_ns, op->end_ns};
    }
}

/* Places one operation no earlier than from_ns and takes its copy engine. Returns its end. */
static uint64_t place(struct vgpu_op *op, int engine, uint64_t from_ns, uint64_t duration_ns)
{
    uint64_t *engine_free_ns = &vg_model.devices[op->device].engine_free_ns[engine];
    op->start_ns = engine == VG_ENGINE_NONE ? from_ns : later(from_ns, *engine_free_ns);
    op->end_ns = op->start_ns + duration_ns;
    if (engine != VG_ENGINE_NONE) {
        *engine_free_ns = op->end_ns;
    }
    note_busy(op);
    return op->end_ns;
}

/* Places every node after the nodes it depends on. Returns the end of the last one. */
static uint64_t place_graph(struct vg_item *item, uint64_t from_ns)
{
    const uint64_t gap_ns = (uint64_t)vg_config()->graph_gap_ns;
    struct vg_graph *graph = item->graph;
    uint64_t end_ns = from_ns, first_ns = UINT64_MAX;
    for (int i = 0; i < graph->count; i++) {
        struct vg_node *node = &graph->nodes[i];
        uint64_t ready_ns = from_ns;
        for (int d = 0; d < node->after_count; d++) {
            const struct vg_node *before = &graph->nodes[node->after[d]];
            ready_ns =
                later(ready_ns, before->end_ns + (before->item.kind == VG_ITEM_OP ? gap_ns : 0));
        }
        node->end_ns = ready_ns;
        if (node->item.kind == VG_ITEM_OP) {
            node->end_ns =
                place(&node->item.op, node->item.engine, ready_ns, node->item.duration_ns);
            first_ns = first_ns < node->item.op.start_ns ? first_ns : node->item.op.start_ns;
        }
        end_ns = later(end_ns, node->end_ns);
    }
    item->op.start_ns = first_ns == UINT64_MAX ? from_ns : first_ns;
    item->op.end_ns = end_ns;
    return end_ns;
}

static void resolve_op(struct vg_stream *stream, struct vg_item *item, uint64_t base_ns)
{
    const struct vg_config *config = vg_config();
    uint64_t from_ns = later(base_ns + (base_ns != 0 ? (uint64_t)config->gap_ns : 0),
                             item->issue_ns + item->latency_ns);
    uint64_t end_ns = item->graph != NULL
                          ? place_graph(item, from_ns)
                          : place(&item->op, item->engine, from_ns, item->duration_ns);
    stream->ready_ns = end_ns;
    stream->end_ring[stream->end_count++ % (uint64_t)config->queue] = end_ns;
}

static bool resolve_host(struct vg_stream *stream, struct vg_item *item, uint64_t base_ns)
{
    if (!item->host_started) {
        item->host_started = true;
        vg_host_function_schedule(item, later(base_ns, item->issue_ns + item->latency_ns));
    }
    if (item->host_done) {
        stream->ready_ns = vg_now_ns();
    }
    return item->host_done;
}

/* Gives the item its times. False: something before it has none yet. */
static bool resolve(struct vg_stream *stream, struct vg_item *item)
{
    uint64_t base_ns = 0;
    if (!base_time(stream, item, &base_ns)) {
        return false;
    }
    switch (item->kind) {
    case VG_ITEM_HOST:
        return resolve_host(stream, item, base_ns);
    case VG_ITEM_RECORD:
        item->event->time_ns = later(base_ns, item->issue_ns + item->latency_ns);
        item->event->resolved = later(item->event->resolved, item->generation);
        stream->ready_ns = base_ns;
        return true;
    case VG_ITEM_WAIT:
        if (item->event->resolved < item->generation) {
            return false;
        }
        stream->ready_ns = later(base_ns, item->event->time_ns);
        return true;
    case VG_ITEM_OP:
        resolve_op(stream, item, base_ns);
        return true;
    }
    return true;
}

/* Resolves what it can at the stream's head; resolved items move to *done. */
static bool drain(struct vg_stream *stream, struct vg_item ***done)
{
    bool progress = false;
    while (stream->head != NULL && resolve(stream, stream->head)) {
        struct vg_item *item = stream->head;
        stream->head = item->next;
        stream->tail = stream->head == NULL ? NULL : stream->tail;
        stream->unresolved--;
        vg_model.unresolved--;
        item->next = NULL;
        **done = item;
        *done = &item->next;
        progress = true;
    }
    return progress;
}

static void drain_all(struct vg_item ***done)
{
    bool progress = vg_model.unresolved > 0;
    while (progress && vg_model.unresolved > 0) {
        progress = false;
        for (struct vg_stream *stream = vg_model.streams; stream != NULL; stream = stream->next) {
            progress |= drain(stream, done);
        }
    }
}

static void tell(const struct vg_item *item)
{
    if (item->kind != VG_ITEM_OP) {
        return;
    }
    if (item->graph != NULL) {
        for (int i = 0; i < item->graph->count; i++) {
            if (item->graph->nodes[i].item.kind == VG_ITEM_OP) {
                vg_trace_operation(&item->graph->nodes[i].item.op);
            }
        }
    }
    vg_trace_operation(&item->op);
}

/* Tells the tracer and frees. The lock is not held. */
static void finish(struct vg_item *done)
{
    while (done != NULL) {
        struct vg_item *next = done->next;
        tell(done);
        if (done->event != NULL) {
            pthread_mutex_lock(&vg_model.lock);
            vg_event_release_locked(done->event);
            pthread_mutex_unlock(&vg_model.lock);
        }
        vg_graph_free(done->graph);
        free(done);
        done = next;
    }
}

/* After the tracer has been told, so that who has waited finds the records. */
static void wake_waiters(void)
{
    pthread_mutex_lock(&vg_model.lock);
    pthread_cond_broadcast(&vg_model.resolved);
    pthread_mutex_unlock(&vg_model.lock);
}

void vg_host_function_done(struct vg_item *item)
{
    struct vg_item *done = NULL, **end = &done;
    pthread_mutex_lock(&vg_model.lock);
    item->host_done = true;
    drain_all(&end);
    pthread_mutex_unlock(&vg_model.lock);
    finish(done);
    wake_waiters();
}

/* Blocks while the queue is full; the lock is held on entry and exit. */
static void wait_for_slot(struct vg_stream *stream, uint32_t correlation)
{
    const uint64_t queue = (uint64_t)vg_config()->queue;
    uint64_t begin_ns = 0;
    for (;;) {
        uint64_t now_ns = vg_now_ns(), due_ns = 0;
        if (stream->unresolved < queue && stream->end_count + stream->unresolved >= queue) {
            due_ns = stream->end_ring[(stream->end_count + stream->unresolved) % queue];
        }
        if (stream->unresolved < queue && due_ns <= now_ns) {
            break;
        }
        begin_ns = begin_ns == 0 ? now_ns : begin_ns;
        if (stream->unresolved >= queue) {
            pthread_cond_wait(&vg_model.resolved, &vg_model.lock);
            continue;
        }
        pthread_mutex_unlock(&vg_model.lock);
        vg_wait_until(due_ns);
        pthread_mutex_lock(&vg_model.lock);
    }
    if (begin_ns != 0) {
        pthread_mutex_unlock(&vg_model.lock);
        vg_trace_overhead(VGPU_OVERHEAD_QUEUE_FULL, correlation, begin_ns, vg_now_ns());
        pthread_mutex_lock(&vg_model.lock);
    }
}

static void append(struct vg_stream *stream, struct vg_item *item)
{
    item->sequence = ++vg_model.sequence;
    item->stream = stream;
    *(stream->tail != NULL ? &stream->tail->next : &stream->head) = item;
    stream->tail = item;
    stream->unresolved++;
    vg_model.unresolved++;
    if (item->event != NULL) {
        item->event->holders++;
        if (item->kind == VG_ITEM_RECORD) {
            item->generation = ++item->event->issued;
            item->event->capture = NULL;
        } else {
            item->generation = item->event->issued;
        }
    }
}

int vg_submit(struct vg_stream *stream, const struct vg_item *item, uint64_t *end_ns)
{
    struct vg_item *own = malloc(sizeof(*own)), *done = NULL, **end = &done;
    if (own == NULL) {
        return 2;
    }
    *own = *item;
    own->next = NULL;
    own->op.device = (uint32_t)stream->context->device;
    own->op.context_id = stream->context->id;
    own->op.stream_id = stream->id;
    pthread_mutex_lock(&vg_model.lock);
    if (own->kind == VG_ITEM_OP) {
        wait_for_slot(stream, own->op.correlation);
    }
    own->issue_ns = vg_now_ns();
    own->op.queued_ns = own->issue_ns;
    append(stream, own);
    drain(stream, &end);
    drain_all(&end);
    if (end_ns != NULL) {
        *end_ns = stream->head == NULL ? stream->ready_ns : 0;
    }
    bool others = done != NULL && (done != own || done->next != NULL);
    pthread_mutex_unlock(&vg_model.lock);
    finish(done);
    if (others) {
        wake_waiters();
    }
    return 0;
}

void vg_wait_until(uint64_t due_ns)
{
    vg_sleep_until(due_ns, (uint64_t)vg_config()->spin_us * 1000);
}

/* The end of a stream's work including the legacy stream's, once all of it has times. */
void vg_wait_stream(struct vg_stream *stream)
{
    vg_effects_settle();
    pthread_mutex_lock(&vg_model.lock);
    struct vg_item all = {.sequence = ++vg_model.sequence};
    uint64_t due_ns = 0;
    while ((stream->head != NULL && stream->head->sequence < all.sequence) ||
           !base_time(stream, &all, &due_ns)) {
        pthread_cond_wait(&vg_model.resolved, &vg_model.lock);
    }
    due_ns = stream->legacy ? due_ns : stream->ready_ns;
    pthread_mutex_unlock(&vg_model.lock);
    vg_wait_until(due_ns);
}

static void wait_matching(const struct vg_context *context, int device)
{
    uint64_t due_ns = 0;
    vg_effects_settle();
    pthread_mutex_lock(&vg_model.lock);
    uint64_t sequence = ++vg_model.sequence;
    struct vg_stream *stream = vg_model.streams;
    while (stream != NULL) {
        bool mine =
            context != NULL ? stream->context == context : stream->context->device == device;
        if (mine && stream->head != NULL && stream->head->sequence < sequence) {
            pthread_cond_wait(&vg_model.resolved, &vg_model.lock);
            stream = vg_model.streams;
            continue;
        }
        if (mine) {
            due_ns = later(due_ns, later(stream->ready_ns, stream->context->retired_ns));
        }
        stream = stream->next;
    }
    pthread_mutex_unlock(&vg_model.lock);
    vg_wait_until(due_ns);
}

void vg_wait_context(struct vg_context *context)
{
    wait_matching(context, 0);
}

void vg_wait_device(int device)
{
    wait_matching(NULL, device);
}

void vg_wait_event(struct vg_event *event)
{
    vg_effects_settle();
    pthread_mutex_lock(&vg_model.lock);
    uint64_t generation = event->issued;
    while (event->resolved < generation) {
        pthread_cond_wait(&vg_model.resolved, &vg_model.lock);
    }
    uint64_t due_ns = event->time_ns;
    pthread_mutex_unlock(&vg_model.lock);
    vg_wait_until(due_ns);
}

bool vg_stream_done(struct vg_stream *stream)
{
    vg_effects_settle();
    pthread_mutex_lock(&vg_model.lock);
    struct vg_item all = {.sequence = ++vg_model.sequence};
    uint64_t due_ns = 0;
    bool known = stream->head == NULL && base_time(stream, &all, &due_ns);
    bool done = known && (stream->legacy ? due_ns : stream->ready_ns) <= vg_now_ns();
    pthread_mutex_unlock(&vg_model.lock);
    return done;
}

bool vg_event_done(struct vg_event *event)
{
    vg_effects_settle();
    pthread_mutex_lock(&vg_model.lock);
    bool done = event->resolved == event->issued && event->time_ns <= vg_now_ns();
    pthread_mutex_unlock(&vg_model.lock);
    return done;
}

uint32_t vg_busy_percent(int device, uint64_t window_ns)
{
    uint64_t now_ns = vg_now_ns(), from_ns = now_ns - window_ns, busy_ns = 0, covered_ns = from_ns;
    pthread_mutex_lock(&vg_model.lock);
    const struct vg_device *d = &vg_model.devices[device];
    const uint32_t slots = sizeof(d->busy) / sizeof(d->busy[0]);
    uint32_t first = d->busy_count > slots ? d->busy_count - slots : 0;
    for (uint32_t i = first; i != d->busy_count; i++) {
        /* Starts are nearly in order, so one pass over the union is close enough here. */
        uint64_t start_ns = later(d->busy[i % slots].start_ns, covered_ns);
        uint64_t end_ns = d->busy[i % slots].end_ns < now_ns ? d->busy[i % slots].end_ns : now_ns;
        if (end_ns > start_ns) {
            busy_ns += end_ns - start_ns;
            covered_ns = end_ns;
        }
    }
    pthread_mutex_unlock(&vg_model.lock);
    return (uint32_t)(busy_ns * 100 / window_ns);
}
