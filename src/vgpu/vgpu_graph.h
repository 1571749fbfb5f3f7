/* Graphs: nodes recorded from captured streams, and their launches.
 * Threads: any, under the model's lock where said. May not: change a graph once instantiated. */
#ifndef VGPU_GRAPH_H
#define VGPU_GRAPH_H

#include "vgpu_engine.h"

#define VG_GRAPH_MAGIC 0x76677068u

struct vg_node {
    struct vg_item item;
    uint64_t id, end_ns;
    int *after, after_count; /* indices of earlier nodes */
};

struct vg_graph {
    uint32_t magic, id;
    struct vg_node *nodes;
    int count;
};

struct vg_graph *vg_graph_create(void);
void vg_graph_free(struct vg_graph *graph); /* NULL is fine */
/* A copy whose nodes carry the launch's ids; id 0 takes a new one. NULL: no memory. */
struct vg_graph *vg_graph_copy(const struct vg_graph *graph, uint32_t id);
/* Adds a node after the given ones. Its index, or -1 without memory. Lock held. */
int vg_graph_add(struct vg_graph *graph, const struct vg_item *item, const int *after, int count);

/* Capture. Results are driver error codes. */
int vg_capture_begin(struct vg_stream *stream, int mode);
int vg_capture_end(struct vg_stream *stream, struct vg_graph **graph);
/* If the item belongs to a capture, takes it and returns true. */
bool vg_capture_take(struct vg_stream *stream, const struct vg_item *item);

/* Launches an instantiated graph into the stream. */
int vg_graph_launch(struct vg_stream *stream, const struct vg_graph *graph, uint32_t correlation);

#endif
