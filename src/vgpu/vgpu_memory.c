/* Keeps the blocks sorted by address; device memory is host memory the model maps.
 * Threads: any. May not: touch an address before it is sure of its block. */
#include "vgpu_memory.h"

#include "vgpu_config.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static struct {
    pthread_mutex_t lock;
    struct vg_block *blocks;
    size_t count, room;
} state = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* The index of the first block that starts after the address. */
static size_t upper(uintptr_t address)
{
    size_t low = 0, high = state.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (state.blocks[middle].start <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static bool insert(struct vg_block block)
{
    if (state.count == state.room) {
        size_t room = state.room == 0 ? 256 : state.room * 2;
        struct vg_block *grown = realloc(state.blocks, room * sizeof(block));
        if (grown == NULL) {
            return false;
        }
        state.blocks = grown;
        state.room = room;
    }
    size_t at = upper(block.start);
    memmove(&state.blocks[at + 1], &state.blocks[at], (state.count - at) * sizeof(block));
    state.blocks[at] = block;
    state.count++;
    return true;
}

static bool take(uintptr_t start, struct vg_block *block)
{
    size_t at = upper(start);
    if (at == 0 || state.blocks[at - 1].start != start) {
        return false;
    }
    *block = state.blocks[at - 1];
    memmove(&state.blocks[at - 1], &state.blocks[at], (state.count - at) * sizeof(*block));
    state.count--;
    return true;
}

static bool charge(int device, size_t bytes)
{
    uint64_t limit = (uint64_t)vg_config()->memory_mib << 20;
    if (vg_model.devices[device].used_bytes + bytes > limit) {
        return false;
    }
    vg_model.devices[device].used_bytes += bytes;
    return true;
}

static size_t rounded(size_t bytes)
{
    return (bytes + 4095) & ~(size_t)4095;
}

void *vg_memory_allocate(size_t bytes, uint8_t kind, int device, uint32_t flags)
{
    void *address = NULL;
    bool charged = kind != VGPU_MEM_PINNED;
    size_t mapped = rounded(bytes);
    pthread_mutex_lock(&state.lock);
    if (!charged || charge(device, mapped)) {
        address = mmap(NULL, mapped, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        address = address == MAP_FAILED ? NULL : address;
    }
    struct vg_block block = {(uintptr_t)address, mapped, kind, true, device, flags};
    if (address == NULL || !insert(block)) {
        address = NULL;
    }
    pthread_mutex_unlock(&state.lock);
    return address;
}

bool vg_memory_free(void *address, bool device_kinds)
{
    struct vg_block block;
    pthread_mutex_lock(&state.lock);
    bool found = take((uintptr_t)address, &block);
    if (found && (!block.owned || device_kinds != (block.kind != VGPU_MEM_PINNED))) {
        insert(block);
        found = false;
    }
    if (found && device_kinds) {
        vg_model.devices[block.device].used_bytes -= block.bytes;
    }
    pthread_mutex_unlock(&state.lock);
    if (found) {
        munmap(address, block.bytes);
    }
    return found;
}

bool vg_memory_register(void *address, size_t bytes, int device, uint32_t flags)
{
    struct vg_block block = {(uintptr_t)address, bytes, VGPU_MEM_PINNED, false, device, flags};
    pthread_mutex_lock(&state.lock);
    size_t at = upper(block.start);
    bool taken = at > 0 && state.blocks[at - 1].start == block.start;
    bool done = !taken && insert(block);
    pthread_mutex_unlock(&state.lock);
    return done;
}

bool vg_memory_unregister(void *address)
{
    struct vg_block block;
    pthread_mutex_lock(&state.lock);
    bool found = take((uintptr_t)address, &block);
    if (found && block.owned) {
        insert(block);
        found = false;
    }
    pthread_mutex_unlock(&state.lock);
    return found;
}

bool vg_memory_find(const void *address, struct vg_block *block)
{
    pthread_mutex_lock(&state.lock);
    size_t at = upper((uintptr_t)address);
    bool found =
        at > 0 && (uintptr_t)address - state.blocks[at - 1].start < state.blocks[at - 1].bytes;
    if (found) {
        *block = state.blocks[at - 1];
    }
    pthread_mutex_unlock(&state.lock);
    return found;
}
