/* A binary heap of starts over a pool of operations, see op_queue.h.
 * Threads: the engine's. May not: allocate after creation. */
#include "analyze/op_queue.h"

#include <string.h>

#include "base/err.h"

int wi_op_queue_init(struct wi_op_queue *queue, struct wi_arena *arena)
{
    memset(queue, 0, sizeof(*queue));
    queue->ops = wi_arena_alloc(arena, WI_OP_SLOTS * sizeof(*queue->ops));
    queue->free = wi_arena_alloc(arena, WI_OP_SLOTS * sizeof(*queue->free));
    queue->heap = wi_arena_alloc(arena, WI_OP_SLOTS * sizeof(*queue->heap));
    return queue->ops && queue->free && queue->heap ? WI_OK : WI_ERR_NOMEM;
}

static int before(const struct wi_op_entry *a, const struct wi_op_entry *b)
{
    return a->start_ns < b->start_ns || (a->start_ns == b->start_ns && a->number < b->number);
}

int wi_op_queue_push(struct wi_op_queue *queue, const struct wi_device_op *op)
{
    if (queue->count == WI_OP_SLOTS)
        return -1;
    uint32_t slot = queue->free_count ? queue->free[--queue->free_count] : queue->count;
    queue->ops[slot] = *op;
    struct wi_op_entry entry = {op->start_ns, ++queue->pushed, slot};
    uint32_t at = queue->count++;
    while (at && before(&entry, &queue->heap[(at - 1) / 2])) {
        queue->heap[at] = queue->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    queue->heap[at] = entry;
    return 0;
}

int64_t wi_op_queue_first(const struct wi_op_queue *queue)
{
    return queue->count ? queue->heap[0].start_ns : INT64_MAX;
}

struct wi_device_op wi_op_queue_pop(struct wi_op_queue *queue, uint64_t *number)
{
    struct wi_op_entry first = queue->heap[0];
    struct wi_op_entry last = queue->heap[--queue->count];
    uint32_t at = 0;
    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child >= queue->count)
            break;
        if (child + 1 < queue->count && before(&queue->heap[child + 1], &queue->heap[child]))
            child++;
        if (!before(&queue->heap[child], &last))
            break;
        queue->heap[at] = queue->heap[child];
        at = child;
    }
    queue->heap[at] = last;
    queue->free[queue->free_count++] = first.slot;
    *number = first.number;
    return queue->ops[first.slot];
}
