/* Readings of another tool's clock as times, see tool_clock.h.
 * Threads: noted there. May not: allocate. */
#include "collect/tool_clock.h"

#include <stdatomic.h>

#include "collect/hot.h"

#define PAIRS    64
#define PAUSE_NS INT64_C(2000)      /* reading two clocks takes 0.1 us; this was an interruption */
#define APART_NS INT64_C(100000000) /* two pairs give the rate to better than 1 us a second */

static struct {
    uint64_t (*_Atomic read)(void);
    uint64_t (*seen)(void); /* which of them the pairs are of */
    struct {
        uint64_t reading;
        int64_t ns;
    } pairs[PAIRS]; /* ring */
    unsigned count;
} state;

void wi_tool_clock_set(uint64_t (*read)(void))
{
    atomic_store(&state.read, read);
}

void wi_tool_clock_sample(void)
{
    uint64_t (*read)(void) = atomic_load(&state.read);
    if (!read)
        return;
    if (read != state.seen) {
        state.seen = read;
        state.count = 0;
    }
    int64_t ns, apart;
    uint64_t reading;
    int tries = 10; /* a pause of the thread between the clocks would bend the rate */
    do {
        ns = wi_now_ns();
        reading = read();
        apart = wi_now_ns() - ns;
    } while (apart > PAUSE_NS && --tries > 0);
    ns += apart / 2;
    unsigned last = (state.count - 1) % PAIRS;
    /* the newest pair is renewed until it is far enough from the one before */
    int close = state.count > 1 && ns - state.pairs[(state.count - 2) % PAIRS].ns < APART_NS;
    unsigned at = close ? last : state.count++ % PAIRS;
    state.pairs[at].reading = reading;
    state.pairs[at].ns = ns;
}

/* Along the line through two pairs next to the reading that are far enough apart for a rate. */
static int64_t as_time(uint64_t reading)
{
    unsigned oldest = state.count > PAIRS ? state.count - PAIRS : 0, b = state.count - 1;
    if (state.count < 2)
        return WI_UNKNOWN;
    while (b > oldest + 1 && state.pairs[(b - 1) % PAIRS].reading > reading)
        b--;
    unsigned a = b - 1; /* the newest pair may just have been begun */
    while (a > oldest && state.pairs[b % PAIRS].ns - state.pairs[a % PAIRS].ns < APART_NS / 10)
        a--;
    uint64_t r0 = state.pairs[a % PAIRS].reading, r1 = state.pairs[b % PAIRS].reading;
    int64_t t0 = state.pairs[a % PAIRS].ns, t1 = state.pairs[b % PAIRS].ns;
    if (r1 <= r0 || t1 - t0 < APART_NS / 10)
        return WI_UNKNOWN; /* too close to tell the rate */
    double rate = (double)(t1 - t0) / (double)(r1 - r0);
    return t0 + (int64_t)((double)(int64_t)(reading - r0) * rate);
}

int64_t (*wi_tool_clock(void))(uint64_t reading)
{
    return atomic_load(&state.read) ? as_time : NULL;
}
