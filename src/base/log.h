/* Messages of the tool itself on stderr: one line each, prefix "whyidle: ", errno kept.
 * Threads: any, signal safe. May not: allocate, use stdio, print from processes without CUDA. */
#ifndef WI_BASE_LOG_H
#define WI_BASE_LOG_H

#include "base/attr.h"

/* Levels by how often they can fire. */
enum wi_log_level {
    WI_LOG_FAULT = 0,  /* at most a few times a process: something is off */
    WI_LOG_LIFE = 1,   /* once per stage of a process's life */
    WI_LOG_PERIOD = 2, /* at most a few times a second */
    WI_LOG_EACH = 3    /* once per event */
};

/* The highest level that is printed (WHYIDLE_LOG); default WI_LOG_FAULT. */
void wi_log_set_level(int level);
/* One line, cut at 400 bytes; formats as wi_out_f. */
void wi_log(enum wi_log_level level, const char *fmt, ...) WI_PRINTF(2, 3);

#endif
