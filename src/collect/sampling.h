/* How often the helper looks at threads and at the machine, and what that costs: the governor of
 * this process (governor.h).
 * Threads: the helper; wi_sampling_tell wherever a report is made. May not: allocate. */
#ifndef WI_COLLECT_SAMPLING_H
#define WI_COLLECT_SAMPLING_H

#include <stdint.h>

#include "model/job.h"

/* Looks are so many times as far apart as usual. */
int64_t wi_sampling_apart(void);
/* Around a look: the one gives what the other takes. */
int64_t wi_sampling_begin(void);
void wi_sampling_end(int64_t began_ns);
/* CPU time that looking took without being measured so. */
void wi_sampling_spent(int64_t cpu_ns);
/* Once in each turn of the helper. */
void wi_sampling_hold(int64_t steady_ns);
/* What the report says of it. */
void wi_sampling_tell(struct wi_job *job);

#endif
