/* Device operations that wait for their turn, ordered by start: those that come in order in a ring,
 * the others in a heap.
 * Threads: the engine's. May not: allocate after creation. */
#ifndef WI_ANALYZE_OP_QUEUE_H
#define WI_ANALYZE_OP_QUEUE_H

#include <stdint.h>

#include "base/arena.h"
#include "model/event.h"

#define WI_OP_SLOTS 65536u

struct wi_op_entry {
    int64_t start_ns;
    uint64_t number; /* 1, 2, ... in the order of arrival: breaks ties, names the operation */
    uint32_t slot;
    uint32_t call; /* what the pusher says of it */
};

struct wi_op_queue {
    struct wi_device_op *ops;
    uint32_t *free; /* stack of free slots */
    struct wi_op_entry *heap, *ring;
    uint32_t heap_count, ring_first, ring_count, ring_cap;
    uint32_t count, free_count; /* count: of both */
    uint64_t pushed;
};

int wi_op_queue_init(struct wi_op_queue *queue, struct wi_arena *arena);
/* 0, or -1 when full: the caller takes the earliest out first. call: handed back with it. */
int wi_op_queue_push(struct wi_op_queue *queue, const struct wi_device_op *op, uint32_t call);
/* The earliest start, INT64_MAX if empty. */
int64_t wi_op_queue_first(const struct wi_op_queue *queue);
/* Takes the earliest out; *entry gets its number and call. It stays until the next one is pushed.
 * The queue must not be empty. */
const struct wi_device_op *wi_op_queue_pop(struct wi_op_queue *queue, struct wi_op_entry *entry);

#endif
