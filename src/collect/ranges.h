/* The job's own ranges (NVTX) from the ring to the engine: which one a call lies in, and a span for
 * each that ends.
 *
 * Starts and ends of a thread come through its ring between its calls, in order. They carry their
 * depth, so that one that found no room in the ring does not shift all that follow.
 * Threads: the helper, or the thread that ends the process. May not: allocate after the first use.
 */
#ifndef WI_COLLECT_RANGES_H
#define WI_COLLECT_RANGES_H

#include <stdint.h>

#include "base/ring.h"
#include "cuda/call_table.h"

#define WI_RANGE_LEVELS  16 /* of nesting that are kept */
#define WI_RANGE_DOMAINS 16 /* told apart; ranges in further ones are not recorded */

enum wi_range_kind {
    WI_RANGE_PUSH = WI_CALL_IDS, /* in the place of a call's id */
    WI_RANGE_POP,
    WI_RANGE_START, /* a range that any thread may end */
    WI_RANGE_END,
    WI_RANGE_MARK,
    WI_RANGE_KINDS
};

/* One slot of a ring beside struct wi_entry. */
struct wi_range_entry {
    int64_t at_ns;
    uint64_t id;   /* of start and end */
    uint32_t name; /* range_names.h; 0 = none */
    uint8_t domain;
    uint8_t level; /* open ranges of the thread in this domain, after the push or pop */
    uint8_t unused[34];
    uint16_t call; /* enum wi_range_kind */
    uint8_t rest[6];
};
_Static_assert(sizeof(struct wi_range_entry) == WI_RING_ENTRY_BYTES, "one ring slot");

struct wi_range_open {
    int64_t start_ns;
    uint32_t name; /* of the names of the reports */
    uint32_t kind; /* the same with its numbers folded; WI_NO_NAME if an outer one is of it too */
    uint8_t domain, level;
};

/* One thread's, owned by the helper. */
struct wi_range_state {
    struct wi_range_open open[WI_RANGE_LEVELS];
    int count;
    int64_t since_ns; /* what lies before is counted */
    uint32_t best;    /* range of the longest stretch since the last call... */
    int64_t best_ns;  /* ...its length */
    int64_t best_to;  /* ...and its end */
};

/* The ranges that a call and the silence before it lie in: struct wi_host_call. */
struct wi_range_call {
    uint32_t range, quiet_range;
    int64_t quiet_from_ns, quiet_to_ns;
};

void wi_ranges_entry(struct wi_range_state *state, uint32_t tid,
                     const struct wi_range_entry *entry);
struct wi_range_call wi_ranges_call(struct wi_range_state *state, int64_t enter_ns,
                                    int64_t exit_ns);
/* The thread has ended. */
void wi_ranges_reset(struct wi_range_state *state);

#endif
