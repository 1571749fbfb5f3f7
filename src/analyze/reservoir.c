/* The stretches that predictions replay, see reservoir.h.
 * Threads: the engine's. May not: allocate after creation. */
#include "analyze/reservoir.h"

#include <stddef.h>

#define NOT_KNOWN    UINT16_MAX
#define FILL_RECORDS 744u /* 64 KiB: the system takes 20 us to give them */

void wi_reservoir_init(struct wi_reservoir *reservoir, struct wi_arena *arena)
{
    *reservoir = (struct wi_reservoir){.recording = WI_BLOCKS, .random = 0x2545f4914f6cdd1du};
    reservoir->records =
        wi_arena_alloc(arena, (size_t)WI_BLOCKS * WI_BLOCK_RECORDS * sizeof(struct wi_kept));
}

/* xorshift64: the same run keeps the same stretches. */
static uint64_t next_random(struct wi_reservoir *reservoir)
{
    reservoir->random ^= reservoir->random << 13;
    reservoir->random ^= reservoir->random >> 7;
    reservoir->random ^= reservoir->random << 17;
    return reservoir->random;
}

/* The place of the next candidate: a free one, or with a chance of 8 in its number another's. */
static void begin_candidate(struct wi_reservoir *reservoir)
{
    reservoir->seen = 0;
    uint64_t id = ++reservoir->candidate;
    uint64_t at = id <= WI_BLOCKS ? id - 1 : next_random(reservoir) % id;
    reservoir->recording = at < WI_BLOCKS ? (uint32_t)at : WI_BLOCKS;
    if (at < WI_BLOCKS)
        reservoir->blocks[at] = (struct wi_block){.id = id};
}

static void make_ready(struct wi_reservoir *reservoir, uint32_t at)
{
    uint32_t left = WI_BLOCKS * WI_BLOCK_RECORDS - at;
    uint32_t more = left < FILL_RECORDS ? left : FILL_RECORDS;
    wi_arena_fill_soon(&reservoir->records[at], more * sizeof(*reservoir->records));
    reservoir->ready = at + more;
}

static struct wi_kept *take(struct wi_reservoir *reservoir)
{
    struct wi_block *block = &reservoir->blocks[reservoir->recording];
    if (block->count == WI_BLOCK_RECORDS)
        return NULL;
    uint32_t at = reservoir->recording * WI_BLOCK_RECORDS + block->count++;
    if (at >= reservoir->ready) /* the first round goes through all blocks in order */
        make_ready(reservoir, at);
    return &reservoir->records[at];
}

static uint32_t fold(uint64_t id)
{
    return (uint32_t)(id ^ (id >> 32));
}

uint32_t wi_reservoir_call(struct wi_reservoir *reservoir, const struct wi_host_call *call,
                           uint64_t seq, uint32_t thread_index)
{
    if (!reservoir->records)
        return 0;
    uint32_t full = reservoir->recording < WI_BLOCKS &&
                    reservoir->blocks[reservoir->recording].count == WI_BLOCK_RECORDS;
    if (!reservoir->candidate || full || reservoir->seen == WI_BLOCK_RECORDS)
        begin_candidate(reservoir);
    reservoir->seen++;
    struct wi_kept *kept = reservoir->recording < WI_BLOCKS ? take(reservoir) : NULL;
    if (!kept)
        return 0;
    *kept =
        (struct wi_kept){.enter_ns = call->enter_ns,
                         .exit_ns = call->exit_ns,
                         .start_ns = WI_UNKNOWN,
                         .end_ns = WI_UNKNOWN,
                         .seq = seq,
                         .bytes = call->bytes,
                         .stream = fold(call->stream),
                         .target = fold(call->target),
                         .api = call->api,
                         .waves = NOT_KNOWN,
                         .spread = NOT_KNOWN,
                         .thread = (uint8_t)(thread_index < UINT8_MAX ? thread_index : UINT8_MAX),
                         .api_class = call->api_class,
                         .flags = call->flags,
                         .direction = call->direction,
                         .device = (int8_t)call->device};
    return (uint32_t)(kept - reservoir->records) + 1;
}

static void put_op(struct wi_kept *kept, const struct wi_device_op *op, double waves, uint32_t sms)
{
    int pageable = op->src_mem == WI_MEM_PAGEABLE || op->dst_mem == WI_MEM_PAGEABLE;
    int managed = op->src_mem == WI_MEM_MANAGED || op->dst_mem == WI_MEM_MANAGED ||
                  op->direction == WI_COPY_MANAGED_H2D || op->direction == WI_COPY_MANAGED_D2H;
    kept->start_ns = op->start_ns;
    kept->end_ns = op->end_ns;
    kept->bytes = op->bytes;
    kept->stream = fold(op->stream);
    kept->name = op->name;
    kept->kind = op->kind;
    kept->op_flags = op->flags;
    kept->direction = op->direction;
    kept->memory = (uint8_t)((pageable ? WI_KEPT_PAGEABLE : 0) | (managed ? WI_KEPT_MANAGED : 0));
    kept->device = (int8_t)op->device;
    if (waves >= 0)
        kept->waves = (uint16_t)(waves < 255 ? waves * 256 : 255 * 256);
    double blocks = (double)op->grid[0] * op->grid[1] * op->grid[2];
    if (op->kind == WI_OP_KERNEL && sms && blocks > 0)
        kept->spread = (uint16_t)(blocks < 1000.0 * sms ? blocks * 64 / sms : 64000);
}

static struct wi_kept *kept_at(struct wi_reservoir *reservoir, uint32_t place, uint64_t seq)
{
    if (!place || reservoir->records[place - 1].seq != seq)
        return NULL;
    return &reservoir->records[place - 1];
}

void wi_reservoir_op(struct wi_reservoir *reservoir, uint32_t place, uint64_t seq,
                     const struct wi_device_op *op, double waves, uint32_t sms)
{
    if (!reservoir->records)
        return;
    struct wi_kept *kept = kept_at(reservoir, place, seq);
    if (kept && kept->start_ns == WI_UNKNOWN) {
        put_op(kept, op, waves, sms);
        return;
    }
    if (reservoir->recording == WI_BLOCKS || (seq && !kept))
        return; /* its call is in no stretch that is kept */
    struct wi_kept *further = take(reservoir);
    if (!further)
        return;
    *further = (struct wi_kept){.enter_ns = WI_UNKNOWN,
                                .exit_ns = WI_UNKNOWN,
                                .seq = seq,
                                .target = kept ? place : 0,
                                .waves = NOT_KNOWN,
                                .spread = NOT_KNOWN,
                                .api_class = WI_API_OTHER};
    put_op(further, op, waves, sms);
}

void wi_reservoir_label(struct wi_reservoir *reservoir, uint32_t place, uint64_t seq, int own,
                        uint32_t signature)
{
    struct wi_kept *kept = kept_at(reservoir, place, seq);
    if (kept && own)
        kept->own_sig = signature + 1;
    else if (kept)
        kept->silence_sig = signature + 1;
}
