/* A histogram of durations in buckets of 9 %, for medians and percentiles of what cannot be kept.
 * Threads: the owner. May not: allocate. */
#ifndef WI_ANALYZE_HIST_H
#define WI_ANALYZE_HIST_H

#include <stdint.h>

/* 8 buckets an octave from 256 ns to 2^40 ns (18 minutes); what lies outside goes to the ends. */
#define WI_HIST_BUCKETS 256

struct wi_hist {
    uint64_t count;
    int64_t longest_ns;
    uint32_t buckets[WI_HIST_BUCKETS];
};

void wi_hist_add(struct wi_hist *hist, int64_t ns);
void wi_hist_merge(struct wi_hist *into, const struct wi_hist *from);
/* The duration that `permille` of the entries do not exceed (middle of its bucket, never above the
 * longest), WI_UNKNOWN if empty. */
int64_t wi_hist_quantile(const struct wi_hist *hist, int permille);

#endif
