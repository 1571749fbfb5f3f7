/* The timeline notation of the scenario files, parsed: `### ID` headings with ```timeline blocks.
 * Threads: one. May not: know anything about whyidle; the tags are ground truth and only the truth
 * (timeline_truth.h) may use them. Times are integer nanoseconds. */
#ifndef WI_TIMELINE_H
#define WI_TIMELINE_H

#include <stddef.h>
#include <stdint.h>

#define TL_NO_TAG    (-1)
#define TL_NOT_GIVEN (-1)
#define TL_MAX_DEPTH 8
#define TL_MAX_RANKS 16

enum tl_op {
    TL_LOOP, /* count times up to the matching TL_END at program[jump] */
    TL_END,  /* jump = index of its TL_LOOP */
    TL_WAIT,
    TL_CPU,
    TL_H2D,
    TL_D2H,
    TL_KERN,
    TL_GRAPH, /* one launch of count kernels */
    TL_COLL,
    TL_SYNC,
    TL_MALLOC, /* from here on allocations */
    TL_FREE,
    TL_HOSTALLOC
};

/* How a thread waits outside CUDA; the order is that of the words in timeline.c. */
enum tl_how {
    TL_FUTEX,
    TL_POLL,
    TL_EPOLL,
    TL_READ,
    TL_FSYNC,
    TL_CONDVAR,
    TL_CHILD,
    TL_GIL,
    TL_RUNQ,
    TL_THROTTLED,
    TL_HOW_COUNT
};

struct tl_line {
    enum tl_op op;
    int number;    /* of the line in its block, from 1 */
    int tag;       /* index into tl_block.tags or TL_NO_TAG */
    int jump;      /* loops only */
    int64_t count; /* loops, launches, copies, allocations */
    int64_t ns;    /* wait, cpu, and one call of malloc, free, hostalloc */
    int64_t host_ns, dev_ns, gap_ns, stall_ns, wake_ns;
    int64_t bytes; /* of one copy */
    uint64_t stream;
    uint32_t grid, block; /* 0 = not given */
    enum tl_how how;
    char what[32]; /* of cpu: the function that a look at the stack would show */
    int pinned, sync, underfilled, trial, blocking;
    int same; /* copies the memory of the copy before, unchanged */
};

/* What `side` lines tell about other threads, processes and the machine; TL_NOT_GIVEN = silent. */
struct tl_side {
    int64_t workers, worker_cpu_percent;
    int64_t worker_disk_wait; /* 1: state=D, 0: another state */
    int64_t respawn_gap_s;    /* the workers end and start again in every gap as long as this */
    int64_t cores, cores_idle, user_percent, system_percent;
    int64_t launch_run_percent, launch_runnable_percent; /* of the launching thread */
    int64_t launch_partly;                               /* 1: only in some stretches */
    int64_t threads;            /* other threads of the process of which something is said */
    int64_t thread_cpu_percent; /* of each */
    int64_t threads_in_gap;     /* 1: only while the launching thread is silent */
    char thread_name[24];
    int64_t serves;    /* 1: epoll waits for requests */
    int64_t collector; /* 1: stacks show the garbage collector */
    int64_t sms;
};

struct tl_rank {
    int id;
    int lines, cap;
    struct tl_line *program;
};

struct tl_block {
    char case_id[24];
    char name[40];     /* the word after ```timeline, "" if none */
    char problem[120]; /* not "": the block is broken and has no ranks */
    struct tl_side side;
    int64_t jitter_percent, jitter_seed; /* every single duration varies by as much */
    int ranks;
    struct tl_rank rank[TL_MAX_RANKS];
    int tags, tags_cap;
    char **tag;
};

struct tl_file {
    int blocks, cap;
    struct tl_block *block;
};

/* Reads a file; returns -1 with file, line and reason on stderr if it cannot be read. Blocks that
 * are wrong in themselves are kept, marked, and told of on stderr. */
int tl_read(struct tl_file *file, const char *path);
void tl_free(struct tl_file *file);
/* The block of a case; name may be NULL (the first). NULL if there is none. */
struct tl_block *tl_find(const struct tl_file *file, const char *case_id, const char *name);
/* "poll" */
const char *tl_how_word(enum tl_how how);

#endif
