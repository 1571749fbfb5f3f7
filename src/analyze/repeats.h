/* Copies to the device that read the same host memory again although nobody had the time to rewrite
 * it. That an address comes back proves nothing: loaders reuse their buffers. So the time in which
 * it could have been written is counted, and what the device itself wrote to the host. Threads: the
 * engine's. Plain data. May not: allocate. */
#ifndef WI_ANALYZE_REPEATS_H
#define WI_ANALYZE_REPEATS_H

#include <stdint.h>

#include "analyze/calls.h"

#define WI_REPEAT_SETS 512u
#define WI_REPEAT_WAYS 4u

/* One piece of host memory that a thread copies to a device. */
struct wi_repeat {
    uint64_t source, bytes;    /* bytes 0: free */
    uint64_t again_bytes;      /* of its thread, behind this copy */
    uint64_t to_host_bytes;    /* likewise, of all threads */
    uint64_t unsure;           /* likewise */
    uint64_t used;             /* when last seen: the oldest of a set gives way */
    int64_t quiet_ns, exit_ns; /* of its latest copy: silence of the thread before, and its end */
    uint32_t thread;
    uint32_t times, unwritten; /* repeats, and those before which nobody had time to write it */
};

struct wi_repeats {
    uint64_t copies;
    uint64_t to_host_bytes; /* written to host memory by copies so far */
    uint64_t unsure;        /* calls so far after which nothing is known of host memory */
    uint64_t again_bytes[WI_THREAD_SLOTS]; /* copied again, by thread */
    struct wi_repeat slots[WI_REPEAT_SETS][WI_REPEAT_WAYS];
};

/* Any call of the thread with this index. quiet_ns: time its thread has spent between calls so far;
 * others_permille: of a core, what all other threads that share its memory use, WI_UNKNOWN if that
 * cannot be said. Returns 1 if the call copies what it has copied before, unchanged. */
int wi_repeats_note(struct wi_repeats *repeats, uint32_t thread, const struct wi_host_call *call,
                    int64_t quiet_ns, int64_t others_permille);

#endif
