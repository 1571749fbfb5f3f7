/* Sharing CUPTI with the other tools of the process. CUPTI serves one subscriber, and the buffer
 * callbacks registered last; the other tool always wins: when it calls (cupti_calls.c sees calls
 * that go through the dynamic linker), what is ours is taken out of CUPTI before its call goes on,
 * and comes back some time after the tool has let go. The stretch between is blind (blind.h).
 *
 * One of us at a time calls CUPTI: the thread of a tool's call, the helper, or the one that arms.
 * A tool's call waits for that at most briefly: going on is worth more than order.
 *
 * Threads: noted at each function. May not: let a tool's call fail because of us. */
#ifndef WI_COLLECT_ARBITER_H
#define WI_COLLECT_ARBITER_H

#include <stddef.h>
#include <stdint.h>

#include "cuda/cupti_abi.h"

/* Arming or the helper: takes the turn for calls of CUPTI, until wi_arbiter_give. Returns 0, and
 * there is nothing to give, while another tool has CUPTI. */
int wi_arbiter_take(void);
void wi_arbiter_give(void);
/* Arming, with the turn: 1 if a tool that we saw coming records already. */
int wi_arbiter_is_taken(void);
/* Helper, now and then: takes CUPTI back if the tool has let go. */
void wi_arbiter_tick(int64_t now_ns);
/* The buffer callback that is registered for everybody: each buffer goes to whose it is. */
void wi_arbiter_completed(void *context, uint32_t stream, uint8_t *buffer, size_t size,
                          size_t valid);

/* Threads of the job, around a tool's call: before it goes to the library, and what it did. */
void wi_arbiter_tool_calls(void);
void wi_arbiter_tool_subscribed(int more); /* -1: one less */
void wi_arbiter_tool_enabled(uint32_t kind, int on);
void wi_arbiter_tool_buffers(wi_cupti_requested requested, wi_cupti_completed completed,
                             int (*real)(wi_cupti_requested, wi_cupti_completed));
void wi_arbiter_tool_finalized(void);

#endif
