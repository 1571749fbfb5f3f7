/* Stretches in which the device records are not ours: another tool has CUPTI, or, where its calls
 * are not seen (found by dlsym), has taken the buffers: then launches go on and no buffer is asked
 * for. Calls made meanwhile owe no record, and the engine is told the interval.
 * Threads: the helper, or the thread that ends the process, unless noted. */
#ifndef WI_COLLECT_BLIND_H
#define WI_COLLECT_BLIND_H

#include <stdint.h>

#include "collect/hot.h"

void wi_blind_begin(int64_t now_ns); /* any thread */
/* Ours again from now_ns on; what was launched before may still run then, unrecorded: the interval
 * reaches to the first operation recorded. */
void wi_blind_end(int64_t now_ns);
/* 1 while the records are not ours; any thread. */
int wi_blind_is(void);
/* A call that would owe a record: 1 if it owes none to us. */
int wi_blind_call(const struct wi_entry *entry);
/* An operation is about to be given to the engine. */
void wi_blind_op(int64_t start_ns);
/* Once a second: whether buffers are still asked for. */
void wi_blind_pulse(void);
/* Before a report: the interval so far. final: nothing more will come. */
void wi_blind_tell(int64_t now_ns, int final);
/* What the report says about it, NULL if there was none. */
const char *wi_blind_reason(void);

#endif
