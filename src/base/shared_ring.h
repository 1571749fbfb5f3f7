/* Ring of 64-byte entries from many producers to one consumer; never waits, drops and counts.
 * A producer takes a place by moving the head and publishes it by the place's own turn, so that two
 * that come at once both get through; one that is stopped in between holds up the consumer only.
 * After D. Vyukov's bounded queue (1024cores.net, "Bounded MPMC queue").
 * Threads: any number of producers, one consumer. May not: lock, allocate, call the system. */
#ifndef WI_BASE_SHARED_RING_H
#define WI_BASE_SHARED_RING_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/ring.h"

#define WI_SHARED_PLACES 4096u /* as many as a ring that has grown */
#define WI_SHARED_BYTES  ((size_t)WI_SHARED_PLACES * (WI_RING_ENTRY_BYTES + sizeof(uint64_t)))

struct wi_shared_ring {
    _Alignas(64) _Atomic uint64_t head; /* places ever taken */
    _Atomic uint64_t dropped;
    uint8_t *slots;
    /* Of place i at its n-th use: n * WI_SHARED_PLACES while it is free, one more once published.
     */
    _Atomic uint64_t *turns;
    _Alignas(64) uint64_t tail; /* the consumer's: entries ever taken out */
};

/* memory: WI_SHARED_BYTES of zeroes, 64-byte aligned; pages that are not used are not touched. */
void wi_shared_init(struct wi_shared_ring *ring, void *memory);
/* Any thread: copies an entry of WI_RING_ENTRY_BYTES in; 0 if there was no room, which is counted.
 */
int wi_shared_push(struct wi_shared_ring *ring, const void *entry);
/* Consumer: copies the oldest entry out; 0 if there is none, or it is not yet published. */
int wi_shared_pop(struct wi_shared_ring *ring, void *entry);
/* Consumer: 1 if a place is taken that has not been published. */
int wi_shared_held(const struct wi_shared_ring *ring);
/* Entries that found no room. */
uint64_t wi_shared_dropped(const struct wi_shared_ring *ring);

#endif
