/* The ring of many producers, see shared_ring.h.
 * Threads: any producer (push), one consumer. May not: lock, wait, allocate. */
#include "base/shared_ring.h"

#include <string.h>

void wi_shared_init(struct wi_shared_ring *ring, void *memory)
{
    memset(ring, 0, sizeof(*ring));
    ring->slots = memory;
    ring->turns =
        (_Atomic uint64_t *)(void *)(ring->slots + (size_t)WI_SHARED_PLACES * WI_RING_ENTRY_BYTES);
}

/* What the place of an index shows while it is free for it. */
static uint64_t free_turn(uint64_t index)
{
    return index - index % WI_SHARED_PLACES;
}

int wi_shared_push(struct wi_shared_ring *ring, const void *entry)
{
    uint64_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
    for (;;) {
        size_t place = head % WI_SHARED_PLACES;
        uint64_t turn = atomic_load_explicit(&ring->turns[place], memory_order_acquire);
        if (turn < free_turn(head)) { /* still holds the entry of the round before */
            atomic_fetch_add_explicit(&ring->dropped, 1, memory_order_relaxed);
            return 0;
        }
        if (turn > free_turn(head)) { /* another was here since: look where the head is now */
            head = atomic_load_explicit(&ring->head, memory_order_relaxed);
        } else if (atomic_compare_exchange_weak_explicit(
                       &ring->head, &head, head + 1, memory_order_relaxed, memory_order_relaxed)) {
            memcpy(ring->slots + place * WI_RING_ENTRY_BYTES, entry, WI_RING_ENTRY_BYTES);
            atomic_store_explicit(&ring->turns[place], turn + 1, memory_order_release);
            return 1;
        }
    }
}

int wi_shared_pop(struct wi_shared_ring *ring, void *entry)
{
    size_t place = ring->tail % WI_SHARED_PLACES;
    uint64_t turn = atomic_load_explicit(&ring->turns[place], memory_order_acquire);
    if (turn != free_turn(ring->tail) + 1)
        return 0;
    memcpy(entry, ring->slots + place * WI_RING_ENTRY_BYTES, WI_RING_ENTRY_BYTES);
    atomic_store_explicit(&ring->turns[place], turn - 1 + WI_SHARED_PLACES, memory_order_release);
    ring->tail++;
    return 1;
}

int wi_shared_held(const struct wi_shared_ring *ring)
{
    return atomic_load_explicit(&ring->head, memory_order_acquire) != ring->tail;
}

uint64_t wi_shared_dropped(const struct wi_shared_ring *ring)
{
    return atomic_load_explicit(&ring->dropped, memory_order_relaxed);
}
