/* What whyidle says a change would bring to the job of a block.
 * Threads: one. */
#ifndef WI_TIMELINE_WHATIF_H
#define WI_TIMELINE_WHATIF_H

#include "timeline.h"

/* Prints one JSON line a rank and text (--what-if of the command): "predicted" and, of
 * the run itself, "replay". Returns 0, or -1 after the reason on stderr. */
int tl_whatif(const struct tl_block *block, int64_t max_loops, char *const *texts, int count);

#endif
