/* The cold half of the ring, see ring.h.
 * Threads: the producer (make_room), the owner before use (init). May not: lock or allocate. */
#include "base/ring.h"

#include <string.h>

void wi_ring_init(struct wi_ring *ring, void *slots, _Atomic int *growths_left)
{
    memset(ring, 0, sizeof(*ring));
    ring->slots = slots;
    ring->growths_left = growths_left;
    atomic_store_explicit(&ring->grown_at, UINT64_MAX, memory_order_relaxed);
}

static int may_grow(struct wi_ring *ring)
{
    if (atomic_fetch_sub_explicit(ring->growths_left, 1, memory_order_relaxed) > 0)
        return 1;
    atomic_fetch_add_explicit(ring->growths_left, 1, memory_order_relaxed);
    return 0;
}

int wi_ring_make_room(struct wi_ring *ring, uint64_t head)
{
    uint64_t grown_at = atomic_load_explicit(&ring->grown_at, memory_order_relaxed);
    uint64_t room = grown_at == UINT64_MAX ? WI_RING_FIRST : WI_RING_GROWN;
    ring->tail_seen = atomic_load_explicit(&ring->tail, memory_order_acquire);
    if (head - ring->tail_seen < room)
        return 1;
    if (grown_at == UINT64_MAX && may_grow(ring)) {
        /* seen by the consumer with the head that is stored after it */
        atomic_store_explicit(&ring->grown_at, head, memory_order_relaxed);
        return 1;
    }
    atomic_fetch_add_explicit(&ring->dropped, 1, memory_order_relaxed);
    return 0;
}
