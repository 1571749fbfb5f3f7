/* The pool of activity buffers CUPTI writes records into.
 * Threads: wi_buffer_requested and _completed run on threads of the job or of CUPTI, inside
 * CUPTI's own locks: they may not lock, wait, allocate or call CUPTI. The rest runs on the helper.
 *
 * A buffer is a number; two bitmaps say which are free and which are completed. CUPTI never gets
 * NULL (that crashes it before CUDA 12.9): without a free buffer it writes into the discard area,
 * which several requests may share because nobody reads it. */
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#include "base/attr.h"
#include "base/err.h"
#include "collect/collect.h"
#include "collect/hot.h"

#define BUFFER_BYTES       ((size_t)256 << 10)
#define LEAST_BYTES        ((size_t)16 << 10)
#define SOON_NS            INT64_C(100000000)
#define BUFFERS            56 /* 14 MiB */
#define DISCARD_BYTES      ((size_t)64 << 10)
#define LEAST_RECORD_BYTES 80 /* a copy or memset of CUDA 11.2 */
#define WORDS              ((BUFFERS + 63) / 64)

static struct {
    uint8_t *memory; /* BUFFERS buffers, then the discard area */
    _Atomic uint64_t idle[WORDS], full[WORDS];
    size_t valid[BUFFERS];
    _Atomic uint64_t requests;
    _Atomic int touched;
    _Atomic size_t size; /* of the next buffer */
    _Atomic int64_t asked_ns;
    _Atomic uint64_t discarded_bytes;
} state;

int wi_buffers_init(void)
{
    if (state.memory)
        return 0;
    void *memory = mmap(NULL, BUFFERS * BUFFER_BYTES + DISCARD_BYTES, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return WI_ERR_NOMEM;
    state.memory = memory;
    for (int i = 0; i < BUFFERS; i++)
        atomic_fetch_or(&state.idle[i / 64], UINT64_C(1) << (i % 64));
    return 0;
}

/* The lowest set bit of the map, cleared; -1 if there is none. */
static int take_bit(_Atomic uint64_t *map)
{
    for (int word = 0; word < WORDS; word++) {
        uint64_t bits = atomic_load(&map[word]);
        while (bits) {
            uint64_t lowest = bits & (~bits + 1);
            if (atomic_compare_exchange_weak(&map[word], &bits, bits & ~lowest))
                return word * 64 + __builtin_ctzll(lowest);
        }
    }
    return -1;
}

/* A flush gives back no buffer that holds a record of unfinished work, which in a job with a full
 * queue is always the newest: small buffers bring the records in early. They double while they
 * are asked for in quick succession, so that a rush has the whole pool. */
static size_t next_size(void)
{
    int64_t now = wi_now_ns();
    int64_t since = now - atomic_exchange_explicit(&state.asked_ns, now, memory_order_relaxed);
    size_t size = atomic_load_explicit(&state.size, memory_order_relaxed);
    if (since >= 0 && since < SOON_NS)
        size = size * 2 < BUFFER_BYTES ? size * 2 : BUFFER_BYTES;
    else if (since > 10 * SOON_NS)
        size = size / 2 > LEAST_BYTES ? size / 2 : LEAST_BYTES;
    size = size < LEAST_BYTES ? LEAST_BYTES : size;
    atomic_store_explicit(&state.size, size, memory_order_relaxed);
    return size;
}

void wi_buffer_requested(uint8_t **buffer, size_t *size, size_t *max_records)
{
    int i = take_bit(state.idle);
    *buffer = state.memory + (size_t)(i < 0 ? BUFFERS : i) * BUFFER_BYTES;
    *size = i < 0 ? DISCARD_BYTES : next_size();
    *max_records = 0;
    int touched = atomic_load_explicit(&state.touched, memory_order_relaxed);
    if (i >= touched)
        atomic_store_explicit(&state.touched, i + 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&state.requests, 1, memory_order_relaxed);
}

void wi_buffer_completed(void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid)
{
    (void)context;
    (void)stream;
    (void)size;
    size_t i = buffer ? (size_t)(buffer - state.memory) / BUFFER_BYTES : BUFFERS;
    if (!buffer || buffer < state.memory || i >= BUFFERS) {
        atomic_fetch_add(&state.discarded_bytes, valid);
        return;
    }
    state.valid[i] = valid <= BUFFER_BYTES ? valid : BUFFER_BYTES;
    atomic_fetch_or_explicit(&state.full[i / 64], UINT64_C(1) << (i % 64), memory_order_release);
}

int wi_buffers_ever_requested(void)
{
    return atomic_load_explicit(&state.requests, memory_order_relaxed) > 0;
}

int wi_buffers_own(const uint8_t *buffer)
{
    return buffer && state.memory && buffer >= state.memory &&
           buffer < state.memory + BUFFERS * BUFFER_BYTES + DISCARD_BYTES;
}

uint64_t wi_buffers_requests(void)
{
    return atomic_load_explicit(&state.requests, memory_order_relaxed);
}

uint64_t wi_buffers_last_room(void)
{
    return atomic_load_explicit(&state.size, memory_order_relaxed) / LEAST_RECORD_BYTES;
}

int wi_buffers_take(int most, void (*use)(uint8_t *buffer, size_t valid))
{
    int taken = 0;
    for (int i; taken < most && (i = take_bit(state.full)) >= 0; taken++) {
        uint8_t *buffer = state.memory + (size_t)i * BUFFER_BYTES;
        use(buffer, state.valid[i]);
        atomic_fetch_or_explicit(&state.idle[i / 64], UINT64_C(1) << (i % 64),
                                 memory_order_release);
    }
    return taken;
}

uint64_t wi_buffers_discarded_bytes(void)
{
    return atomic_load(&state.discarded_bytes);
}

int64_t wi_buffers_bytes(void)
{
    return (int64_t)atomic_load(&state.touched) * (int64_t)BUFFER_BYTES;
}
