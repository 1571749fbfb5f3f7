/* Idle time of a device that lies inside a call of the job: what the driver says it did there,
 * what the scheduler says of the thread, and else what the call is for.
 * Threads: the engine's. May not: allocate. */
#ifndef WI_ANALYZE_IN_CALL_H
#define WI_ANALYZE_IN_CALL_H

#include "analyze/charge.h"

/* Charges [start_ns, end_ns), all of which lies inside the call. */
void wi_charge_call(struct wi_charge *charge, const struct wi_call_slot *slot, int64_t start_ns,
                    int64_t end_ns);
/* What the call itself is the cause of; ns: the part of [start_ns, end_ns) that nothing else
 * explains. */
enum wi_subcause wi_call_cause(const struct wi_charge *charge, const struct wi_call_slot *slot,
                               int64_t start_ns, int64_t end_ns, int64_t ns);

#endif
