/* Driver calls that allocate, free and describe memory.
 * Threads: any. May not: free memory that queued work may still use without waiting for it. */
#include "vgpu_config.h"
#include "vgpu_driver.h"
#include "vgpu_memory.h"

#include <string.h>

static int device(void)
{
    const struct vg_context *context = vg_current_context();
    return context != NULL ? context->device : -1;
}

static void burn_pin(size_t bytes)
{
    vg_burn_call((uint64_t)vg_config()->pin_ns_per_mib * ((bytes + 1048575) >> 20));
}

static int allocate(void **address, size_t bytes, uint8_t kind, uint32_t flags)
{
    if (device() < 0) {
        return VG_INVALID_CONTEXT;
    }
    if (address == NULL || bytes == 0) {
        return VG_INVALID_VALUE;
    }
    if (kind == VGPU_MEM_PINNED) {
        burn_pin(bytes);
    } else {
        vg_burn_call((uint64_t)vg_config()->alloc_ns);
    }
    *address = vg_memory_allocate(bytes, kind, device(), flags);
    return *address != NULL ? VG_SUCCESS : VG_OUT_OF_MEMORY;
}

static int allocate_device(vg_address *address, size_t bytes, uint8_t kind)
{
    void *pointer = NULL;
    int result = address != NULL ? allocate(&pointer, bytes, kind, 0) : VG_INVALID_VALUE;
    if (result == VG_SUCCESS) {
        *address = (uintptr_t)pointer;
    }
    return result;
}

int vg_do_memory_info(const struct vg_a_memory_info *a, bool per_thread)
{
    (void)per_thread;
    if (device() < 0) {
        return VG_INVALID_CONTEXT;
    }
    size_t total_bytes = (size_t)vg_config()->memory_mib << 20;
    *a->total_bytes = total_bytes;
    *a->free_bytes = total_bytes - vg_model.devices[device()].used_bytes;
    return VG_SUCCESS;
}

int vg_do_memory_alloc(const struct vg_a_memory_alloc *a, bool per_thread)
{
    (void)per_thread;
    return allocate_device(a->address, a->bytes, VGPU_MEM_DEVICE);
}

int vg_do_memory_alloc_pitch(const struct vg_a_memory_alloc_pitch *a, bool per_thread)
{
    (void)per_thread;
    *a->pitch = (a->width + 511) & ~(size_t)511;
    return allocate_device(a->address, *a->pitch * a->height, VGPU_MEM_DEVICE);
}

int vg_do_memory_managed(const struct vg_a_memory_managed *a, bool per_thread)
{
    (void)per_thread;
    return allocate_device(a->address, a->bytes, VGPU_MEM_MANAGED);
}

int vg_do_memory_alloc_async(const struct vg_a_memory_alloc_async *a, bool per_thread)
{
    int error = VG_SUCCESS;
    if (vg_call_stream(a->stream, per_thread, &error) == NULL) {
        return error;
    }
    return allocate_device(a->address, a->bytes, VGPU_MEM_DEVICE);
}

/* Managed memory is where it is needed at all times, so there is nothing to move. */
static int prefetch(vg_address address, void *handle, bool per_thread)
{
    int error = VG_SUCCESS;
    struct vg_block block;
    if (vg_call_stream(handle, per_thread, &error) == NULL) {
        return error;
    }
    bool managed =
        vg_memory_find((const void *)(uintptr_t)address, &block) && block.kind == VGPU_MEM_MANAGED;
    return managed ? VG_SUCCESS : VG_INVALID_VALUE;
}

int vg_do_prefetch(const struct vg_a_prefetch *a, bool per_thread)
{
    return prefetch(a->address, a->stream, per_thread);
}

int vg_do_prefetch2(const struct vg_a_prefetch2 *a, bool per_thread)
{
    return prefetch(a->address, a->stream, per_thread);
}

/* Frees of device memory wait for the device, as the hardware's do. */
int vg_do_memory_free(const struct vg_a_memory_free *a, bool per_thread)
{
    (void)per_thread;
    if (a->address == 0) {
        return VG_SUCCESS;
    }
    if (device() < 0) {
        return VG_INVALID_CONTEXT;
    }
    vg_wait_device(device());
    vg_burn_call((uint64_t)vg_config()->free_ns);
    return vg_memory_free((void *)(uintptr_t)a->address, true) ? VG_SUCCESS : VG_INVALID_VALUE;
}

int vg_do_memory_free_async(const struct vg_a_memory_free_async *a, bool per_thread)
{
    int error = VG_SUCCESS;
    if (vg_call_stream(a->stream, per_thread, &error) == NULL) {
        return error;
    }
    vg_effects_settle();
    return vg_memory_free((void *)(uintptr_t)a->address, true) ? VG_SUCCESS : VG_INVALID_VALUE;
}

int vg_do_memory_range(const struct vg_a_memory_range *a, bool per_thread)
{
    (void)per_thread;
    struct vg_block block;
    if (!vg_memory_find((const void *)(uintptr_t)a->address, &block)) {
        return VG_NOT_FOUND;
    }
    if (a->start != NULL) {
        *a->start = block.start;
    }
    if (a->bytes != NULL) {
        *a->bytes = block.bytes;
    }
    return VG_SUCCESS;
}

int vg_do_host_alloc(const struct vg_a_host_alloc *a, bool per_thread)
{
    (void)per_thread;
    return allocate(a->address, a->bytes, VGPU_MEM_PINNED, a->flags);
}

int vg_do_host_alloc_plain(const struct vg_a_host_alloc_plain *a, bool per_thread)
{
    (void)per_thread;
    return allocate(a->address, a->bytes, VGPU_MEM_PINNED, 0);
}

int vg_do_host_free(const struct vg_a_host_free *a, bool per_thread)
{
    (void)per_thread;
    if (a->address == NULL) {
        return VG_SUCCESS;
    }
    if (device() < 0) {
        return VG_INVALID_CONTEXT;
    }
    vg_wait_device(device());
    vg_burn_call((uint64_t)vg_config()->free_ns);
    return vg_memory_free(a->address, false) ? VG_SUCCESS : VG_INVALID_VALUE;
}

int vg_do_host_register(const struct vg_a_host_register *a, bool per_thread)
{
    (void)per_thread;
    if (device() < 0 || a->address == NULL || a->bytes == 0) {
        return device() < 0 ? VG_INVALID_CONTEXT : VG_INVALID_VALUE;
    }
    burn_pin(a->bytes);
    return vg_memory_register(a->address, a->bytes, device(), a->flags)
               ? VG_SUCCESS
               : VG_HOST_MEMORY_ALREADY_REGISTERED;
}

int vg_do_host_unregister(const struct vg_a_host_unregister *a, bool per_thread)
{
    (void)per_thread;
    vg_effects_settle();
    return vg_memory_unregister(a->address) ? VG_SUCCESS : VG_HOST_MEMORY_NOT_REGISTERED;
}

static int find_pinned(const void *address, struct vg_block *block)
{
    bool found = vg_memory_find(address, block) && block->kind == VGPU_MEM_PINNED;
    return found ? VG_SUCCESS : VG_INVALID_VALUE;
}

int vg_do_host_device_pointer(const struct vg_a_host_device_pointer *a, bool per_thread)
{
    (void)per_thread;
    struct vg_block block;
    int result = find_pinned(a->address, &block);
    if (result == VG_SUCCESS) {
        *a->device_address = (uintptr_t)a->address;
    }
    return result;
}

int vg_do_host_flags(const struct vg_a_host_flags *a, bool per_thread)
{
    (void)per_thread;
    struct vg_block block;
    int result = find_pinned(a->address, &block);
    if (result == VG_SUCCESS) {
        *a->flags = block.flags;
    }
    return result;
}

/* Pointer attributes, numbered as the driver does. */
enum {
    POINTER_CONTEXT = 1,
    POINTER_MEMORY_TYPE = 2,
    POINTER_DEVICE_POINTER = 3,
    POINTER_HOST_POINTER = 4,
    POINTER_IS_MANAGED = 8,
    POINTER_DEVICE_ORDINAL = 9,
};

int vg_do_pointer_attribute(const struct vg_a_pointer_attribute *a, bool per_thread)
{
    (void)per_thread;
    struct vg_block block;
    uint64_t address = a->address;
    uint32_t word = 0;
    if (!vg_memory_find((const void *)(uintptr_t)address, &block)) {
        return VG_INVALID_VALUE;
    }
    switch (a->attribute) {
    case POINTER_CONTEXT:
        memcpy(a->value, &vg_model.devices[block.device].primary, sizeof(void *));
        return VG_SUCCESS;
    case POINTER_MEMORY_TYPE:
        word = block.kind == VGPU_MEM_PINNED ? 1 : 2;
        memcpy(a->value, &word, sizeof(word));
        return VG_SUCCESS;
    case POINTER_HOST_POINTER:
        if (block.kind == VGPU_MEM_DEVICE) {
            return VG_INVALID_VALUE;
        }
        memcpy(a->value, &address, sizeof(address));
        return VG_SUCCESS;
    case POINTER_DEVICE_POINTER:
        memcpy(a->value, &address, sizeof(address));
        return VG_SUCCESS;
    case POINTER_IS_MANAGED:
        word = block.kind == VGPU_MEM_MANAGED;
        memcpy(a->value, &word, sizeof(word));
        return VG_SUCCESS;
    case POINTER_DEVICE_ORDINAL:
        word = (uint32_t)block.device;
        memcpy(a->value, &word, sizeof(word));
        return VG_SUCCESS;
    default:
        return VG_NOT_SUPPORTED;
    }
}
