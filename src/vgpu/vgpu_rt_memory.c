/* Runtime calls that allocate, copy and set memory, by the driver calls the real runtime uses.
 * Threads: any. May not: know how long anything takes. */
#include "vgpu_runtime.h"

#include <string.h>

static uint64_t address_of(const void *pointer)
{
    return (uint64_t)(uintptr_t)pointer;
}

int rt_do_malloc(const struct rt_a_malloc *a, bool per_thread)
{
    READY(d);
    uint64_t address = 0;
    if (a->address == NULL) {
        return RT_INVALID_VALUE;
    }
    int error = a->bytes == 0 ? RT_SUCCESS : d->memory_alloc(&address, a->bytes);
    *a->address = (void *)(uintptr_t)address;
    return error;
}

int rt_do_malloc_pitch(const struct rt_a_malloc_pitch *a, bool per_thread)
{
    READY(d);
    uint64_t address = 0;
    int error = d->memory_alloc_pitch(&address, a->pitch, a->width, a->height, 16);
    *a->address = (void *)(uintptr_t)address;
    return error;
}

int rt_do_malloc_managed(const struct rt_a_malloc_managed *a, bool per_thread)
{
    READY(d);
    uint64_t address = 0;
    int error = d->memory_managed(&address, a->bytes, a->flags);
    *a->address = (void *)(uintptr_t)address;
    return error;
}

int rt_do_free(const struct rt_a_free *a, bool per_thread)
{
    READY(d);
    return d->memory_free(address_of(a->address));
}

int rt_do_malloc_host(const struct rt_a_malloc_host *a, bool per_thread)
{
    READY(d);
    return d->host_alloc(a->address, a->bytes, 0);
}

int rt_do_host_alloc(const struct rt_a_host_alloc *a, bool per_thread)
{
    READY(d);
    return d->host_alloc(a->address, a->bytes, a->flags);
}

int rt_do_free_host(const struct rt_a_free_host *a, bool per_thread)
{
    READY(d);
    return d->host_free(a->address);
}

int rt_do_host_register(const struct rt_a_host_register *a, bool per_thread)
{
    READY(d);
    return d->host_register(a->address, a->bytes, a->flags);
}

int rt_do_host_unregister(const struct rt_a_host_unregister *a, bool per_thread)
{
    READY(d);
    return d->host_unregister(a->address);
}

int rt_do_host_device_pointer(const struct rt_a_host_device_pointer *a, bool per_thread)
{
    READY(d);
    uint64_t address = 0;
    int error = d->host_device_pointer(&address, a->address, a->flags);
    *a->device_address = (void *)(uintptr_t)address;
    return error;
}

int rt_do_host_flags(const struct rt_a_host_flags *a, bool per_thread)
{
    READY(d);
    return d->host_flags(a->flags, a->address);
}

int rt_do_memory_info(const struct rt_a_memory_info *a, bool per_thread)
{
    READY(d);
    return d->memory_info(a->free_bytes, a->total_bytes);
}

/* cudaPointerAttributes; the reserved words came with CUDA 13. */
struct pointer_attributes {
    int type, device; /* type: 0 unregistered, 1 host, 2 device, 3 managed */
    void *device_pointer, *host_pointer;
#if VGPU_MAJOR >= 13
    long reserved[8];
#endif
};

int rt_do_pointer_attributes(const struct rt_a_pointer_attributes *a, bool per_thread)
{
    READY(d);
    struct pointer_attributes attributes = {.device = -2};
    uint64_t address = address_of(a->address);
    uint32_t type = 0, managed = 0, device = 0;
    if (d->pointer_attribute(&type, 2, address) != RT_SUCCESS) {
        attributes.host_pointer = (void *)(uintptr_t)a->address;
        memcpy(a->attributes, &attributes, sizeof(attributes));
        return RT_SUCCESS;
    }
    d->pointer_attribute(&managed, 8, address);
    d->pointer_attribute(&device, 9, address);
    d->pointer_attribute(&attributes.device_pointer, 3, address);
    d->pointer_attribute(&attributes.host_pointer, 4, address);
    attributes.type = managed ? 3 : (int)type;
    attributes.device = (int)device;
    memcpy(a->attributes, &attributes, sizeof(attributes));
    return RT_SUCCESS;
}

int rt_do_malloc_async(const struct rt_a_malloc_async *a, bool per_thread)
{
    READY(d);
    uint64_t address = 0;
    int error = d->memory_alloc_async[per_thread](&address, a->bytes, a->stream);
    *a->address = (void *)(uintptr_t)address;
    return error;
}

int rt_do_free_async(const struct rt_a_free_async *a, bool per_thread)
{
    READY(d);
    return d->memory_free_async[per_thread](address_of(a->address), a->stream);
}

enum { HOST_TO_HOST, HOST_TO_DEVICE, DEVICE_TO_HOST, DEVICE_TO_DEVICE, BY_ADDRESS };

int rt_do_copy(const struct rt_a_copy *a, bool per_thread)
{
    READY(d);
    uint64_t target = address_of(a->target), source = address_of(a->source);
    switch (a->kind) {
    case HOST_TO_DEVICE:
        return d->upload[per_thread](target, a->source, a->bytes);
    case DEVICE_TO_HOST:
        return d->download[per_thread](a->target, source, a->bytes);
    case DEVICE_TO_DEVICE:
        return d->device_copy[per_thread](target, source, a->bytes);
    case HOST_TO_HOST:
    case BY_ADDRESS:
        return d->copy[per_thread](target, source, a->bytes);
    default:
        return RT_INVALID_COPY_KIND;
    }
}

int rt_do_copy_async(const struct rt_a_copy_async *a, bool per_thread)
{
    READY(d);
    uint64_t target = address_of(a->target), source = address_of(a->source);
    switch (a->kind) {
    case HOST_TO_DEVICE:
        return d->upload_async[per_thread](target, a->source, a->bytes, a->stream);
    case DEVICE_TO_HOST:
        return d->download_async[per_thread](a->target, source, a->bytes, a->stream);
    case DEVICE_TO_DEVICE:
        return d->device_copy_async[per_thread](target, source, a->bytes, a->stream);
    case HOST_TO_HOST:
    case BY_ADDRESS:
        return d->copy_async[per_thread](target, source, a->bytes, a->stream);
    default:
        return RT_INVALID_COPY_KIND;
    }
}

/* CUDA_MEMCPY2D with both sides given by address (type 4). */
struct copy_2d {
    size_t source_x, source_y;
    int source_type;
    const void *source_host;
    uint64_t source;
    void *source_array;
    size_t source_pitch, target_x, target_y;
    int target_type;
    void *target_host;
    uint64_t target;
    void *target_array;
    size_t target_pitch, width, height;
};

static struct copy_2d shape(const struct rt_a_copy_2d_async *a)
{
    return (struct copy_2d){.source_type = 4,
                            .source = address_of(a->source),
                            .source_pitch = a->source_pitch,
                            .target_type = 4,
                            .target = address_of(a->target),
                            .target_pitch = a->target_pitch,
                            .width = a->width,
                            .height = a->height};
}

int rt_do_copy_2d(const struct rt_a_copy_2d *a, bool per_thread)
{
    READY(d);
    const struct rt_a_copy_2d_async same = {a->target, a->target_pitch, a->source, a->source_pitch,
                                            a->width,  a->height,       a->kind,   NULL};
    const struct copy_2d copy = shape(&same);
    return d->copy_2d[per_thread](&copy);
}

int rt_do_copy_2d_async(const struct rt_a_copy_2d_async *a, bool per_thread)
{
    READY(d);
    const struct copy_2d copy = shape(a);
    return d->copy_2d_async[per_thread](&copy, a->stream);
}

/* The part of a variable that a copy touches. */
static int part(const void *symbol, size_t offset, size_t bytes, char **address)
{
    void *start = NULL;
    size_t size = 0;
    int error = rt_symbol(symbol, &start, &size);
    if (error == RT_SUCCESS && (offset > size || bytes > size - offset)) {
        error = RT_INVALID_VALUE;
    }
    *address = error == RT_SUCCESS ? (char *)start + offset : NULL;
    return error;
}

int rt_do_copy_to_symbol(const struct rt_a_copy_to_symbol *a, bool per_thread)
{
    char *address = NULL;
    int error = part(a->symbol, a->offset, a->bytes, &address);
    const struct rt_a_copy copy = {address, a->source, a->bytes, a->kind};
    return error != RT_SUCCESS ? error : rt_do_copy(&copy, per_thread);
}

int rt_do_copy_from_symbol(const struct rt_a_copy_from_symbol *a, bool per_thread)
{
    char *address = NULL;
    int error = part(a->symbol, a->offset, a->bytes, &address);
    const struct rt_a_copy copy = {a->target, address, a->bytes, a->kind};
    return error != RT_SUCCESS ? error : rt_do_copy(&copy, per_thread);
}

int rt_do_copy_to_symbol_async(const struct rt_a_copy_to_symbol_async *a, bool per_thread)
{
    char *address = NULL;
    int error = part(a->symbol, a->offset, a->bytes, &address);
    const struct rt_a_copy_async copy = {address, a->source, a->bytes, a->kind, a->stream};
    return error != RT_SUCCESS ? error : rt_do_copy_async(&copy, per_thread);
}

int rt_do_copy_from_symbol_async(const struct rt_a_copy_from_symbol_async *a, bool per_thread)
{
    char *address = NULL;
    int error = part(a->symbol, a->offset, a->bytes, &address);
    const struct rt_a_copy_async copy = {a->target, address, a->bytes, a->kind, a->stream};
    return error != RT_SUCCESS ? error : rt_do_copy_async(&copy, per_thread);
}

int rt_do_symbol_address(const struct rt_a_symbol_address *a, bool per_thread)
{
    size_t bytes = 0;
    (void)per_thread;
    return rt_symbol(a->symbol, a->address, &bytes);
}

int rt_do_symbol_size(const struct rt_a_symbol_size *a, bool per_thread)
{
    void *address = NULL;
    (void)per_thread;
    return rt_symbol(a->symbol, &address, a->bytes);
}

int rt_do_peer_copy(const struct rt_a_peer_copy *a, bool per_thread)
{
    READY(d);
    return d->peer_copy(address_of(a->target), NULL, address_of(a->source), NULL, a->bytes);
}

int rt_do_peer_copy_async(const struct rt_a_peer_copy_async *a, bool per_thread)
{
    READY(d);
    return d->peer_copy_async(address_of(a->target), NULL, address_of(a->source), NULL, a->bytes,
                              a->stream);
}

#if VGPU_MAJOR >= 13
int rt_do_copy_batch(const struct rt_a_copy_batch *a, bool per_thread)
{
    READY(d);
    return d->copy_batch2[per_thread]((uint64_t *)a->targets, (uint64_t *)a->sources, a->sizes,
                                      a->count, a->attributes, a->indices, a->attribute_count,
                                      a->stream);
}
#else
int rt_do_prefetch(const struct rt_a_prefetch *a, bool per_thread)
{
    READY(d);
    return d->prefetch[per_thread](address_of(a->address), a->bytes, a->device, a->stream);
}
#endif

#if VGPU_MAJOR == 12
int rt_do_copy_batch_old(const struct rt_a_copy_batch_old *a, bool per_thread)
{
    READY(d);
    return d->copy_batch[per_thread]((uint64_t *)a->targets, (uint64_t *)a->sources, a->sizes,
                                     a->count, a->attributes, a->indices, a->attribute_count,
                                     a->failed, a->stream);
}
#endif

#if VGPU_MAJOR >= 12
int rt_do_prefetch2(const struct rt_a_prefetch2 *a, bool per_thread)
{
    READY(d);
    return d->prefetch2[per_thread](address_of(a->address), a->bytes, a->location, a->flags,
                                    a->stream);
}
#endif

int rt_do_set(const struct rt_a_set *a, bool per_thread)
{
    READY(d);
    return d->set8[per_thread](address_of(a->target), (uint8_t)a->value, a->count);
}

int rt_do_set_async(const struct rt_a_set_async *a, bool per_thread)
{
    READY(d);
    return d->set8_async[per_thread](address_of(a->target), (uint8_t)a->value, a->count, a->stream);
}

int rt_do_set_2d(const struct rt_a_set_2d *a, bool per_thread)
{
    const struct rt_a_set_2d_async same = {a->target, a->pitch,  a->value,
                                           a->width,  a->height, NULL};
    return rt_do_set_2d_async(&same, per_thread);
}

int rt_do_set_2d_async(const struct rt_a_set_2d_async *a, bool per_thread)
{
    READY(d);
    return d->set2d8_async[per_thread](address_of(a->target), a->pitch, (uint8_t)a->value, a->width,
                                       a->height, a->stream);
}
