/* The looks at the machine, folded into one for the whole run (host_figures.def).
 * Threads: the engine's. Plain data. May not: allocate. */
#ifndef WI_ANALYZE_HOST_SUMS_H
#define WI_ANALYZE_HOST_SUMS_H

#include "model/event.h"

enum wi_host_figure {
#define HOST_FIGURE(member, how, sentence) WI_FIGURE_##member,
#include "analyze/host_figures.def"
#undef HOST_FIGURE
    WI_FIGURE_COUNT
};

struct wi_host_sums {
    int64_t value[WI_FIGURE_COUNT];
    uint64_t known[WI_FIGURE_COUNT]; /* looks that knew the figure; of means, the time they cover */
};

void wi_host_sums_add(struct wi_host_sums *sums, const struct wi_host_sample *sample);
/* Fills every figure of the table, and clears the others. */
void wi_host_sums_total(struct wi_host_sample *out, const struct wi_host_sums *sums);

#endif
