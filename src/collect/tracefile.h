/* WHYIDLE_TRACE: also writes what the engine is given to a file (docs/trace-format.md).
 * Threads: as feed.h. */
#ifndef WI_COLLECT_TRACEFILE_H
#define WI_COLLECT_TRACEFILE_H

#include <stdint.h>

#include "model/event.h"
#include "model/job.h"
#include "model/names.h"

/* Opens the file if one is asked for; a file that exists is never written over: the process's
 * number is appended then. */
void wi_trace_open(const struct wi_names *names);
int wi_trace_on(void);
void wi_trace_event(const struct wi_event *event);
/* Nothing that starts before watermark_ns will follow. */
void wi_trace_advance(int64_t watermark_ns);
/* Puts what was written so far into the file, so that it survives a SIGKILL. */
void wi_trace_flush(void);
void wi_trace_finish(const struct wi_job *job);

#endif
