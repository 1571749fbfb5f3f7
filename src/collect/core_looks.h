/* In which function a thread computes while it calls no CUDA: the kernel's own sampling of it,
 * where that is allowed (perf_event_paranoid up to 2, no seccomp rule against it), without signals.
 * Threads: the helper, or after wi_helper_stop() the thread that ends the process.
 * May not: allocate but one ring of 68 KiB for each of the first threads; sample a thread that is
 * not in a long silence. */
#ifndef WI_COLLECT_CORE_LOOKS_H
#define WI_COLLECT_CORE_LOOKS_H

#include <stdint.h>

/* A thread was seen on a core in a silence that began at exit_ns: tells the engine in which
 * functions it was since the last time, and has it sampled from now on. */
void wi_core_look(uint32_t tid, int64_t exit_ns);
/* The silence is over: the rest of what was sampled, and no more of it. */
void wi_core_look_end(uint32_t tid, int64_t exit_ns, int64_t enter_ns);

#endif
