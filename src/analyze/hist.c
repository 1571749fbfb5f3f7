/* Duration histogram, see hist.h.
 * Threads: the owner. May not: allocate. */
#include "analyze/hist.h"

#include "model/event.h"

#define FIRST_OCTAVE 8 /* 2^8 = 256 ns */

static int bucket_of(int64_t ns)
{
    if (ns < (1 << FIRST_OCTAVE))
        return 0;
    int octave = 63 - __builtin_clzll((uint64_t)ns);
    int part = (int)((ns >> (octave - 3)) & 7);
    int bucket = (octave - FIRST_OCTAVE) * 8 + part;
    return bucket < WI_HIST_BUCKETS ? bucket : WI_HIST_BUCKETS - 1;
}

static int64_t middle_of(int bucket)
{
    int octave = FIRST_OCTAVE + bucket / 8;
    int64_t width = (int64_t)1 << (octave - 3);
    return (8 + bucket % 8) * width + width / 2;
}

void wi_hist_add(struct wi_hist *hist, int64_t ns)
{
    hist->count++;
    hist->buckets[bucket_of(ns)]++;
    if (ns > hist->longest_ns)
        hist->longest_ns = ns;
}

void wi_hist_merge(struct wi_hist *into, const struct wi_hist *from)
{
    into->count += from->count;
    for (int i = 0; i < WI_HIST_BUCKETS; i++)
        into->buckets[i] += from->buckets[i];
    if (from->longest_ns > into->longest_ns)
        into->longest_ns = from->longest_ns;
}

int64_t wi_hist_quantile(const struct wi_hist *hist, int permille)
{
    if (!hist->count)
        return WI_UNKNOWN;
    uint64_t want = (hist->count * (uint64_t)permille + 999) / 1000;
    uint64_t seen = 0;
    int bucket = 0;
    for (; bucket < WI_HIST_BUCKETS - 1; bucket++) {
        seen += hist->buckets[bucket];
        if (seen >= want && seen)
            break;
    }
    int64_t value = middle_of(bucket);
    return value < hist->longest_ns ? value : hist->longest_ns;
}
