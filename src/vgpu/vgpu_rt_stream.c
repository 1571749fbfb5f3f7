/* Runtime calls about streams, events, captures and graphs: each is one driver call.
 * Threads: any. May not: do more than pass on. */
#include "vgpu_runtime.h"

/* PASS(call, driver call): the implementation of `call` is that driver call in a ready context. */
#define PASS(call, expression)                                                                     \
    int rt_do_##call(const struct rt_a_##call *a, bool per_thread)                                 \
    {                                                                                              \
        READY(d);                                                                                  \
        return d->expression;                                                                      \
    }

PASS(stream_create, stream_create(a->stream, 0))
PASS(stream_create_flags, stream_create(a->stream, a->flags))
PASS(stream_create_priority, stream_create_priority(a->stream, a->flags, a->priority))
PASS(stream_destroy, stream_destroy(a->stream))
PASS(stream_query, stream_query[per_thread](a->stream))
PASS(stream_synchronize, stream_synchronize[per_thread](a->stream))
PASS(stream_wait_event, stream_wait_event[per_thread](a->stream, a->event, a->flags))
PASS(stream_flags, stream_flags[per_thread](a->stream, a->flags))
PASS(stream_priority, stream_priority[per_thread](a->stream, a->priority))
#if VGPU_MAJOR >= 12
PASS(stream_id, stream_id[per_thread](a->stream, a->id))
#endif
PASS(capture_begin, capture_begin[per_thread](a->stream, a->mode))
PASS(capture_end, capture_end[per_thread](a->stream, a->graph))
PASS(capture_active, capture_active[per_thread](a->stream, a->status))
PASS(event_create, event_create(a->event, 0))
PASS(event_create_flags, event_create(a->event, a->flags))
PASS(event_destroy, event_destroy(a->event))
PASS(event_record, event_record[per_thread](a->event, a->stream))
PASS(event_record_flags, event_record_flags[per_thread](a->event, a->stream, a->flags))
PASS(event_query, event_query(a->event))
PASS(event_synchronize, event_synchronize(a->event))
PASS(event_elapsed, event_elapsed(a->ms, a->from, a->to))
PASS(graph_create, graph_create(a->graph, a->flags))
PASS(graph_destroy, graph_destroy(a->graph))
PASS(graph_nodes, graph_nodes(a->graph, a->nodes, a->count))
#if VGPU_MAJOR >= 12
PASS(graph_instantiate, graph_instantiate(a->exec, a->graph, a->flags))
#endif
#if VGPU_MAJOR < 12
PASS(graph_instantiate_old, graph_instantiate(a->exec, a->graph, 0))
#endif
PASS(graph_instantiate_flags, graph_instantiate(a->exec, a->graph, a->flags))
PASS(graph_exec_destroy, graph_exec_destroy(a->exec))
PASS(graph_upload, graph_upload[per_thread](a->exec, a->stream))
PASS(graph_launch, graph_launch[per_thread](a->exec, a->stream))

int rt_do_capture_mode(const struct rt_a_capture_mode *a, bool per_thread)
{
    static __thread int mode; /* global, thread local or relaxed: only remembered */
    int before = mode;
    (void)per_thread;
    if (a->mode == NULL || *a->mode < 0 || *a->mode > 2) {
        return RT_INVALID_VALUE;
    }
    mode = *a->mode;
    *a->mode = before;
    return RT_SUCCESS;
}

static int capture_info(void *stream, int *status, unsigned long long *id, bool per_thread)
{
    READY(d);
    int error = d->capture_active[per_thread](stream, status);
    if (error == RT_SUCCESS && id != NULL && *status != 0) {
        *id = d->core->stream_id(NULL, stream, per_thread);
    }
    return error;
}

#if VGPU_MAJOR >= 13
int rt_do_capture_info(const struct rt_a_capture_info *a, bool per_thread)
{
    if (a->graph != NULL || a->nodes != NULL || a->edges != NULL || a->count != NULL) {
        return RT_NOT_SUPPORTED;
    }
    return capture_info(a->stream, a->status, a->id, per_thread);
}
#else
int rt_do_capture_info_old(const struct rt_a_capture_info_old *a, bool per_thread)
{
    return capture_info(a->stream, a->status, a->id, per_thread);
}

int rt_do_capture_info_v2(const struct rt_a_capture_info_v2 *a, bool per_thread)
{
    if (a->graph != NULL || a->nodes != NULL || a->count != NULL) {
        return RT_NOT_SUPPORTED;
    }
    return capture_info(a->stream, a->status, a->id, per_thread);
}
#endif

int rt_do_launch(const struct rt_a_launch *a, bool per_thread)
{
    READY(d);
    void *function = NULL;
    int error = rt_function(a->func, &function);
    return error != RT_SUCCESS
               ? error
               : d->launch[per_thread](function, a->grid.x, a->grid.y, a->grid.z, a->block.x,
                                       a->block.y, a->block.z, (uint32_t)a->shared_bytes, a->stream,
                                       a->args, NULL);
}

int rt_do_launch_cooperative(const struct rt_a_launch_cooperative *a, bool per_thread)
{
    READY(d);
    void *function = NULL;
    int error = rt_function(a->func, &function);
    return error != RT_SUCCESS
               ? error
               : d->launch_cooperative[per_thread](function, a->grid.x, a->grid.y, a->grid.z,
                                                   a->block.x, a->block.y, a->block.z,
                                                   (uint32_t)a->shared_bytes, a->stream, a->args);
}

/* The driver's form of a launch configuration. */
struct driver_config {
    struct vg_dim3 grid, block;
    uint32_t shared_bytes;
    void *stream, *attributes;
    uint32_t attribute_count;
};

int rt_do_launch_ex(const struct rt_a_launch_ex *a, bool per_thread)
{
    READY(d);
    void *function = NULL;
    int error = rt_function(a->func, &function);
    if (error != RT_SUCCESS) {
        return error;
    }
    const struct driver_config config = {
        a->config->grid,   a->config->block,      (uint32_t)a->config->shared_bytes,
        a->config->stream, a->config->attributes, a->config->attribute_count};
    return d->launch_ex[per_thread](&config, function, a->args, NULL);
}

PASS(launch_host, launch_host[per_thread](a->stream, a->function, a->data))
PASS(stream_callback, stream_callback[per_thread](a->stream, a->callback, a->data, a->flags))
