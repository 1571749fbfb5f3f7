/* The looks at the machine in one, see host_sums.h.
 * Threads: the engine's. Pure. */
#include "analyze/host_sums.h"

#define MOST (INT64_MAX / 2) /* what a reader of the document accepts */

enum how { MEAN, SUM, LAST, LEAST };

/* Looks are not always equally far apart: each counts for the time it covers, in ms. */
static int64_t weight_of(const struct wi_host_sample *sample)
{
    int64_t ms = sample->interval_ns == WI_UNKNOWN ? 0 : sample->interval_ns / 1000000;
    return ms > 0 ? ms : 1;
}

static void fold(struct wi_host_sums *sums, int figure, enum how how, int64_t value, int64_t weight)
{
    int64_t *into = &sums->value[figure];
    if (value == WI_UNKNOWN)
        return;
    if (how != MEAN)
        weight = 1;
    else if (__builtin_mul_overflow(value, weight, &value))
        value = MOST;
    if (how == LAST)
        *into = value;
    else if (how == LEAST)
        *into = sums->known[figure] && *into < value ? *into : value;
    else if (__builtin_add_overflow(*into, value, into) || *into > MOST)
        *into = MOST;
    sums->known[figure] += (uint64_t)weight;
}

void wi_host_sums_add(struct wi_host_sums *sums, const struct wi_host_sample *sample)
{
    int64_t weight = weight_of(sample);
#define HOST_FIGURE(member, how, sentence)                                                         \
    fold(sums, WI_FIGURE_##member, how, sample->member, weight);
#include "analyze/host_figures.def"
#undef HOST_FIGURE
}

/* Means are rounded up: a figure that was seen at all is not told as 0. */
static int64_t total(const struct wi_host_sums *sums, int figure, enum how how)
{
    int64_t count = (int64_t)sums->known[figure], value = sums->value[figure];
    if (!count)
        return WI_UNKNOWN;
    return how == MEAN ? value / count + (value % count > 0) : value;
}

void wi_host_sums_total(struct wi_host_sample *out, const struct wi_host_sums *sums)
{
    wi_host_sample_clear(out);
#define HOST_FIGURE(member, how, sentence) out->member = total(sums, WI_FIGURE_##member, how);
#include "analyze/host_figures.def"
#undef HOST_FIGURE
}
