/* Memory of the virtual devices, pinned host memory, and what addresses are.
 * Threads: any; a lock of its own. May not: wait for the device. */
#ifndef VGPU_MEMORY_H
#define VGPU_MEMORY_H

#include "vgpu_engine.h"

struct vg_block {
    uintptr_t start;
    size_t bytes;
    uint8_t kind; /* VGPU_MEM_* */
    bool owned;   /* ours to unmap; false for registered host memory */
    int device;
    uint32_t flags;
};

/* NULL: the device's memory is used up, or the host's. */
void *vg_memory_allocate(size_t bytes, uint8_t kind, int device, uint32_t flags);
/* False: no block of one of the kinds starts there. */
bool vg_memory_free(void *address, bool device_kinds);
bool vg_memory_register(void *address, size_t bytes, int device, uint32_t flags);
bool vg_memory_unregister(void *address);
/* The block that holds the address; false: unknown, so pageable. */
bool vg_memory_find(const void *address, struct vg_block *block);

#endif
