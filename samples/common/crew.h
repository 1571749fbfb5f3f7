/* Loader processes: each sends a byte over a pipe for every batch.
 * Threads: the launching thread, before and after it uses the GPU; the workers are processes. */
#ifndef WI_SAMPLES_CREW_H
#define WI_SAMPLES_CREW_H

/* Starts the processes; each runs work(), which calls crew_send() for every batch and never
 * returns. They end with crew_end() or with this process. Returns 0 or -1. */
int crew_start(int workers, void (*work)(void));
/* In a worker: a batch is ready. */
void crew_send(void);
/* Sleeps until a batch is ready. */
void crew_wait(void);
void crew_end(void);

#endif
