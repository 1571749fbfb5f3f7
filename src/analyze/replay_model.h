/* A kept stretch of the run as a model that can be replayed: which call continues which host clock,
 * what every operation and every waiting call waited for, and what is each one's own time.
 * Threads: the engine's. Allocates from the arena of the report. */
#ifndef WI_ANALYZE_REPLAY_MODEL_H
#define WI_ANALYZE_REPLAY_MODEL_H

#include <stdint.h>

#include "analyze/calls.h"
#include "analyze/reservoir.h"
#include "base/arena.h"

#define WI_REPLAY_THREADS 256u
#define WI_REPLAY_DEVICES                                                                          \
    16u /* further ones share engines: their constraints are only those seen */
#define WI_NO_MOVE      UINT32_MAX
#define WI_STREAM_SLOTS 256u /* of all devices; what does not fit shares the last one */

enum wi_move_flags {
    WI_MOVE_CALL = 1,      /* has a place on a host clock */
    WI_MOVE_OP = 2,        /* has work on a device */
    WI_MOVE_ENGINE = 4,    /* a copy that starts after the one before it in its direction */
    WI_MOVE_FULL = 8,      /* a kernel that starts after the full one before it on its device */
    WI_MOVE_FILLS = 16,    /* a kernel that leaves no room for another one */
    WI_MOVE_ANCHORED = 32, /* the first call of its thread here: counted from the entry of prev */
    WI_MOVE_READ_BACK = 64 /* waits for a value from the device, or for the device itself */
};

struct wi_move {
    const struct wi_kept *kept;
    int64_t silence_ns;   /* from the exit of prev to the entry */
    int64_t own_ns;       /* of the call: what is not waiting */
    int64_t latency_ns;   /* from the entry to the start of the operation, in an empty queue */
    int64_t spacing_ns;   /* from the end of what it follows to its start */
    uint32_t prev;        /* the host clock continues from there, WI_NO_MOVE = from nothing */
    uint32_t call;        /* of an operation: the move of its call, itself if it is one */
    uint32_t stream_prev; /* the operation before it in its stream */
    uint32_t stream_next;
    uint32_t ordinal;      /* of the operation in its stream, from 0 */
    uint32_t starts_after; /* an operation elsewhere that has to end first */
    uint32_t waits_for;    /* the call returns after the end of that operation */
    uint32_t
        queue_behind; /* the call returns after the start of that operation: the queue is full */
    uint32_t silence_sig; /* as in struct wi_kept, also found by context */
    uint16_t stream;      /* < WI_STREAM_SLOTS */
    uint8_t flags;        /* enum wi_move_flags */
};

struct wi_replay_model {
    struct wi_move *moves; /* in the order of their calls */
    uint32_t count;
    uint32_t first; /* the first one behind what hangs over the left edge */
    /* Where the host had asked for nearly all of the stretch before the device came to it: the time
     * from which on the stretch counts. INT64_MIN otherwise. */
    int64_t edge_ns;
    /* 1: a call in such a stretch waits mostly for work that was asked for before it */
    int waits_elsewhere;
    /* Entries between which lie whole cycles: the first and the last call behind the wait that
     * takes the most time; WI_NO_MOVE = no wait recurs. */
    uint32_t cycle_first, cycle_last;
    int64_t unexplained_ns[WI_OP_GRAPH + 1]; /* delays kept as they were, of the moves from `first`
                                                on, by the kind of what they delay */
    int64_t launch_own_ns;                   /* median own time of a launch */
    double copy_rate[WI_COPY_COUNT];         /* best rate seen, bytes per ns; 0 = none */
};

/* The end of a move's operation, INT64_MIN for none. */
static inline int64_t wi_move_end(const struct wi_replay_model *model, uint32_t move)
{
    return move == WI_NO_MOVE ? INT64_MIN : model->moves[move].kept->end_ns;
}

/* The end of what an operation follows on the device, INT64_MIN if nothing does. */
static inline int64_t wi_move_ready(const struct wi_replay_model *model, const struct wi_move *move)
{
    int64_t before = wi_move_end(model, move->stream_prev);
    int64_t elsewhere = wi_move_end(model, move->starts_after);
    return before > elsewhere ? before : elsewhere;
}

/* The model of one block; first_place: place of records[0] in the reservoir. 0, or WI_ERR_NOMEM. */
int wi_replay_model(struct wi_replay_model *model, struct wi_arena *arena,
                    const struct wi_calls *calls, const struct wi_kept *records, uint32_t count,
                    uint32_t first_place);

#endif
