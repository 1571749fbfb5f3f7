/* Time series and collectives, see series.h.
 * Threads: the engine's. May not: allocate. */
#include "analyze/series.h"

#include <string.h>

#define FIRST_WIDTH_NS 1000000 /* 1 ms: 512 buckets hold half a second before they widen */

static void widen(struct wi_series *series)
{
    for (int i = 0; i < WI_SERIES_BUCKETS / 2; i++)
        for (int kind = 0; kind < WI_SERIES_KINDS; kind++)
            series->ns[i][kind] = series->ns[2 * i][kind] + series->ns[2 * i + 1][kind];
    memset(series->ns[WI_SERIES_BUCKETS / 2], 0, WI_SERIES_BUCKETS / 2 * sizeof(series->ns[0]));
    series->width_ns *= 2;
    series->used = (series->used + 1) / 2;
}

/* The width is the first one doubled some times: a division by a constant and a shift. */
static int64_t bucket_of(const struct wi_series *series, int64_t at_ns)
{
    int doubled = __builtin_ctzll((uint64_t)series->width_ns) - __builtin_ctzll(FIRST_WIDTH_NS);
    return (at_ns - series->start_ns) / FIRST_WIDTH_NS >> doubled;
}

void wi_series_add(struct wi_series *series, enum wi_series_kind kind, int64_t start_ns,
                   int64_t end_ns)
{
    if (end_ns <= start_ns)
        return;
    if (!series->width_ns) {
        series->width_ns = FIRST_WIDTH_NS;
        series->start_ns = start_ns;
    }
    while (end_ns - series->start_ns > series->width_ns * WI_SERIES_BUCKETS)
        widen(series);
    while (start_ns < end_ns) {
        int64_t bucket = bucket_of(series, start_ns);
        int64_t edge = series->start_ns + (bucket + 1) * series->width_ns;
        int64_t to = edge < end_ns ? edge : end_ns;
        series->ns[bucket][kind] += to - start_ns;
        if (bucket >= series->used)
            series->used = (int)bucket + 1;
        start_ns = to;
    }
}

static struct wi_collective_row *row_of(struct wi_collectives *all, const struct wi_device_op *op)
{
    for (uint32_t i = 0; i < all->count; i++) {
        struct wi_collective_row *row = &all->rows[i];
        if (row->name == op->name && row->stream == op->stream && row->device == op->device)
            return row;
    }
    if (all->count == WI_COLLECTIVE_SLOTS)
        return NULL;
    struct wi_collective_row *row = &all->rows[all->count++];
    *row = (struct wi_collective_row){
        .name = op->name, .stream = op->stream, .device = op->device, .step = 1, .timed = 1};
    return row;
}

void wi_collectives_add(struct wi_collectives *all, const struct wi_device_op *op)
{
    struct wi_collective_row *row = row_of(all, op);
    if (!row) {
        all->dropped++;
        return;
    }
    uint64_t ordinal = row->count++;
    row->total_ns += op->end_ns - op->start_ns;
    if (ordinal % row->step)
        return;
    if (row->kept == WI_COLLECTIVE_KEPT) {
        for (int i = 0; i < WI_COLLECTIVE_KEPT / 2; i++) {
            row->duration_ns[i] = row->duration_ns[2 * i];
            row->end_ns[i] = row->end_ns[2 * i];
        }
        row->kept = WI_COLLECTIVE_KEPT / 2;
        row->step *= 2;
        if (ordinal % row->step)
            return;
    }
    row->end_ns[row->kept] = op->end_ns;
    row->duration_ns[row->kept++] = op->end_ns - op->start_ns;
}
