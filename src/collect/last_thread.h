/* Is the helper all that is left of the job?
 * Threads: the helper, about once a second. May not: allocate.
 *
 * A main thread that leaves by pthread_exit leaves the process to its other threads; the C library
 * ends it with the last of them. Our thread must not be the one that keeps it alive. */
#ifndef WI_COLLECT_LAST_THREAD_H
#define WI_COLLECT_LAST_THREAD_H

/* 1 if the main thread has ended and only the calling thread is left; 0 also if that cannot be
 * seen.
 */
int wi_last_thread(void);
/* The same for the text of a /proc/PID/stat; for tests. */
int wi_last_thread_in(const char *stat);

#endif
