/* A ring for operations in order and a heap for the others, over one pool; see op_queue.h.
 * Threads: the engine's. May not: allocate after creation. */
#include "analyze/op_queue.h"

#include <string.h>

#include "base/err.h"

#define RING_FIRST 1024u /* a power of two, as WI_OP_SLOTS: doubled when all are taken */

int wi_op_queue_init(struct wi_op_queue *queue, struct wi_arena *arena)
{
    memset(queue, 0, sizeof(*queue));
    queue->ring_cap = RING_FIRST;
    queue->ops = wi_arena_alloc(arena, WI_OP_SLOTS * sizeof(*queue->ops));
    queue->free = wi_arena_alloc(arena, WI_OP_SLOTS * sizeof(*queue->free));
    queue->heap = wi_arena_alloc(arena, WI_OP_SLOTS * sizeof(*queue->heap));
    queue->ring = wi_arena_alloc(arena, WI_OP_SLOTS * sizeof(*queue->ring));
    return queue->ops && queue->free && queue->heap && queue->ring ? WI_OK : WI_ERR_NOMEM;
}

static int before(const struct wi_op_entry *a, const struct wi_op_entry *b)
{
    return a->start_ns < b->start_ns || (a->start_ns == b->start_ns && a->number < b->number);
}

static void heap_push(struct wi_op_queue *queue, const struct wi_op_entry *entry)
{
    uint32_t at = queue->heap_count++;
    while (at && before(entry, &queue->heap[(at - 1) / 2])) {
        queue->heap[at] = queue->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    queue->heap[at] = *entry;
}

static struct wi_op_entry heap_pop(struct wi_op_queue *queue)
{
    struct wi_op_entry first = queue->heap[0];
    struct wi_op_entry last = queue->heap[--queue->heap_count];
    uint32_t at = 0;
    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child >= queue->heap_count)
            break;
        if (child + 1 < queue->heap_count && before(&queue->heap[child + 1], &queue->heap[child]))
            child++;
        if (!before(&queue->heap[child], &last))
            break;
        queue->heap[at] = queue->heap[child];
        at = child;
    }
    queue->heap[at] = last;
    return first;
}

static struct wi_op_entry *ring_at(const struct wi_op_queue *queue, uint32_t i)
{
    return &queue->ring[(queue->ring_first + i) & (queue->ring_cap - 1)];
}

/* Round and round in as few entries as are needed: few stay in the cache. */
static void ring_push(struct wi_op_queue *queue, const struct wi_op_entry *entry)
{
    if (queue->ring_count == queue->ring_cap) {
        memcpy(queue->ring + queue->ring_cap, queue->ring,
               queue->ring_first * sizeof(*queue->ring));
        queue->ring_cap *= 2;
    }
    *ring_at(queue, queue->ring_count++) = *entry;
}

int wi_op_queue_push(struct wi_op_queue *queue, const struct wi_device_op *op, uint32_t call)
{
    if (queue->count == WI_OP_SLOTS)
        return -1;
    uint32_t slot = queue->free_count ? queue->free[--queue->free_count] : queue->count;
    queue->ops[slot] = *op;
    queue->count++;
    struct wi_op_entry entry = {op->start_ns, ++queue->pushed, slot, call};
    if (!queue->ring_count || op->start_ns >= ring_at(queue, queue->ring_count - 1)->start_ns)
        ring_push(queue, &entry);
    else
        heap_push(queue, &entry);
    return 0;
}

/* 1 if the earliest one is in the ring. */
static int ring_is_first(const struct wi_op_queue *queue)
{
    return queue->ring_count && (!queue->heap_count || before(ring_at(queue, 0), &queue->heap[0]));
}

int64_t wi_op_queue_first(const struct wi_op_queue *queue)
{
    if (!queue->count)
        return INT64_MAX;
    return ring_is_first(queue) ? ring_at(queue, 0)->start_ns : queue->heap[0].start_ns;
}

const struct wi_device_op *wi_op_queue_pop(struct wi_op_queue *queue, struct wi_op_entry *entry)
{
    if (ring_is_first(queue)) {
        *entry = *ring_at(queue, 0);
        queue->ring_first = (queue->ring_first + 1) & (queue->ring_cap - 1);
        queue->ring_count--;
    } else {
        *entry = heap_pop(queue);
    }
    queue->count--;
    queue->free[queue->free_count++] = entry->slot;
    return &queue->ops[entry->slot];
}
