/* The threads of the job that call CUDA, as the helper sees them.
 * Threads: the helper reads, each thread owns its block. */
#ifndef WI_COLLECT_THREAD_H
#define WI_COLLECT_THREAD_H

#include "base/shared_ring.h"
#include "collect/hot.h"

#define WI_MAX_THREADS 4096 /* blocks; further threads are not recorded, which is counted */
#define WI_MAX_RINGS   128  /* own rings; further threads share one */

#define WI_HIGH_FD 700 /* descriptors of ours lie where jobs rarely look */

/* Maps the tables; once, while arming. Returns 0 or a negative code. */
int wi_threads_init(void);
/* Blocks ever used; wi_thread_at(0 .. count-1) are valid. */
int wi_thread_count(void);
struct wi_thread *wi_thread_at(int index);
/* The system's id of a thread that CUPTI names by its own number, or, where some tool asked for
 * that, by the system's; 0 if it is not known. */
uint32_t wi_thread_named(uint32_t id);
/* The ring of the threads that have none, with its losses. */
struct wi_shared_ring *wi_thread_shared_ring(void);
/* Calls of threads beyond WI_MAX_THREADS are not even counted; the threads are. */
int wi_thread_unrecorded(void);
/* Helper: gives the block of an ended thread, whose ring is empty, to the next new thread. */
void wi_thread_recycle(struct wi_thread *t);
/* Has the main thread ended, and the process not? Known only if it has called CUDA. */
int wi_threads_main_ended(void);
/* Bytes that rings and blocks take at most by now. */
int64_t wi_thread_bytes(void);

#endif
