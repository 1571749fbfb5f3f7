/* Level B: gives wrapper calls the correlation id of the API record that was written inside them.
 * By nesting on the same thread, never by order: cuBLAS launches calls that no wrapper sees.
 * Threads: the helper. May not: hold calls longer than a few flushes. */
#ifndef WI_COLLECT_JOIN_H
#define WI_COLLECT_JOIN_H

#include <stdint.h>

#include "model/event.h"

/* Keeps the call until its record comes; at the bound the oldest goes on without one. */
void wi_join_call(const struct wi_host_call *call);
/* A runtime or driver call that ran on the thread. */
void wi_join_record(uint32_t thread, int64_t start_ns, int64_t end_ns, uint32_t corr);
/* Feeds the calls that are joined, need no record or waited too long, in order of arrival.
 * Returns the horizon that holds for what has been fed. */
int64_t wi_join_release(int64_t horizon_ns, int64_t now_ns);

#endif
