/* A clock that another tool gave CUPTI: from then on records carry its readings.
 * Threads: set by any; the rest on the helper. May not: give CUPTI a clock of ours, which would
 * spoil the other tool's records. */
#ifndef WI_COLLECT_TOOL_CLOCK_H
#define WI_COLLECT_TOOL_CLOCK_H

#include <stdint.h>

void wi_tool_clock_set(uint64_t (*read)(void));
/* Compares it with the time of day; now and then, and before records are decoded. */
void wi_tool_clock_sample(void);
/* How wi_decoder.clock is to be set: NULL without such a clock. */
int64_t (*wi_tool_clock(void))(uint64_t reading);

#endif
