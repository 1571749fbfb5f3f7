/* Driver calls about streams, events, captures and waiting.
 * Threads: any. May not: hold the model's lock while waiting. */
#include "vgpu_clock.h"
#include "vgpu_config.h"
#include "vgpu_driver.h"
#include "vgpu_graph.h"
#include "vgpu_trace.h"

static int create_stream(void **handle, uint32_t flags, int priority)
{
    struct vg_context *context = vg_current_context();
    if (context == NULL) {
        return VG_INVALID_CONTEXT;
    }
    if (handle == NULL || (flags & ~VG_NON_BLOCKING) != 0) {
        return VG_INVALID_VALUE;
    }
    struct vg_stream *stream = vg_stream_create(context, flags, priority);
    if (stream == NULL) {
        return VG_OUT_OF_MEMORY;
    }
    *handle = stream;
    vg_trace_resource(VGPU_STREAM_CREATED, context, stream, 0);
    return VG_SUCCESS;
}

int vg_do_stream_create(const struct vg_a_stream_create *a, bool per_thread)
{
    (void)per_thread;
    return create_stream(a->stream, a->flags, 0);
}

int vg_do_stream_create_priority(const struct vg_a_stream_create_priority *a, bool per_thread)
{
    (void)per_thread;
    return create_stream(a->stream, a->flags, a->priority);
}

int vg_do_stream_destroy(const struct vg_a_stream_destroy *a, bool per_thread)
{
    (void)per_thread;
    struct vg_stream *stream = a->stream;
    if ((uintptr_t)stream <= 2 || stream->magic != VG_STREAM_MAGIC) {
        return VG_INVALID_HANDLE;
    }
    vg_trace_resource(VGPU_STREAM_DESTROYED, stream->context, stream, 0);
    vg_stream_destroy(stream);
    return VG_SUCCESS;
}

int vg_do_stream_query(const struct vg_a_stream_query *a, bool per_thread)
{
    int error = VG_SUCCESS;
    struct vg_stream *stream = vg_call_stream(a->stream, per_thread, &error);
    if (stream == NULL) {
        return error;
    }
    if (stream->capture != NULL) {
        return VG_CAPTURE_UNSUPPORTED;
    }
    return vg_stream_done(stream) ? VG_SUCCESS : VG_NOT_READY;
}

int vg_do_stream_synchronize(const struct vg_a_stream_synchronize *a, bool per_thread)
{
    int error = VG_SUCCESS;
    uint64_t start_ns = vg_now_ns();
    struct vg_stream *stream = vg_call_stream(a->stream, per_thread, &error);
    if (stream == NULL) {
        return error;
    }
    if (stream->capture != NULL) {
        return VG_CAPTURE_UNSUPPORTED;
    }
    vg_wait_stream(stream);
    vg_trace_sync(VGPU_SYNC_STREAM, stream, stream->context, NULL, start_ns);
    return VG_SUCCESS;
}

int vg_do_context_synchronize(const struct vg_a_context_synchronize *a, bool per_thread)
{
    (void)a;
    (void)per_thread;
    struct vg_context *context = vg_current_context();
    uint64_t start_ns = vg_now_ns();
    if (context == NULL) {
        return VG_INVALID_CONTEXT;
    }
    vg_wait_context(context);
    vg_trace_sync(VGPU_SYNC_CONTEXT, NULL, context, NULL, start_ns);
    return VG_SUCCESS;
}

int vg_do_stream_flags(const struct vg_a_stream_flags *a, bool per_thread)
{
    int error = VG_SUCCESS;
    struct vg_stream *stream = vg_call_stream(a->stream, per_thread, &error);
    if (stream != NULL) {
        *a->flags = stream->flags;
    }
    return error;
}

int vg_do_stream_priority(const struct vg_a_stream_priority *a, bool per_thread)
{
    int error = VG_SUCCESS;
    struct vg_stream *stream = vg_call_stream(a->stream, per_thread, &error);
    if (stream != NULL) {
        *a->priority = stream->priority;
    }
    return error;
}

int vg_do_stream_id(const struct vg_a_stream_id *a, bool per_thread)
{
    int error = VG_SUCCESS;
    struct vg_stream *stream = vg_call_stream(a->stream, per_thread, &error);
    if (stream != NULL) {
        *a->id = stream->id;
    }
    return error;
}

int vg_do_stream_context(const struct vg_a_stream_context *a, bool per_thread)
{
    int error = VG_SUCCESS;
    struct vg_stream *stream = vg_call_stream(a->stream, per_thread, &error);
    if (stream != NULL) {
        *a->context = stream->context;
    }
    return error;
}

int vg_do_capture_begin(const struct vg_a_capture_begin *a, bool per_thread)
{
    int error = VG_SUCCESS;
    struct vg_stream *stream = vg_call_stream(a->stream, per_thread, &error);
    return stream != NULL ? vg_capture_begin(stream, a->mode) : error;
}

int vg_do_capture_begin_old(const struct vg_a_capture_begin_old *a, bool per_thread)
{
    const struct vg_a_capture_begin same = {a->stream, 0};
    return vg_do_capture_begin(&same, per_thread);
}

int vg_do_capture_end(const struct vg_a_capture_end *a, bool per_thread)
{
    int error = VG_SUCCESS;
    struct vg_graph *graph = NULL;
    struct vg_stream *stream = vg_call_stream(a->stream, per_thread, &error);
    error = stream != NULL ? vg_capture_end(stream, &graph) : error;
    *a->graph = graph;
    return error;
}

int vg_do_capture_active(const struct vg_a_capture_active *a, bool per_thread)
{
    int error = VG_SUCCESS;
    struct vg_stream *stream = vg_call_stream(a->stream, per_thread, &error);
    if (stream != NULL) {
        *a->status = stream->capture != NULL;
    }
    return error;
}

enum { EVENT_BLOCKING = 1, EVENT_NO_TIMING = 2, EVENT_INTERPROCESS = 4 };

static struct vg_event *valid_event(void *handle)
{
    struct vg_event *event = handle;
    return event != NULL && event->magic == VG_EVENT_MAGIC ? event : NULL;
}

int vg_do_event_create(const struct vg_a_event_create *a, bool per_thread)
{
    (void)per_thread;
    if (vg_current_context() == NULL) {
        return VG_INVALID_CONTEXT;
    }
    if (a->event == NULL || a->flags > (EVENT_BLOCKING | EVENT_NO_TIMING | EVENT_INTERPROCESS)) {
        return VG_INVALID_VALUE;
    }
    *a->event = vg_event_create(vg_current_context(), a->flags);
    return *a->event != NULL ? VG_SUCCESS : VG_OUT_OF_MEMORY;
}

int vg_do_event_destroy(const struct vg_a_event_destroy *a, bool per_thread)
{
    (void)per_thread;
    struct vg_event *event = valid_event(a->event);
    if (event == NULL) {
        return VG_INVALID_HANDLE;
    }
    vg_event_destroy(event);
    return VG_SUCCESS;
}

static int mark(enum vg_item_kind kind, void *event_handle, void *stream_handle, bool per_thread)
{
    int error = VG_SUCCESS;
    struct vg_stream *stream = vg_call_stream(stream_handle, per_thread, &error);
    struct vg_event *event = valid_event(event_handle);
    if (stream == NULL || event == NULL) {
        return stream == NULL ? error : VG_INVALID_HANDLE;
    }
    struct vg_item item = {.kind = kind, .event = event};
    item.latency_ns = (uint64_t)vg_config()->event_ns;
    if (vg_capture_take(stream, &item)) {
        return VG_SUCCESS;
    }
    uint64_t start_ns = vg_now_ns();
    error = vg_submit(stream, &item, NULL);
    if (kind == VG_ITEM_WAIT) {
        vg_trace_sync(VGPU_SYNC_WAIT_EVENT, stream, stream->context, event, start_ns);
    }
    return error;
}

int vg_do_event_record(const struct vg_a_event_record *a, bool per_thread)
{
    return mark(VG_ITEM_RECORD, a->event, a->stream, per_thread);
}

int vg_do_event_record_flags(const struct vg_a_event_record_flags *a, bool per_thread)
{
    return mark(VG_ITEM_RECORD, a->event, a->stream, per_thread);
}

int vg_do_stream_wait_event(const struct vg_a_stream_wait_event *a, bool per_thread)
{
    return mark(VG_ITEM_WAIT, a->event, a->stream, per_thread);
}

int vg_do_event_query(const struct vg_a_event_query *a, bool per_thread)
{
    (void)per_thread;
    struct vg_event *event = valid_event(a->event);
    if (event == NULL) {
        return VG_INVALID_HANDLE;
    }
    return vg_event_done(event) ? VG_SUCCESS : VG_NOT_READY;
}

int vg_do_event_synchronize(const struct vg_a_event_synchronize *a, bool per_thread)
{
    (void)per_thread;
    struct vg_event *event = valid_event(a->event);
    uint64_t start_ns = vg_now_ns();
    if (event == NULL) {
        return VG_INVALID_HANDLE;
    }
    vg_wait_event(event);
    vg_trace_sync(VGPU_SYNC_EVENT, NULL, event->context, event, start_ns);
    return VG_SUCCESS;
}

int vg_do_event_elapsed(const struct vg_a_event_elapsed *a, bool per_thread)
{
    (void)per_thread;
    struct vg_event *from = valid_event(a->from), *to = valid_event(a->to);
    if (from == NULL || to == NULL || from->issued == 0 || to->issued == 0 ||
        ((from->flags | to->flags) & EVENT_NO_TIMING) != 0) {
        return VG_INVALID_HANDLE;
    }
    if (!vg_event_done(from) || !vg_event_done(to)) {
        return VG_NOT_READY;
    }
    *a->ms = (float)((double)((int64_t)(to->time_ns - from->time_ns)) / 1e6);
    return VG_SUCCESS;
}

int vg_do_event_elapsed_old(const struct vg_a_event_elapsed_old *a, bool per_thread)
{
    const struct vg_a_event_elapsed same = {a->ms, a->from, a->to};
    return vg_do_event_elapsed(&same, per_thread);
}

int vg_do_profiler_start(const struct vg_a_profiler_start *a, bool per_thread)
{
    (void)a;
    (void)per_thread;
    return VG_SUCCESS;
}

int vg_do_profiler_stop(const struct vg_a_profiler_stop *a, bool per_thread)
{
    (void)a;
    (void)per_thread;
    return VG_SUCCESS;
}
