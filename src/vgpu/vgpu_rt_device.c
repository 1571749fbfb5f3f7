/* Runtime calls about devices, versions, functions, libraries and look-ups.
 * Threads: any. May not: answer from anything but the driver. */
#include "vgpu_runtime.h"

#include <stdio.h>
#include <string.h>

int rt_do_driver_version(const struct rt_a_driver_version *a, bool per_thread)
{
    const struct rt_driver *d = NULL;
    (void)per_thread;
    *a->version = 0;
    return rt_load(&d) == RT_INSUFFICIENT_DRIVER ? RT_SUCCESS : d->driver_version(a->version);
}

int rt_do_runtime_version(const struct rt_a_runtime_version *a, bool per_thread)
{
    static const int versions[] = {11080, 12040, 13000};
    (void)per_thread;
    *a->version = versions[VGPU_MAJOR - 11];
    return RT_SUCCESS;
}

int rt_do_device_count(const struct rt_a_device_count *a, bool per_thread)
{
    *a->count = 0;
    LOAD(d);
    return d->device_count(a->count);
}

int rt_do_device_get(const struct rt_a_device_get *a, bool per_thread)
{
    LOAD(d);
    int device = rt_device();
    if (d->core->current_context() != NULL) {
        device = d->core->context_device(d->core->current_context());
    }
    *a->device = device;
    return RT_SUCCESS;
}

int rt_do_device_set(const struct rt_a_device_set *a, bool per_thread)
{
    LOAD(d);
    return rt_set_device(a->device);
}

int rt_do_device_flags_set(const struct rt_a_device_flags_set *a, bool per_thread)
{
    (void)a;
    LOAD(d);
    return RT_SUCCESS;
}

int rt_do_device_flags_get(const struct rt_a_device_flags_get *a, bool per_thread)
{
    READY(d);
    *a->flags = 0;
    return RT_SUCCESS;
}

int rt_do_device_attribute(const struct rt_a_device_attribute *a, bool per_thread)
{
    LOAD(d);
    return d->device_attribute(a->value, a->attribute, a->device);
}

#if VGPU_MAJOR >= 12
int rt_do_device_init(const struct rt_a_device_init *a, bool per_thread)
{
    LOAD(d);
    return rt_set_device(a->device);
}
#endif

int rt_do_device_synchronize(const struct rt_a_device_synchronize *a, bool per_thread)
{
    (void)a;
    READY(d);
    return d->context_synchronize();
}

int rt_do_device_reset(const struct rt_a_device_reset *a, bool per_thread)
{
    (void)a;
    READY(d);
    int device = 0;
    d->context_device(&device);
    int error = d->primary_reset(device);
    rt_forget_device(device);
    return error;
}

int rt_do_device_limit_set(const struct rt_a_device_limit_set *a, bool per_thread)
{
    (void)a;
    READY(d);
    return RT_SUCCESS;
}

int rt_do_device_limit_get(const struct rt_a_device_limit_get *a, bool per_thread)
{
    /* stack bytes, printf FIFO, malloc heap, sync depth, pending launches, L2 fetch, persisting */
    static const size_t limits[] = {1024, 1048576, 8388608, 2, 2048, 64, 0};
    READY(d);
    if (a->limit < 0 || a->limit >= (int)(sizeof(limits) / sizeof(limits[0]))) {
        return RT_INVALID_VALUE;
    }
    *a->value = limits[a->limit];
    return RT_SUCCESS;
}

int rt_do_device_cache_set(const struct rt_a_device_cache_set *a, bool per_thread)
{
    (void)a;
    READY(d);
    return RT_SUCCESS;
}

int rt_do_device_bus_id(const struct rt_a_device_bus_id *a, bool per_thread)
{
    LOAD(d);
    return d->device_bus_id(a->text, a->bytes, a->device);
}

int rt_do_device_priorities(const struct rt_a_device_priorities *a, bool per_thread)
{
    READY(d);
    return d->context_priorities(a->least, a->greatest);
}

int rt_do_peer_can(const struct rt_a_peer_can *a, bool per_thread)
{
    LOAD(d);
    return d->device_can_access_peer(a->can, a->device, a->peer);
}

int rt_do_peer_enable(const struct rt_a_peer_enable *a, bool per_thread)
{
    READY(d);
    int count = 0;
    d->device_count(&count);
    return a->peer >= 0 && a->peer < count ? RT_SUCCESS : RT_INVALID_DEVICE;
}

int rt_do_function_by_symbol(const struct rt_a_function_by_symbol *a, bool per_thread)
{
    (void)per_thread;
    return rt_function(a->func, a->function);
}

/* cudaFuncAttributes; what came with CUDA 12 reads 0. */
struct function_attributes {
    size_t shared_bytes, constant_bytes, local_bytes;
    int max_threads, registers, ptx_version, binary_version, cache_mode, max_dynamic_bytes,
        carveout;
#if VGPU_MAJOR >= 12
    int rest[6 + 16];
#endif
};
_Static_assert(sizeof(struct function_attributes) == (VGPU_MAJOR >= 12 ? 144 : 56),
               "function attributes");

int rt_do_function_attributes(const struct rt_a_function_attributes *a, bool per_thread)
{
    READY(d);
    void *function = NULL;
    int error = rt_function(a->func, &function);
    if (error != RT_SUCCESS) {
        return error;
    }
    struct function_attributes attributes = {.carveout = -1};
    d->function_attribute(&attributes.max_threads, 0, function);
    d->function_attribute(&attributes.registers, 4, function);
    d->function_attribute(&attributes.ptx_version, 5, function);
    d->function_attribute(&attributes.binary_version, 6, function);
    d->function_attribute(&attributes.max_dynamic_bytes, 8, function);
    memcpy(a->attributes, &attributes, sizeof(attributes));
    return RT_SUCCESS;
}

int rt_do_function_attribute_set(const struct rt_a_function_attribute_set *a, bool per_thread)
{
    READY(d);
    void *function = NULL;
    int error = rt_function(a->func, &function);
    return error != RT_SUCCESS ? error
                               : d->function_set_attribute(function, a->attribute, a->value);
}

int rt_do_function_cache_set(const struct rt_a_function_cache_set *a, bool per_thread)
{
    void *function = NULL;
    (void)per_thread;
    return rt_function(a->func, &function);
}

int rt_do_occupancy(const struct rt_a_occupancy *a, bool per_thread)
{
    READY(d);
    void *function = NULL;
    int error = rt_function(a->func, &function);
    return error != RT_SUCCESS ? error
                               : d->occupancy(a->blocks, function, a->block_size, a->shared_bytes);
}

int rt_do_occupancy_flags(const struct rt_a_occupancy_flags *a, bool per_thread)
{
    const struct rt_a_occupancy plain = {a->blocks, a->func, a->block_size, a->shared_bytes};
    return rt_do_occupancy(&plain, per_thread);
}

#if VGPU_MAJOR >= 12
int rt_do_kernel_by_symbol(const struct rt_a_kernel_by_symbol *a, bool per_thread)
{
    (void)per_thread;
    return rt_function(a->func, a->kernel);
}

int rt_do_function_name(const struct rt_a_function_name *a, bool per_thread)
{
    (void)per_thread;
    *a->name = rt_function_name(a->func);
    return *a->name != NULL ? RT_SUCCESS : RT_INVALID_DEVICE_FUNCTION;
}

int rt_do_library_load(const struct rt_a_library_load *a, bool per_thread)
{
    READY(d);
    return d->library_load(a->library, a->code, a->jit_options, a->jit_values, a->jit_count,
                           a->options, a->values, a->count);
}

int rt_do_library_unload(const struct rt_a_library_unload *a, bool per_thread)
{
    READY(d);
    return d->library_unload(a->library);
}

int rt_do_library_kernel(const struct rt_a_library_kernel *a, bool per_thread)
{
    READY(d);
    return d->library_kernel(a->kernel, a->library, a->name);
}

int rt_do_library_kernel_count(const struct rt_a_library_kernel_count *a, bool per_thread)
{
    READY(d);
    return d->library_kernel_count(a->count, a->library);
}
#endif

static int entry_point(const char *symbol, void **function, int version, uint64_t flags,
                       int *status, bool per_thread)
{
    LOAD(d);
    return d->proc_address(symbol, function, version, per_thread ? flags | 2 : flags, status);
}

#if VGPU_MAJOR >= 12
int rt_do_entry_point(const struct rt_a_entry_point *a, bool per_thread)
{
    return entry_point(a->symbol, a->function, VGPU_MAJOR * 1000, a->flags, a->status, per_thread);
}

int rt_do_entry_point_version(const struct rt_a_entry_point_version *a, bool per_thread)
{
    return entry_point(a->symbol, a->function, (int)a->version, a->flags, a->status, per_thread);
}
#else
int rt_do_entry_point_old(const struct rt_a_entry_point_old *a, bool per_thread)
{
    return entry_point(a->symbol, a->function, VGPU_MAJOR * 1000, a->flags, NULL, per_thread);
}
#endif

int rt_do_profiler_start(const struct rt_a_profiler_start *a, bool per_thread)
{
    (void)a;
    READY(d);
    return d->profiler_start();
}

int rt_do_profiler_stop(const struct rt_a_profiler_stop *a, bool per_thread)
{
    (void)a;
    READY(d);
    return d->profiler_stop();
}
