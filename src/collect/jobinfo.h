/* What a report says about the job itself: program, arguments, host, rank.
 * Threads: the helper or the thread that ends the process, one at a time. */
#ifndef WI_COLLECT_JOBINFO_H
#define WI_COLLECT_JOBINFO_H

#include "model/job.h"

/* The process's description; strings live as long as the process. Read once, then kept. */
const struct wi_job *wi_job_base(void);

#endif
