/* The records of a kept stretch in the order in which their calls were made, and any other order.
 * Threads: the engine's. */
#ifndef WI_ANALYZE_REPLAY_ORDER_H
#define WI_ANALYZE_REPLAY_ORDER_H

#include "analyze/reservoir.h"
#include "base/arena.h"

/* What comes first, by the first time, the second, and the index. */
struct wi_order_key {
    int64_t first_ns, second_ns;
    uint32_t index;
};

/* The `index` of each of `count` keys, in order; NULL if the arena has no room. */
const uint32_t *wi_order(struct wi_arena *arena, const struct wi_order_key *keys, uint32_t count);
/* `count` indices into records, NULL if the arena has no room. Operations follow their call, in the
 * order of their start; those without a call stand where they start. first_place: place of
 * records[0] in the reservoir. */
const uint32_t *wi_replay_order(struct wi_arena *arena, const struct wi_kept *records,
                                uint32_t count, uint32_t first_place);

#endif
