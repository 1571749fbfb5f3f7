/* A client that sends requests to this process over a socket.
 * Threads: the launching thread; the client is a process, no child of this one. */
#ifndef WI_SAMPLES_CLIENT_H
#define WI_SAMPLES_CLIENT_H

#include <stdint.h>

/* Starts the client: a request every period_ns; with 0, after ten slow ones, as many as the socket
 * takes. Call before the GPU is used. Returns 0 or -1. */
int client_start(int64_t period_ns);
/* Sleeps until there is a request, and takes one. */
void client_take(void);

#endif
