/* The device model: contexts, streams, events and the operations in them. An operation gets its
 * start and end the moment everything before it has them, which is at once unless a host function
 * is in the way.
 * Threads: any; one lock guards the whole model. May not: call a tracer or user code under the
 * lock, nor let a tracer's presence change a time. */
#ifndef VGPU_ENGINE_H
#define VGPU_ENGINE_H

#include "vgpu_core.h"
#include "vgpu_effects.h"

#include <pthread.h>

enum vg_item_kind { VG_ITEM_OP, VG_ITEM_HOST, VG_ITEM_RECORD, VG_ITEM_WAIT };
enum { VG_ENGINE_NONE, VG_ENGINE_UP, VG_ENGINE_DOWN, VG_ENGINES };

struct vg_graph;
struct vg_event;

/* One entry of a stream. */
struct vg_item {
    enum vg_item_kind kind;
    struct vgpu_op op;
    uint64_t sequence, issue_ns, latency_ns, duration_ns;
    int engine;
    struct vg_event *event;
    uint64_t generation; /* of the event, for RECORD and WAIT */
    void (*host_function)(void *);
    void *host_argument;
    bool host_started, host_done;
    struct vg_graph *graph; /* a launched graph's own copy, counted */
    struct vg_stream *stream;
    struct vg_item *next;
    struct vg_effect effect; /* target NULL: none; graphs repeat it at every launch */
};

struct vg_stream {
    uint32_t magic, id;
    struct vg_context *context;
    bool legacy, blocking; /* blocking: orders with the legacy stream */
    int priority;
    uint32_t flags;
    uint64_t ready_ns;           /* end of the last operation that has its times */
    struct vg_item *head, *tail; /* operations that still lack them */
    uint32_t unresolved;
    uint64_t *end_ring, end_count; /* ends of the last `queue` operations */
    struct vg_graph *capture;
    int capture_mode, *capture_after, capture_after_count; /* nodes the next one follows */
    bool capture_origin;
    struct vg_stream *next;
};

struct vg_context {
    uint32_t magic, id;
    int device;
    uint32_t flags;
    struct vg_stream *legacy;
    uint64_t retired_ns; /* end of the work of streams that were destroyed */
    struct vg_context *next;
};

struct vg_event {
    uint32_t magic, id, flags, holders;
    struct vg_context *context;
    uint64_t issued, resolved; /* generations of records */
    uint64_t time_ns;          /* of the newest resolved record */
    struct vg_graph *capture;  /* the graph the newest record belongs to */
    int *capture_after, capture_after_count;
};

struct vg_device {
    struct vg_context *primary;
    int primary_users;
    uint64_t engine_free_ns[VG_ENGINES];
    uint64_t used_bytes;
    struct vg_span {
        uint64_t start_ns, end_ns;
    } busy[16384]; /* the last kernels, for the utilisation */
    uint32_t busy_count;
};

struct vg_model {
    pthread_mutex_t lock;
    pthread_cond_t resolved; /* some operation got its times, or a host function ended */
    struct vg_device devices[VGPU_MAX_DEVICES];
    struct vg_context *contexts;
    struct vg_stream *streams;
    uint64_t sequence;
    uint32_t unresolved; /* items in all streams that lack times */
    uint32_t next_context, next_stream, next_event, next_graph;
    uint64_t next_node;
};
extern struct vg_model vg_model;

#define VG_STREAM_MAGIC  0x76737472u
#define VG_CONTEXT_MAGIC 0x76637478u
#define VG_EVENT_MAGIC   0x76657674u
#define VG_NON_BLOCKING  1u

/* Objects. Creation never fails but for memory (NULL). */
struct vg_context *vg_context_create(int device, uint32_t flags);
void vg_context_destroy(struct vg_context *context);
struct vg_stream *vg_stream_create(struct vg_context *context, uint32_t flags, int priority);
void vg_stream_destroy(struct vg_stream *stream); /* queued work still runs */
struct vg_event *vg_event_create(struct vg_context *context, uint32_t flags);
void vg_event_destroy(struct vg_event *event);
void vg_event_release_locked(struct vg_event *event);

/* The stream a handle names in this thread: NULL and 1 are the legacy stream (NULL is the
 * per-thread one with per_thread), 2 the per-thread one. NULL for an invalid handle. */
struct vg_stream *vg_stream_from_handle(struct vg_context *context, void *handle, bool per_thread);

/* Appends a copy of *item. Blocks while the stream's queue is full. 0, or a driver error.
 * *end_ns (may be NULL) gets the item's end, 0 while it has none. */
int vg_submit(struct vg_stream *stream, const struct vg_item *item, uint64_t *end_ns);

/* Waits until everything issued so far to a stream, a context or an event is done. */
void vg_wait_stream(struct vg_stream *stream);
void vg_wait_context(struct vg_context *context);
void vg_wait_device(int device);
void vg_wait_event(struct vg_event *event);
bool vg_stream_done(struct vg_stream *stream);
bool vg_event_done(struct vg_event *event);
/* Sleeps until due_ns, spinning the configured last part. */
void vg_wait_until(uint64_t due_ns);

/* Called by the host-function thread when a function has returned. */
void vg_host_function_done(struct vg_item *item);
/* Queues the item's function for the host-function thread at ready_ns. Lock held. */
void vg_host_function_schedule(struct vg_item *item, uint64_t ready_ns);

/* The share of the last window_ns in which a kernel ran, 0..100. */
uint32_t vg_busy_percent(int device, uint64_t window_ns);

#endif
