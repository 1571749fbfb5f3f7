/* The truth of a block: shares of wall time by the charging rule, from the tags.
 * Threads: one. May not: be used by anything that whyidle sees. */
#ifndef WI_TIMELINE_TRUTH_H
#define WI_TIMELINE_TRUTH_H

#include "timeline.h"

#define TL_MAX_SHARES 96

struct tl_share {
    const char *tag; /* "compute", "under-filled", or a tag "class/sub-cause" */
    int64_t ns;
};

struct tl_truth {
    int64_t length_ns;
    const char *thin_tag; /* what the timeline calls its thin kernels, NULL if nothing */
    int shares;           /* they sum to length_ns */
    struct tl_share share[TL_MAX_SHARES];
};

/* How much longer than written the host may take before the rest counts as a disturbance. */
#define TL_DISTURBED_NS 200000

/* One truth per rank of the block; returns 0, or -1 with the reason on stderr. */
int tl_truth(const struct tl_block *block, int64_t max_loops, struct tl_truth *per_rank);

/* The truth of a live run: the same rule over the times at which its one rank really made its
 * calls, with the device times of the timeline. Where the machine kept the thread from working
 * the excess is host-other/disturbance. */
struct live_record;
int tl_truth_played(const struct tl_block *block, const struct live_record *records, int64_t count,
                    struct tl_truth *truth);

#endif
