/* What whyidle reports of a block, in one process and without files: the engine and the writer that
 * `whyidle report` runs, for thousands of variants.
 * Threads: one. */
#ifndef WI_TIMELINE_REPORT_H
#define WI_TIMELINE_REPORT_H

#include "analyze/engine.h"
#include "model/names.h"
#include "timeline.h"

/* Gets the finished engine of a rank (index in the block); another value than 0 ends it. */
typedef int (*tl_engine_user)(void *ctx, int rank, struct wi_engine *engine,
                              const struct wi_names *names);

/* Plays the block into one engine a rank, as every process of a job has one, and shows each to use.
 * Returns 0 or -1. */
int tl_engines(const struct tl_block *block, int64_t max_loops, tl_engine_user use, void *ctx);
/* json[r] gets the document of rank r on one line, to be freed. Returns 0 or -1. */
int tl_reports(const struct tl_block *block, int64_t max_loops, char *json[TL_MAX_RANKS]);

#endif
