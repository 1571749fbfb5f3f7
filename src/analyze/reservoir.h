/* What a prediction replays: up to 8 stretches of the run, each of consecutive calls with their
 * device work and the signatures that their time was charged to. A stretch is kept for every so
 * many calls at first; when all places are taken, a later one replaces one of them by chance, so
 * that every part of the run is as likely to be there. Threads: the engine's. May not: allocate
 * after creation. */
#ifndef WI_ANALYZE_RESERVOIR_H
#define WI_ANALYZE_RESERVOIR_H

#include <stdint.h>

#include "base/arena.h"
#include "model/event.h"

#define WI_BLOCKS        8u
#define WI_BLOCK_RECORDS 22528u /* 88 bytes each: 15.9 MB for all blocks */

/* One call with its first operation, or a further operation of a call, or one without a call. */
struct wi_kept {
    int64_t enter_ns, exit_ns; /* WI_UNKNOWN: not a call */
    int64_t start_ns, end_ns;  /* WI_UNKNOWN: no operation */
    uint64_t seq;              /* of the call (calls.h), 0 = not known; tells a reused place */
    uint64_t bytes;
    uint32_t stream, target; /* folded to 32 bits; 0 = default stream, no event */
    uint32_t silence_sig;    /* signature that the silence before was charged to, + 1; 0 = none */
    uint32_t own_sig;        /* signature that the call itself was charged to, + 1; 0 = none */
    uint32_t api;            /* name id */
    uint32_t name;           /* of a kernel: name id */
    uint16_t waves;          /* of a kernel, in 1/256 of the device; UINT16_MAX = not known */
    uint16_t spread;         /* of a kernel: blocks for each SM, in 1/64; UINT16_MAX = not known */
    uint8_t kind;            /* enum wi_op_kind */
    uint8_t thread;          /* index in calls.h, clamped to 255 */
    uint8_t api_class;
    uint8_t flags; /* enum wi_call_flags */
    uint8_t op_flags, direction;
    uint8_t memory; /* enum wi_kept_memory */
    int8_t device;
};

static inline int64_t wi_kept_began(const struct wi_kept *kept)
{
    return kept->enter_ns != WI_UNKNOWN ? kept->enter_ns : kept->start_ns;
}

enum wi_kept_memory { WI_KEPT_PAGEABLE = 1, WI_KEPT_MANAGED = 2 };

struct wi_block {
    uint64_t id; /* 1, 2, ... in the order of the run; 0 = empty */
    uint32_t count;
};

struct wi_reservoir {
    struct wi_kept *records; /* WI_BLOCKS x WI_BLOCK_RECORDS; NULL: there was no memory */
    struct wi_block blocks[WI_BLOCKS];
    uint32_t ready;     /* records whose memory was asked for (WI_FILL_BYTES) */
    uint32_t recording; /* the block being filled, WI_BLOCKS = none */
    uint32_t seen;      /* calls of the present candidate */
    uint64_t candidate; /* its id */
    uint64_t random;
};

/* Without memory for it nothing is kept; that is no error. */
void wi_reservoir_init(struct wi_reservoir *reservoir, struct wi_arena *arena);
/* Keeps a call if its stretch is kept; returns its place + 1, 0 if it is not. */
uint32_t wi_reservoir_call(struct wi_reservoir *reservoir, const struct wi_host_call *call,
                           uint64_t seq, uint32_t thread_index);
/* An operation: of the call at place - 1 with that seq, or of no kept call (place 0). waves: of a
 * kernel, < 0 = not known; sms: of its device, 0 = not known. */
void wi_reservoir_op(struct wi_reservoir *reservoir, uint32_t place, uint64_t seq,
                     const struct wi_device_op *op, double waves, uint32_t sms);
/* The silence before the call (own = 0) or the call itself (own = 1) was charged to a signature.
 * The latest one stands. */
void wi_reservoir_label(struct wi_reservoir *reservoir, uint32_t place, uint64_t seq, int own,
                        uint32_t signature);

#endif
