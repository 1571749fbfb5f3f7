/* Lets a thread write where a failure sends a signal: to a pipe that nobody reads (SIGPIPE), past
 * the limit of file size (SIGXFSZ). Both end a process that does not handle them, and a job must
 * not end for what is written about it. Threads: the calling one only; signal safe. May not: change
 * dispositions; swallow signals that were there before or come from elsewhere. */
#ifndef WI_BASE_QUIET_WRITE_H
#define WI_BASE_QUIET_WRITE_H

#include <signal.h>

struct wi_quiet_write {
    sigset_t mask, pending; /* as they were */
    int on;
};

void wi_quiet_write_begin(struct wi_quiet_write *quiet);
void wi_quiet_write_end(struct wi_quiet_write *quiet);

#endif
