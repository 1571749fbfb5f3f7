/* What is known of streams: their flags, which of them is being captured into a graph, and which
 * handle of the job CUPTI's stream numbers stand for.
 * Threads: the helper. May not: allocate; the tables are bounded, the oldest entries give way. */
#ifndef WI_COLLECT_STREAMS_H
#define WI_COLLECT_STREAMS_H

#include <stdint.h>

/* One number per stream for events: default streams are told apart per thread where they are
 * private (per_thread: handle 0 means the thread's own). 0 = the legacy default stream. */
uint64_t wi_stream_number(uint64_t handle, int per_thread, uint32_t thread);

void wi_stream_created(uint64_t number, int nonblocking);
void wi_stream_destroyed(uint64_t number);
/* 1 unless the stream is known to synchronise with the default stream. */
int wi_stream_nonblocking(uint64_t number);

/* Capture spreads: a stream that waits for an event recorded in a captured stream is captured. */
void wi_capture_begin(uint64_t number);
void wi_capture_end(uint64_t number);
void wi_capture_record(uint64_t number, uint64_t event);
void wi_capture_wait(uint64_t number, uint64_t event);
int wi_capture_holds(uint64_t number);

/* A call with this correlation id went to the stream and returned at exit_ns. */
void wi_stream_call(uint32_t corr, uint64_t number, int64_t exit_ns);
/* The stream an operation belongs to, by its call, else as learned from earlier operations of the
 * same CUPTI stream, else a number no handle has. *exit_ns gets its call's, or WI_UNKNOWN. */
uint64_t wi_stream_of_op(uint32_t corr, int32_t device, uint32_t cupti_stream, int64_t *exit_ns);

#endif
