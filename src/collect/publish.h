/* Report files while the job runs and at its end, and the text for people.
 * Threads: rolling reports on the helper, the last one on the thread that ends the process. */
#ifndef WI_COLLECT_PUBLISH_H
#define WI_COLLECT_PUBLISH_H

#include <stddef.h>
#include <stdint.h>

/* The folder of this job's reports when the launcher did not set it: absolute, named after the
 * Slurm job or the time, and this process. Makes nothing. Returns 0 or a negative code. */
int wi_default_job_dir(char *path, size_t cap);
/* Writes the report as far as it is known. */
void wi_publish_rolling(void);
/* Stops the helper, takes in the rest, writes the last report and prints if this process is the
 * one to print. flush: ask CUPTI for its last records, waiting at most timeout_ms. */
void wi_publish_final(int status, int flush, int64_t timeout_ms);

#endif
