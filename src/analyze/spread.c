/* What recurs over the run, see spread.h.
 * Threads: the engine's. Pure. */
#include "analyze/spread.h"

#include "analyze/limits.h"

#define FIRST_WIDTH_NS 1000000 /* a run of 8 ms; longer ones double it */

static void widen(struct wi_spread *spread)
{
    for (int i = 0; i < WI_SPREAD_PARTS; i++) {
        int64_t first = 2 * i < WI_SPREAD_PARTS ? spread->ns[2 * i] : 0;
        spread->ns[i] = 2 * i < WI_SPREAD_PARTS ? first + spread->ns[2 * i + 1] : 0;
    }
    spread->width_ns *= 2;
}

/* The part that a time lies in, once the parts are wide enough to reach it. */
static int64_t part_of(struct wi_spread *spread, int64_t offset_ns)
{
    int64_t firsts = offset_ns / FIRST_WIDTH_NS; /* the width is that doubled some times */
    int doubled = __builtin_ctzll((uint64_t)spread->width_ns) - __builtin_ctzll(FIRST_WIDTH_NS);
    for (; firsts >> doubled >= WI_SPREAD_PARTS; doubled++)
        widen(spread);
    return firsts >> doubled;
}

void wi_spread_add(struct wi_spread *spread, int64_t from_ns, int64_t at_ns, int64_t ns)
{
    if (!spread->width_ns) {
        spread->from_ns = from_ns;
        spread->width_ns = FIRST_WIDTH_NS;
    }
    int64_t offset_ns = at_ns > spread->from_ns ? at_ns - spread->from_ns : 0;
    spread->ns[part_of(spread, offset_ns)] += ns;
}

static int64_t middle_of(const struct wi_spread *spread, int parts)
{
    int64_t sorted[WI_SPREAD_PARTS];
    for (int i = 0; i < parts; i++) {
        int at = i;
        for (; at > 0 && sorted[at - 1] > spread->ns[i]; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = spread->ns[i];
    }
    return sorted[(parts - 1) / 2];
}

double wi_spread_recurs(const struct wi_spread *spread, int64_t end_ns)
{
    struct wi_spread whole = *spread;
    int64_t all = 0, recurs = 0;
    if (!whole.width_ns)
        return -1;
    int parts = (int)part_of(&whole, end_ns > whole.from_ns ? end_ns - whole.from_ns - 1 : 0) + 1;
    int64_t most = middle_of(&whole, parts) * WI_LIMIT_SPREAD_FACTOR;
    for (int i = 0; i < WI_SPREAD_PARTS; i++) {
        int64_t ns = i < parts ? whole.ns[i] : 0;
        all += ns;
        recurs += ns < most ? ns : most;
    }
    return all > 0 ? (double)recurs / (double)all : -1;
}
