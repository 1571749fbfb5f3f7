/* A client that sends requests to this process over a socket.
 * Threads: the launching thread; the client is a process, no child of this one. */
#ifndef WI_SAMPLES_CLIENT_H
#define WI_SAMPLES_CLIENT_H

#include <stdint.h>

/* Starts the client, which again and again sends `burst` requests at once, waits for the answers to
 * them, and pauses. Call before the GPU is used. Returns 0 or -1. */
int client_start(int burst, int64_t pause_ns);
/* Sleeps until there is a request, and takes one. */
void client_take(void);
/* Answers it. */
void client_answer(void);

#endif
