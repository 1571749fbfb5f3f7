/* Order of a kept stretch, see replay_order.h. A merge sort: qsort may call malloc.
 * Threads: the engine's. */
#include "analyze/replay_order.h"

#include <string.h>

static int64_t time_or(int64_t value, int64_t other)
{
    return value == WI_UNKNOWN ? other : value;
}

static struct wi_order_key key_of(const struct wi_kept *records, uint32_t index,
                                  uint32_t first_place)
{
    const struct wi_kept *kept = &records[index];
    const struct wi_kept *call = kept->enter_ns == WI_UNKNOWN && kept->target
                                     ? &records[kept->target - 1 - first_place]
                                     : kept;
    int64_t start = time_or(kept->start_ns, INT64_MIN + 1);
    /* a call comes before its further operations, whenever they start */
    return (struct wi_order_key){time_or(call->enter_ns, start), call == kept ? INT64_MIN : start,
                                 index};
}

static int comes_after(const struct wi_order_key *a, const struct wi_order_key *b)
{
    if (a->first_ns != b->first_ns)
        return a->first_ns > b->first_ns;
    return a->second_ns != b->second_ns ? a->second_ns > b->second_ns : a->index > b->index;
}

static void merge_runs(const struct wi_order_key *from, struct wi_order_key *to, uint32_t start,
                       uint32_t middle, uint32_t end)
{
    uint32_t a = start, b = middle;
    for (uint32_t i = start; i < end; i++)
        to[i] =
            a < middle && (b == end || !comes_after(&from[a], &from[b])) ? from[a++] : from[b++];
}

static int is_in_order(const struct wi_order_key *keys, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        if (comes_after(&keys[i - 1], &keys[i]))
            return 0;
    return 1;
}

const uint32_t *wi_order(struct wi_arena *arena, const struct wi_order_key *keys, uint32_t count)
{
    struct wi_order_key *from = wi_arena_alloc(arena, 2 * (size_t)count * sizeof(*from));
    uint32_t *order = wi_arena_alloc(arena, count * sizeof(*order));
    if (!from || !order)
        return NULL;
    struct wi_order_key *to = from + count;
    memcpy(from, keys, count * sizeof(*from));
    uint32_t sorted = is_in_order(keys, count) ? count : 1; /* as a run of one thread mostly is */
    for (uint32_t width = sorted; width < count; width *= 2) {
        for (uint32_t start = 0; start < count; start += 2 * width) {
            uint32_t middle = count - start > width ? start + width : count;
            uint32_t end = count - start > 2 * width ? start + 2 * width : count;
            merge_runs(from, to, start, middle, end);
        }
        struct wi_order_key *swap = from;
        from = to;
        to = swap;
    }
    for (uint32_t i = 0; i < count; i++)
        order[i] = from[i].index;
    return order;
}

const uint32_t *wi_replay_order(struct wi_arena *arena, const struct wi_kept *records,
                                uint32_t count, uint32_t first_place)
{
    struct wi_order_key *keys = wi_arena_alloc(arena, count * sizeof(*keys));
    if (!keys)
        return NULL;
    for (uint32_t i = 0; i < count; i++)
        keys[i] = key_of(records, i, first_place);
    return wi_order(arena, keys, count);
}
