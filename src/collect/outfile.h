/* The files a process leaves: where they go and how they are replaced.
 * Threads: one at a time (see publish.h). May not: follow links, truncate or overwrite a file that
 * this process did not make. */
#ifndef WI_COLLECT_OUTFILE_H
#define WI_COLLECT_OUTFILE_H

#include "base/out.h"

/* Makes the job's folder alone: a sign for `whyidle run` that CUDA was used, should the process not
 * live to its first report. Only below the wrapper, and once. */
void wi_outfile_announce(void);
/* Opens a fresh temporary file beside the report; buf is the writer's. 0 or a negative code. */
int wi_outfile_begin(struct wi_out *out, char *buf, size_t cap);
/* Puts it in the report's place if everything was written. 0 or a negative code. */
int wi_outfile_commit(struct wi_out *out);
/* The report's path, absolute; "" before the first begin. */
const char *wi_outfile_path(void);
/* 1 if the report lies below the temporary folder because its own could not be written. */
int wi_outfile_is_fallback(void);

#endif
