/* One look at a thread that is outside CUDA calls: what does it wait for?
 * Threads: the helper. May not: allocate; stop or signal a thread. */
#ifndef WI_COLLECT_WATCH_LOOK_H
#define WI_COLLECT_WATCH_LOOK_H

#include <stdint.h>

#define WI_LOOK_NOTHING (-1) /* asleep for what no span kind says, or not to be told */
#define WI_LOOK_RUNS    (-2) /* on a core, or ready for one */

/* What /proc/.../syscall says. */
struct wi_syscall {
    int running;    /* the rest is not known */
    int64_t number; /* -1: not in a system call, in a page fault for example */
    uint64_t arg[6];
};
/* 0, or WI_ERR_FORMAT. */
int wi_parse_syscall(const char *text, struct wi_syscall *call);

/* Sums of a thread's stretches on a core, to tell spinning from computing. */
struct wi_spin {
    int looks, runs; /* of them; in the stretches looked at */
    int based;       /* the figures below it are valid */
    int64_t base_user_ns, base_kernel_ns, base_faults;
    int64_t user_ns, kernel_ns, faults;
    int64_t base_bytes;
    int spins; /* the verdict so far */
};

/* A thread that is looked at again and again. */
struct wi_looked {
    uint32_t tid;
    int syscall_fd, stat_fd; /* -1 = not open */
    struct wi_spin spin;
};

/* An enum wi_span_kind or one of the above. first: the first look of a silence. */
int wi_look(struct wi_looked *thread, int first);
/* Is a thread, of which nothing is kept, asleep until a request comes? Negative: not told. */
int wi_look_waits_for_request(int64_t tid);
/* The thread has ended: lets go of its descriptors. */
void wi_look_end(struct wi_looked *thread);

#endif
