/* Contexts, streams and events: creation, destruction and the meaning of handles.
 * Threads: any. May not: wait for the device. */
#include "vgpu_engine.h"

#include "vgpu_config.h"

#include <stdlib.h>

static __thread struct vg_stream *thread_streams[VGPU_MAX_DEVICES];

static struct vg_stream *new_stream(struct vg_context *context, uint32_t flags, int priority)
{
    struct vg_stream *stream = calloc(1, sizeof(*stream));
    if (stream == NULL) {
        return NULL;
    }
    stream->end_ring = calloc((size_t)vg_config()->queue, sizeof(uint64_t));
    if (stream->end_ring == NULL) {
        free(stream);
        return NULL;
    }
    stream->magic = VG_STREAM_MAGIC;
    stream->context = context;
    stream->flags = flags;
    stream->priority = priority;
    stream->blocking = (flags & VG_NON_BLOCKING) == 0;
    return stream;
}

struct vg_context *vg_context_create(int device, uint32_t flags)
{
    struct vg_context *context = calloc(1, sizeof(*context));
    struct vg_stream *legacy = context != NULL ? new_stream(context, 0, 0) : NULL;
    if (legacy == NULL) {
        free(context);
        return NULL;
    }
    legacy->legacy = true;
    legacy->blocking = false;
    legacy->id = 7;
    context->magic = VG_CONTEXT_MAGIC;
    context->device = device;
    context->flags = flags;
    context->legacy = legacy;
    pthread_mutex_lock(&vg_model.lock);
    context->id = ++vg_model.next_context;
    context->next = vg_model.contexts;
    vg_model.contexts = context;
    legacy->next = vg_model.streams;
    vg_model.streams = legacy;
    pthread_mutex_unlock(&vg_model.lock);
    return context;
}

void vg_context_destroy(struct vg_context *context)
{
    pthread_mutex_lock(&vg_model.lock);
    context->magic = 0; /* the memory stays: streams of other threads may still point here */
    pthread_mutex_unlock(&vg_model.lock);
}

struct vg_stream *vg_stream_create(struct vg_context *context, uint32_t flags, int priority)
{
    struct vg_stream *stream = new_stream(context, flags, priority);
    if (stream == NULL) {
        return NULL;
    }
    pthread_mutex_lock(&vg_model.lock);
    stream->id = 12 + ++vg_model.next_stream; /* as hardware: created ones count from 13 */
    stream->next = vg_model.streams;
    vg_model.streams = stream;
    pthread_mutex_unlock(&vg_model.lock);
    return stream;
}

void vg_stream_destroy(struct vg_stream *stream)
{
    pthread_mutex_lock(&vg_model.lock);
    stream->magic = 0;
    bool pending = stream->head != NULL;
    for (struct vg_stream **link = &vg_model.streams; *link != NULL && !pending;
         link = &(*link)->next) {
        if (*link == stream) {
            *link = stream->next;
            /* What still runs keeps its order with the legacy stream and with device waits. */
            struct vg_context *context = stream->context;
            struct vg_stream *legacy = context->legacy;
            if (context->retired_ns < stream->ready_ns) {
                context->retired_ns = stream->ready_ns;
            }
            if (stream->blocking && legacy->ready_ns < stream->ready_ns) {
                legacy->ready_ns = stream->ready_ns;
            }
            free(stream->end_ring);
            free(stream->capture_after);
            free(stream);
            break;
        }
    }
    pthread_mutex_unlock(&vg_model.lock);
}

struct vg_event *vg_event_create(struct vg_context *context, uint32_t flags)
{
    struct vg_event *event = calloc(1, sizeof(*event));
    if (event == NULL) {
        return NULL;
    }
    event->magic = VG_EVENT_MAGIC;
    event->context = context;
    event->flags = flags;
    event->holders = 1;
    pthread_mutex_lock(&vg_model.lock);
    event->id = ++vg_model.next_event;
    pthread_mutex_unlock(&vg_model.lock);
    return event;
}

void vg_event_release_locked(struct vg_event *event)
{
    if (--event->holders == 0) {
        free(event->capture_after);
        free(event);
    }
}

void vg_event_destroy(struct vg_event *event)
{
    pthread_mutex_lock(&vg_model.lock);
    event->magic = 0;
    vg_event_release_locked(event);
    pthread_mutex_unlock(&vg_model.lock);
}

static pthread_key_t thread_end;

/* A thread's own default streams go with it. */
static void drop_thread_streams(void *streams)
{
    struct vg_stream **own = streams;
    for (int device = 0; device < VGPU_MAX_DEVICES; device++) {
        if (own[device] != NULL) {
            vg_stream_destroy(own[device]);
            own[device] = NULL;
        }
    }
}

static void create_key(void)
{
    pthread_key_create(&thread_end, drop_thread_streams);
}

static struct vg_stream *thread_stream(struct vg_context *context)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct vg_stream **slot = &thread_streams[context->device];
    if (*slot == NULL || (*slot)->context != context) {
        pthread_once(&once, create_key);
        pthread_setspecific(thread_end, thread_streams);
        *slot = vg_stream_create(context, 0, 0);
    }
    return *slot;
}

struct vg_stream *vg_stream_from_handle(struct vg_context *context, void *handle, bool per_thread)
{
    uintptr_t value = (uintptr_t)handle;
    if (value == 2 || (value == 0 && per_thread)) {
        return thread_stream(context);
    }
    if (value == 1 || value == 0) {
        return context->legacy;
    }
    struct vg_stream *stream = handle;
    return stream->magic == VG_STREAM_MAGIC ? stream : NULL;
}
