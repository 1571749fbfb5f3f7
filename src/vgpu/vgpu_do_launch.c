/* Driver calls that launch kernels, host functions and graphs.
 * Threads: any. May not: read a kernel's arguments beyond the first, nor that without a rule. */
#include "vgpu_clock.h"
#include "vgpu_config.h"
#include "vgpu_driver.h"
#include "vgpu_graph.h"
#include "vgpu_trace.h"

#include <stdlib.h>
#include <string.h>

static int submit_or_capture(struct vg_stream *stream, const struct vg_item *item)
{
    if (vg_capture_take(stream, item)) {
        return VG_SUCCESS;
    }
    vg_burn_call((uint64_t)vg_config()->call_ns);
    return vg_submit(stream, item, NULL);
}

/* The first launch of a kernel loads it, and compiles it first if it came as text. */
static void load_lazily(struct vg_function *function)
{
    if (atomic_exchange(&function->loaded, true)) {
        return;
    }
    uint64_t start_ns = vg_now_ns();
    if (!function->module->open_ended && vg_config()->jit_ns > 0) {
        vg_burn((uint64_t)vg_config()->jit_ns);
        vg_trace_overhead(VGPU_OVERHEAD_COMPILER, vg_call_correlation(), start_ns, vg_now_ns());
    }
    vg_burn((uint64_t)vg_config()->function_ns);
    vg_trace_overhead(VGPU_OVERHEAD_FUNCTION_LOADING, vg_call_correlation(), start_ns, vg_now_ns());
}

static int launch(const struct vg_launch_config *config, void *handle, void **params, void **extra,
                  bool per_thread)
{
    struct vg_function *function = handle;
    int error = VG_SUCCESS;
    struct vg_stream *stream = vg_call_stream(config->stream, per_thread, &error);
    if (stream == NULL) {
        return error;
    }
    if (function == NULL || function->magic != VG_FUNCTION_MAGIC) {
        return VG_INVALID_HANDLE;
    }
    load_lazily(function);
    struct vg_item item = {.kind = VG_ITEM_OP};
    item.op.kind = VGPU_KERNEL;
    item.op.name = function->name;
    memcpy(item.op.grid, config->grid, sizeof(item.op.grid));
    memcpy(item.op.block, config->block, sizeof(item.op.block));
    for (int i = 0; i < 3; i++) {
        if (config->grid[i] == 0 || config->block[i] == 0) {
            return VG_INVALID_VALUE;
        }
    }
    if ((uint64_t)config->block[0] * config->block[1] * config->block[2] > 1024) {
        return VG_INVALID_VALUE;
    }
    item.op.shared_dynamic = config->shared_bytes;
    item.op.registers = (uint32_t)vg_config()->registers;
    item.op.correlation = vg_call_correlation();
    item.latency_ns = (uint64_t)vg_config()->launch_latency_ns;
    /* `extra` is {1 (buffer), address, 2 (size), address, 0}. */
    const void *first = params != NULL                           ? params[0]
                        : extra != NULL && extra[0] == (void *)1 ? extra[1]
                                                                 : NULL;
    item.duration_ns = vg_kernel_duration_ns(function->name, first);
    return submit_or_capture(stream, &item);
}

int vg_do_launch(const struct vg_a_launch *a, bool per_thread)
{
    const struct vg_launch_config config = {{a->grid_x, a->grid_y, a->grid_z},
                                            {a->block_x, a->block_y, a->block_z},
                                            a->shared_bytes,
                                            a->stream,
                                            NULL,
                                            0};
    return launch(&config, a->f, a->params, a->extra, per_thread);
}

int vg_do_launch_cooperative(const struct vg_a_launch_cooperative *a, bool per_thread)
{
    const struct vg_launch_config config = {{a->grid_x, a->grid_y, a->grid_z},
                                            {a->block_x, a->block_y, a->block_z},
                                            a->shared_bytes,
                                            a->stream,
                                            NULL,
                                            0};
    return launch(&config, a->f, a->params, NULL, per_thread);
}

int vg_do_launch_ex(const struct vg_a_launch_ex *a, bool per_thread)
{
    return launch(a->config, a->f, a->params, a->extra, per_thread);
}

static int host_function(void *handle, vg_host_function function, void *data, bool per_thread)
{
    int error = VG_SUCCESS;
    struct vg_stream *stream = vg_call_stream(handle, per_thread, &error);
    if (stream == NULL || function == NULL) {
        return stream == NULL ? error : VG_INVALID_VALUE;
    }
    struct vg_item item = {.kind = VG_ITEM_HOST};
    item.host_function = function;
    item.host_argument = data;
    item.latency_ns = (uint64_t)vg_config()->launch_latency_ns;
    return submit_or_capture(stream, &item);
}

int vg_do_launch_host(const struct vg_a_launch_host *a, bool per_thread)
{
    return host_function(a->stream, a->function, a->data, per_thread);
}

struct callback {
    vg_stream_callback function;
    void *stream, *data;
};

static void call_back(void *argument)
{
    struct callback *callback = argument;
    callback->function(callback->stream, VG_SUCCESS, callback->data);
    free(callback);
}

int vg_do_stream_callback(const struct vg_a_stream_callback *a, bool per_thread)
{
    struct callback *callback = malloc(sizeof(*callback));
    if (callback == NULL) {
        return VG_OUT_OF_MEMORY;
    }
    *callback = (struct callback){a->callback, a->stream, a->data};
    int result = host_function(a->stream, call_back, callback, per_thread);
    if (result != VG_SUCCESS) {
        free(callback);
    }
    return result;
}

int vg_do_function_attribute(const struct vg_a_function_attribute *a, bool per_thread)
{
    (void)per_thread;
    /* 0 threads per block, 4 registers, 5 PTX version, 6 binary version, 8 dynamic shared memory.
     */
    static const int limits[] = {1024, 0, 0, 0, 0, 80, 80, 0, 49152};
    const struct vg_function *function = a->f;
    if (function == NULL || function->magic != VG_FUNCTION_MAGIC) {
        return VG_INVALID_HANDLE;
    }
    bool known = a->attribute >= 0 && a->attribute < (int)(sizeof(limits) / sizeof(limits[0]));
    *a->value = a->attribute == 4 ? (int)vg_config()->registers : known ? limits[a->attribute] : 0;
    return VG_SUCCESS;
}

int vg_do_function_set_attribute(const struct vg_a_function_set_attribute *a, bool per_thread)
{
    (void)per_thread;
    const struct vg_function *function = a->f;
    return function != NULL && function->magic == VG_FUNCTION_MAGIC ? VG_SUCCESS
                                                                    : VG_INVALID_HANDLE;
}

int vg_do_function_name(const struct vg_a_function_name *a, bool per_thread)
{
    (void)per_thread;
    const struct vg_function *function = a->f;
    if (function == NULL || function->magic != VG_FUNCTION_MAGIC) {
        return VG_INVALID_HANDLE;
    }
    *a->name = function->name;
    return VG_SUCCESS;
}

/* Blocks that fit one multiprocessor by threads, registers, shared memory and the block limit. */
int vg_do_occupancy(const struct vg_a_occupancy *a, bool per_thread)
{
    (void)per_thread;
    if (a->block_size <= 0 || a->block_size > 1024 || a->blocks == NULL) {
        return VG_INVALID_VALUE;
    }
    int blocks = 2048 / a->block_size;
    int by_registers = (int)(65536 / (vg_config()->registers * a->block_size));
    int by_shared = a->shared_bytes == 0 ? 32 : (int)(167936 / (a->shared_bytes + 1024));
    blocks = blocks < by_registers ? blocks : by_registers;
    blocks = blocks < by_shared ? blocks : by_shared;
    *a->blocks = blocks < 32 ? blocks : 32;
    return VG_SUCCESS;
}

int vg_do_graph_create(const struct vg_a_graph_create *a, bool per_thread)
{
    (void)per_thread;
    *a->graph = vg_graph_create();
    return *a->graph != NULL ? VG_SUCCESS : VG_OUT_OF_MEMORY;
}

static struct vg_graph *valid_graph(void *handle)
{
    struct vg_graph *graph = handle;
    return graph != NULL && graph->magic == VG_GRAPH_MAGIC ? graph : NULL;
}

int vg_do_graph_destroy(const struct vg_a_graph_destroy *a, bool per_thread)
{
    (void)per_thread;
    struct vg_graph *graph = valid_graph(a->graph);
    vg_graph_free(graph);
    return graph != NULL ? VG_SUCCESS : VG_INVALID_HANDLE;
}

int vg_do_graph_nodes(const struct vg_a_graph_nodes *a, bool per_thread)
{
    (void)per_thread;
    struct vg_graph *graph = valid_graph(a->graph);
    if (graph == NULL) {
        return VG_INVALID_HANDLE;
    }
    for (size_t i = 0; a->nodes != NULL && i < *a->count && i < (size_t)graph->count; i++) {
        a->nodes[i] = &graph->nodes[i];
    }
    *a->count = (size_t)graph->count;
    return VG_SUCCESS;
}

int vg_do_graph_instantiate(const struct vg_a_graph_instantiate *a, bool per_thread)
{
    (void)per_thread;
    struct vg_graph *graph = valid_graph(a->graph);
    if (graph == NULL) {
        return VG_INVALID_HANDLE;
    }
    *a->exec = vg_graph_copy(graph, 0);
    return *a->exec != NULL ? VG_SUCCESS : VG_OUT_OF_MEMORY;
}

int vg_do_graph_exec_destroy(const struct vg_a_graph_exec_destroy *a, bool per_thread)
{
    const struct vg_a_graph_destroy same = {a->exec};
    return vg_do_graph_destroy(&same, per_thread);
}

int vg_do_graph_upload(const struct vg_a_graph_upload *a, bool per_thread)
{
    int error = VG_SUCCESS;
    vg_call_stream(a->stream, per_thread, &error);
    return valid_graph(a->exec) != NULL ? error : VG_INVALID_HANDLE;
}

int vg_do_graph_launch(const struct vg_a_graph_launch *a, bool per_thread)
{
    int error = VG_SUCCESS;
    struct vg_stream *stream = vg_call_stream(a->stream, per_thread, &error);
    struct vg_graph *graph = valid_graph(a->exec);
    if (stream == NULL || graph == NULL) {
        return stream == NULL ? error : VG_INVALID_HANDLE;
    }
    if (stream->capture != NULL) {
        return VG_CAPTURE_UNSUPPORTED;
    }
    vg_burn_call((uint64_t)vg_config()->call_ns);
    return vg_graph_launch(stream, graph, vg_call_correlation());
}
