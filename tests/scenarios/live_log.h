/* What the live player did, call by call: for the truth of a run as it was really played.
 * Threads: the launching thread writes; the file is read by `play played` afterwards. */
#ifndef WI_LIVE_LOG_H
#define WI_LIVE_LOG_H

#include <stdint.h>

#include "timeline.h"

/* One call, wait or piece of CPU work; times in ns since the program's start. */
struct live_record {
    int64_t line; /* index in the rank's program */
    int64_t enter_ns, exit_ns;
    int64_t runnable_ns; /* of a wait or CPU work: the machine had no core for the thread */
};

/* Makes room for everything a run records, before its time counts. Returns 0 or -1. */
int live_log_start(const struct tl_block *block, int64_t loops);
/* The moment from which times count. */
void live_log_zero(int64_t now_ns);
void live_log(const struct tl_line *line, int64_t enter_ns, int64_t exit_ns);
/* A wait or CPU work, during which the thread stood in the run queue for so long. */
void live_log_silence(const struct tl_line *line, int64_t enter_ns, int64_t exit_ns,
                      int64_t runnable_ns);
/* Time the calling thread has stood in the run queue so far. */
int64_t live_run_queue_ns(void);
/* Writes the records; returns 0 or -1. */
int live_log_write(const char *path);

#endif
