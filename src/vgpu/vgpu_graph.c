/* Records captured work into graphs and launches them.
 * Threads: any. May not: run a node's work at capture. */
#include "vgpu_graph.h"

#include "vgpu_config.h"

#include <stdlib.h>
#include <string.h>

enum { INVALID_VALUE = 1, OUT_OF_MEMORY = 2, ILLEGAL_STATE = 401 };

struct vg_graph *vg_graph_create(void)
{
    struct vg_graph *graph = calloc(1, sizeof(*graph));
    if (graph != NULL) {
        pthread_mutex_lock(&vg_model.lock);
        graph->magic = VG_GRAPH_MAGIC;
        graph->id = ++vg_model.next_graph;
        pthread_mutex_unlock(&vg_model.lock);
    }
    return graph;
}

void vg_graph_free(struct vg_graph *graph)
{
    if (graph == NULL) {
        return;
    }
    for (int i = 0; i < graph->count; i++) {
        free(graph->nodes[i].after);
    }
    free(graph->nodes);
    graph->magic = 0;
    free(graph);
}

static int *copy_indices(const int *indices, int count)
{
    int *own = malloc((size_t)(count + 1) * sizeof(int));
    if (own != NULL && count > 0) {
        memcpy(own, indices, (size_t)count * sizeof(int));
    }
    return own;
}

int vg_graph_add(struct vg_graph *graph, const struct vg_item *item, const int *after, int count)
{
    size_t bytes = (size_t)(graph->count + 1) * sizeof(struct vg_node);
    struct vg_node *nodes = realloc(graph->nodes, bytes);
    int *own = copy_indices(after, count);
    if (nodes == NULL || own == NULL) {
        free(own);
        graph->nodes = nodes != NULL ? nodes : graph->nodes;
        return -1;
    }
    graph->nodes = nodes;
    struct vg_node *node = &nodes[graph->count];
    *node = (struct vg_node){.item = *item, .id = ++vg_model.next_node, .after = own};
    node->after_count = count;
    node->item.op.graph_id = graph->id;
    node->item.op.graph_node_id = node->id;
    return graph->count++;
}

struct vg_graph *vg_graph_copy(const struct vg_graph *graph, uint32_t id)
{
    struct vg_graph *copy = vg_graph_create();
    if (copy == NULL) {
        return NULL;
    }
    copy->id = id != 0 ? id : copy->id;
    pthread_mutex_lock(&vg_model.lock);
    for (int i = 0; i < graph->count; i++) {
        const struct vg_node *node = &graph->nodes[i];
        if (vg_graph_add(copy, &node->item, node->after, node->after_count) < 0) {
            break;
        }
        copy->nodes[i].id = copy->nodes[i].item.op.graph_node_id = node->id;
    }
    pthread_mutex_unlock(&vg_model.lock);
    return copy;
}

static void set_after(int **after, int *after_count, const int *from, int count)
{
    int *grown = realloc(*after, (size_t)(count + 1) * sizeof(int));
    if (grown != NULL) {
        *after = grown;
        *after_count = count;
        if (count > 0) {
            memcpy(grown, from, (size_t)count * sizeof(int));
        }
    }
}

int vg_capture_begin(struct vg_stream *stream, int mode)
{
    if (stream->legacy || stream->capture != NULL) {
        return ILLEGAL_STATE;
    }
    struct vg_graph *graph = vg_graph_create();
    if (graph == NULL) {
        return OUT_OF_MEMORY;
    }
    pthread_mutex_lock(&vg_model.lock);
    stream->capture = graph;
    stream->capture_mode = mode;
    stream->capture_origin = true;
    stream->capture_after_count = 0;
    pthread_mutex_unlock(&vg_model.lock);
    return 0;
}

int vg_capture_end(struct vg_stream *stream, struct vg_graph **graph)
{
    if (stream->capture == NULL || !stream->capture_origin) {
        return ILLEGAL_STATE;
    }
    pthread_mutex_lock(&vg_model.lock);
    *graph = stream->capture;
    for (struct vg_stream *other = vg_model.streams; other != NULL; other = other->next) {
        if (other->capture == *graph) {
            other->capture = NULL;
            other->capture_origin = false;
            other->capture_after_count = 0;
        }
    }
    pthread_mutex_unlock(&vg_model.lock);
    return 0;
}

/* A wait on an event recorded in a capture makes the waiting stream part of it. */
static bool take_wait(struct vg_stream *stream, const struct vg_event *event)
{
    if (event->capture == NULL || (stream->capture != NULL && stream->capture != event->capture)) {
        return stream->capture != NULL;
    }
    int had = stream->capture == NULL ? 0 : stream->capture_after_count;
    int *both = malloc((size_t)(had + event->capture_after_count + 1) * sizeof(int));
    if (both != NULL) {
        for (int i = 0; i < had; i++) {
            both[i] = stream->capture_after[i];
        }
        for (int i = 0; i < event->capture_after_count; i++) {
            both[had + i] = event->capture_after[i];
        }
        set_after(&stream->capture_after, &stream->capture_after_count, both,
                  had + event->capture_after_count);
        free(both);
    }
    stream->capture = event->capture;
    return true;
}

static bool take_locked(struct vg_stream *stream, const struct vg_item *item)
{
    struct vg_event *event = item->event;
    if (item->kind == VG_ITEM_WAIT) {
        return take_wait(stream, event);
    }
    if (stream->capture == NULL) {
        return false;
    }
    if (item->kind == VG_ITEM_RECORD) {
        event->capture = stream->capture;
        set_after(&event->capture_after, &event->capture_after_count, stream->capture_after,
                  stream->capture_after_count);
        return true;
    }
    int node =
        vg_graph_add(stream->capture, item, stream->capture_after, stream->capture_after_count);
    if (node >= 0) {
        set_after(&stream->capture_after, &stream->capture_after_count, &node, 1);
    }
    return true;
}

bool vg_capture_take(struct vg_stream *stream, const struct vg_item *item)
{
    pthread_mutex_lock(&vg_model.lock);
    bool taken = take_locked(stream, item);
    pthread_mutex_unlock(&vg_model.lock);
    return taken;
}

static void stamp(struct vgpu_op *op, const struct vg_stream *stream, uint32_t correlation)
{
    op->device = (uint32_t)stream->context->device;
    op->context_id = stream->context->id;
    op->stream_id = stream->id;
    op->correlation = correlation;
}

/* Graphs with host functions run node by node, in the order of their capture. */
static int launch_serially(struct vg_stream *stream, struct vg_graph *graph)
{
    int result = 0;
    for (int i = 0; i < graph->count && result == 0; i++) {
        result = vg_submit(stream, &graph->nodes[i].item, NULL);
    }
    vg_graph_free(graph);
    return result;
}

int vg_graph_launch(struct vg_stream *stream, const struct vg_graph *graph, uint32_t correlation)
{
    struct vg_graph *own = vg_graph_copy(graph, graph->id);
    if (own == NULL) {
        return OUT_OF_MEMORY;
    }
    bool host = false;
    for (int i = 0; i < own->count; i++) {
        struct vg_item *item = &own->nodes[i].item;
        stamp(&item->op, stream, correlation);
        if (item->effect.target != NULL) {
            vg_effect_add(&item->effect);
        }
        host |= item->kind == VG_ITEM_HOST;
    }
    if (host) {
        return launch_serially(stream, own);
    }
    struct vg_item item = {.kind = VG_ITEM_OP, .graph = own};
    item.op.kind = VGPU_GRAPH;
    item.op.graph_id = own->id;
    item.op.correlation = correlation;
    item.latency_ns = (uint64_t)vg_config()->launch_latency_ns;
    return vg_submit(stream, &item, NULL);
}
