/* What a descriptor of the job leads to, as far as it matters to who waits on it.
 * Threads: the helper. May not: change anything about a descriptor; allocate.
 * The job may close it meanwhile and open another under the number: then the answer is wrong once.
 */
#ifndef WI_COLLECT_WATCH_FD_H
#define WI_COLLECT_WATCH_FD_H

#include "model/event.h"

/* In the order in which the members of a set decide what the set is. */
enum wi_fd_kind {
    WI_FD_UNSEEN,  /* closed, or not to be told */
    WI_FD_DEVICE,  /* a device of the CUDA driver */
    WI_FD_TIMER,   /* nothing but time makes it ready */
    WI_FD_OTHER,   /* pipes, events, connections that this process opened */
    WI_FD_FILE,    /* a regular file or a block device */
    WI_FD_CHILD,   /* a child process holds the other end */
    WI_FD_REQUEST, /* a listening socket, or a connection accepted from one */
};

enum wi_fd_kind wi_fd_kind(int fd);
/* The most telling kind in an epoll set. */
enum wi_fd_kind wi_fd_epoll(int fd);
/* The span kind of a thread that sleeps until something comes from such a descriptor; -1 = none. */
int wi_fd_span(enum wi_fd_kind kind);

#endif
