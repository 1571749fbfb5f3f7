/* Ring of 64-byte entries from one producer to one consumer; never waits, drops and counts.
 * Starts with 1024 entries and grows once to 4096 more, in memory that was reserved from the start
 * (untouched pages cost nothing), so that growing is no allocation.
 * Threads: one producer, one consumer. May not: lock, allocate, call the system. */
#ifndef WI_BASE_RING_H
#define WI_BASE_RING_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define WI_RING_ENTRY_BYTES 64u
#define WI_RING_FIRST       1024u
#define WI_RING_GROWN       4096u
#define WI_RING_BYTES       ((size_t)(WI_RING_FIRST + WI_RING_GROWN) * WI_RING_ENTRY_BYTES)

struct wi_ring {
    /* producer */
    _Alignas(64) _Atomic uint64_t head; /* entries ever committed */
    uint64_t tail_seen;                 /* an old tail; spares the consumer's cache line */
    uint8_t *slots;
    _Atomic uint64_t grown_at; /* entries from here on lie in the second part; UINT64_MAX = none */
    _Atomic uint64_t dropped;
    _Atomic int *growths_left; /* shared by all rings: bounds their memory */
    /* consumer */
    _Alignas(64) _Atomic uint64_t tail; /* entries ever released */
};

/* slots: WI_RING_BYTES of zeroed memory, 64-byte aligned. */
void wi_ring_init(struct wi_ring *ring, void *slots, _Atomic int *growths_left);
/* Producer, cold: makes room by growing, or counts a drop and returns 0. */
int wi_ring_make_room(struct wi_ring *ring, uint64_t head);

static inline void *wi_ring_slot(const struct wi_ring *ring, uint64_t index, uint64_t grown_at)
{
    uint64_t slot = index < grown_at ? index % WI_RING_FIRST
                                     : WI_RING_FIRST + (index - grown_at) % WI_RING_GROWN;
    return ring->slots + slot * WI_RING_ENTRY_BYTES;
}

/* Producer: 1 while less than half of the room is taken; for entries that others must not miss. */
static inline int wi_ring_half_free(struct wi_ring *ring)
{
    uint64_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
    uint64_t grown_at = atomic_load_explicit(&ring->grown_at, memory_order_relaxed);
    uint64_t half = (grown_at == UINT64_MAX ? WI_RING_FIRST : WI_RING_GROWN) / 2;
    if (head - ring->tail_seen >= half)
        ring->tail_seen = atomic_load_explicit(&ring->tail, memory_order_acquire);
    return head - ring->tail_seen < half;
}

/* Producer: the slot of the next entry, or NULL if there is no room. */
static inline void *wi_ring_claim(struct wi_ring *ring)
{
    uint64_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
    uint64_t grown_at = atomic_load_explicit(&ring->grown_at, memory_order_relaxed);
    uint64_t room = grown_at == UINT64_MAX ? WI_RING_FIRST : WI_RING_GROWN;
    if (__builtin_expect(head - ring->tail_seen >= room, 0)) {
        if (!wi_ring_make_room(ring, head))
            return NULL;
        grown_at = atomic_load_explicit(&ring->grown_at, memory_order_relaxed);
    }
    return wi_ring_slot(ring, head, grown_at);
}

/* Producer: publishes the claimed entry. */
static inline void wi_ring_commit(struct wi_ring *ring)
{
    uint64_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
    atomic_store_explicit(&ring->head, head + 1, memory_order_release);
}

/* Producer: the newest committed entry; there must be one. */
static inline void *wi_ring_last(const struct wi_ring *ring)
{
    uint64_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
    return wi_ring_slot(ring, head - 1,
                        atomic_load_explicit(&ring->grown_at, memory_order_relaxed));
}

/* Consumer: entries that are ready; the first of them; done with it. */
static inline uint64_t wi_ring_ready(struct wi_ring *ring)
{
    return atomic_load_explicit(&ring->head, memory_order_acquire) -
           atomic_load_explicit(&ring->tail, memory_order_relaxed);
}

static inline void *wi_ring_peek(struct wi_ring *ring)
{
    return wi_ring_slot(ring, atomic_load_explicit(&ring->tail, memory_order_relaxed),
                        atomic_load_explicit(&ring->grown_at, memory_order_relaxed));
}

static inline void wi_ring_release(struct wi_ring *ring)
{
    uint64_t tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);
    atomic_store_explicit(&ring->tail, tail + 1, memory_order_release);
}

#endif
