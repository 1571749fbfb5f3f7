/* Tables about streams, see streams.h.
 * Threads: the helper. May not: allocate. */
#include "collect/streams.h"

#include <string.h>

#include "base/attr.h"
#include "cuda/cuda_abi.h"
#include "model/event.h"

#define FLAG_SLOTS    1024u  /* power of two */
#define CALL_SLOTS    16384u /* calls whose record may still come; power of two */
#define LEARNED_SLOTS 1024u
#define CAPTURED_MAX  64

static struct {
    struct {
        uint64_t number;
        uint8_t used, nonblocking;
    } flags[FLAG_SLOTS];
    struct {
        uint64_t number;
        int64_t exit_ns;
        uint32_t corr;
    } calls[CALL_SLOTS];
    struct {
        uint64_t number;
        uint64_t key; /* device and CUPTI's number, plus 1 */
    } learned[LEARNED_SLOTS];
    uint64_t captured[CAPTURED_MAX], events[CAPTURED_MAX];
    int captured_count, event_count, captures;
} state;

uint64_t wi_stream_number(uint64_t handle, int per_thread, uint32_t thread)
{
    if (handle == WI_STREAM_PER_THREAD || (!handle && per_thread))
        return ((uint64_t)thread << 8) | WI_STREAM_PER_THREAD;
    return handle == WI_STREAM_LEGACY ? 0 : handle;
}

static unsigned flag_slot(uint64_t number)
{
    return (unsigned)((number * UINT64_C(0x9E3779B97F4A7C15)) >> 54) % FLAG_SLOTS;
}

/* Direct mapped: a collision forgets the older stream, which then counts as non-blocking. */
void wi_stream_created(uint64_t number, int nonblocking)
{
    unsigned i = flag_slot(number);
    state.flags[i].number = number;
    state.flags[i].used = 1;
    state.flags[i].nonblocking = (uint8_t)nonblocking;
}

void wi_stream_destroyed(uint64_t number)
{
    unsigned i = flag_slot(number);
    if (state.flags[i].number == number)
        state.flags[i].used = 0;
}

int wi_stream_nonblocking(uint64_t number)
{
    unsigned i = flag_slot(number);
    if (!number || (number & 0xff) == WI_STREAM_PER_THREAD)
        return 0; /* both kinds of default stream synchronise with the legacy one */
    return !state.flags[i].used || state.flags[i].number != number || state.flags[i].nonblocking;
}

static int find(const uint64_t *list, int count, uint64_t value)
{
    for (int i = 0; i < count; i++)
        if (list[i] == value)
            return i;
    return -1;
}

static void add(uint64_t *list, int *count, uint64_t value)
{
    if (*count < CAPTURED_MAX && find(list, *count, value) < 0)
        list[(*count)++] = value;
}

void wi_capture_begin(uint64_t number)
{
    state.captures++;
    add(state.captured, &state.captured_count, number);
}

void wi_capture_end(uint64_t number)
{
    int i = find(state.captured, state.captured_count, number);
    if (i >= 0)
        state.captured[i] = state.captured[--state.captured_count];
    if (state.captures > 0 && --state.captures == 0)
        state.captured_count = state.event_count = 0;
}

void wi_capture_record(uint64_t number, uint64_t event)
{
    if (state.captures && wi_capture_holds(number))
        add(state.events, &state.event_count, event);
}

void wi_capture_wait(uint64_t number, uint64_t event)
{
    if (state.captures && find(state.events, state.event_count, event) >= 0)
        add(state.captured, &state.captured_count, number);
}

int wi_capture_holds(uint64_t number)
{
    return state.captures && find(state.captured, state.captured_count, number) >= 0;
}

void wi_stream_call(uint32_t corr, uint64_t number, int64_t exit_ns)
{
    unsigned i = corr % CALL_SLOTS;
    state.calls[i].corr = corr;
    state.calls[i].number = number;
    state.calls[i].exit_ns = exit_ns;
}

uint64_t wi_stream_of_op(uint32_t corr, int32_t device, uint32_t cupti_stream, int64_t *exit_ns)
{
    uint64_t key = (((uint64_t)(uint32_t)device << 32) | cupti_stream) + 1;
    unsigned slot = (unsigned)((key * UINT64_C(0x9E3779B97F4A7C15)) >> 54) % LEARNED_SLOTS;
    unsigned call = corr % CALL_SLOTS;
    *exit_ns = WI_UNKNOWN;
    if (corr && state.calls[call].corr == corr) {
        *exit_ns = state.calls[call].exit_ns;
        state.learned[slot].key = key;
        state.learned[slot].number = state.calls[call].number;
    }
    if (state.learned[slot].key == key)
        return state.learned[slot].number;
    return (UINT64_C(1) << 63) | key;
}
