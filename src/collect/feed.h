/* Entries of the rings and activity records -> the engine's events.
 * Threads: the helper, or after wi_helper_stop() the thread that ends the process; one at a time.
 * May not: run on the hot path. */
#ifndef WI_COLLECT_FEED_H
#define WI_COLLECT_FEED_H

#include "analyze/engine.h"
#include "collect/hot.h"
#include "cuda/decode.h"
#include "model/event.h"
#include "model/names.h"

/* Makes the name table and the engine; once, while arming. */
int wi_feed_init(int host_only);
struct wi_engine *wi_feed_engine(void);
/* 1 once a call of the job was recorded: starting the driver alone is no use of CUDA. */
int wi_feed_any(void);
struct wi_names *wi_feed_names(void);

/* ranges: of the job's own, NULL where they are not known. */
void wi_feed_entry(uint32_t thread, const struct wi_entry *entry,
                   const struct wi_range_call *ranges);
void wi_feed_buffer(uint8_t *buffer, size_t valid);
void wi_feed_event(const struct wi_event *event);
/* The same for a call, which there are many of. */
void wi_feed_call(const struct wi_host_call *call);
/* Something was lost; count 0 for an interval. */
void wi_feed_loss(enum wi_loss_kind kind, uint64_t count, int64_t start_ns, int64_t end_ns);
/* Everything entered before horizon_ns has been given (level B: as far as joined). */
void wi_feed_advance(int64_t horizon_ns, int64_t now_ns);
/* No more will come: lets go of what waits for a partner. */
void wi_feed_finish(void);

/* Level C, helper: asks the driver for what device records would have said. */
void wi_feed_ask_devices(void);
/* Device n's description as far as known; NULL if not. */
const struct wi_device_info *wi_feed_device(int n);
/* Time CUPTI itself took on the job's threads. */
int64_t wi_feed_own_ns(void);

#endif
