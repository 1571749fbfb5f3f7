/* A server's side of the live player: a listening socket, one accepted connection, and a client
 * process that is no child of the job.
 * Threads: the launching thread only. */
#ifndef WI_LIVE_CLIENT_H
#define WI_LIVE_CLIENT_H

#include <stdint.h>

/* Before CUDA is touched. backlog: requests lie ready from the start. Returns 0 or -1. */
int live_client_start(int backlog);
/* Sleeps in epoll_wait until a request comes, which the client sends then; takes it. */
void live_client_wait(int64_t due_ns);

#endif
