/* The engine: events in, accounted time and findings out. Streaming, bounded memory, pure: no I/O,
 * no clock, no malloc. The same code runs inside the job and in the command.
 * Threads: one at a time. May not: know how its events were obtained, or any ground truth.
 *
 * Two ways of feeding it:
 *   live     calls and ops in any order; wi_engine_advance(t) promises that every CALL which was
 *            entered before t has been given. Ops may come late: the watermark is the entry of the
 *            oldest call that still owes its device record (WI_CALL_OWES).
 *   ordered  events sorted by wi_event_time(); wi_engine_advance(t) promises that every CALL AND
 *            OP that starts before t has been given. Owed records hold nothing back. */
#ifndef WI_ANALYZE_ENGINE_H
#define WI_ANALYZE_ENGINE_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "model/event.h"
#include "model/names.h"

struct wi_engine;
struct wi_result; /* analyze/result.h */

struct wi_engine_config {
    struct wi_names *names; /* outlives the engine; kernel names are looked up in it */
    int ordered;            /* see above */
    int imported;           /* window: 0 = first call to last op or call, 1 = first op to last op */
    int host_only;          /* level C: calls are all there is, device time is unknown */
    size_t budget_bytes;    /* of the engine's own memory; 0 = 56 MiB */
};

/* NULL if the budget or the system refuses. */
struct wi_engine *wi_engine_create(const struct wi_engine_config *config);
void wi_engine_free(struct wi_engine *engine);

/* Gives one event, of whatever origin: values that are not known here become "unknown" first. Never
 * fails: what cannot be kept is counted and shows in the coverage. */
void wi_engine_push(struct wi_engine *engine, const struct wi_event *event);
/* The same without the union, for the hot senders. */
void wi_engine_call(struct wi_engine *engine, const struct wi_host_call *call);
void wi_engine_op(struct wi_engine *engine, const struct wi_device_op *op);
/* Lets the engine account everything that is final before `horizon_ns` (see above). */
void wi_engine_advance(struct wi_engine *engine, int64_t horizon_ns);
/* No more events will come: accounts everything that was given. */
void wi_engine_finish(struct wi_engine *engine);

/* What is known up to the watermark (after finish: everything). Allocates from arena only;
 * the engine is not changed. Returns 0, or WI_ERR_NOMEM with an empty result. */
int wi_engine_result(struct wi_engine *engine, struct wi_arena *arena, struct wi_result *result);
/* The time up to which everything is accounted; WI_UNKNOWN before the first advance. */
int64_t wi_engine_watermark(const struct wi_engine *engine);

#endif
