/* Plays a block in virtual time and tells a sink what happens: the one simulation under the truth
 * and under the event trace.
 * Threads: one. May not: interpret tags; it hands them on. Times in ns from the program's start. */
#ifndef WI_TIMELINE_SIM_H
#define WI_TIMELINE_SIM_H

#include "timeline.h"

enum tl_busy { TL_BUSY_COMPUTE, TL_BUSY_UNDERFILLED, TL_BUSY_STALL };

/* Tags beyond those of the block, for lines without one. */
enum tl_default_tag {
    TL_TAG_LAUNCH_GAP = -2, /* small-batch */
    TL_TAG_COPY = -3,       /* transfer */
    TL_TAG_HOST = -4,       /* host-other */
    TL_TAG_ALLOCATOR = -5,  /* host-other */
    TL_TAG_PIN = -6,        /* transfer */
    TL_TAG_DEVICE_GAP = -7, /* small-batch */
    TL_TAG_WARM_UP = -8,    /* warm-up */
    TL_TAG_COMM_WAIT = -9,  /* comm-wait */
    TL_TAG_SYNC = -10,      /* live runs only: what waking up takes once the device is done */
    TL_TAG_STALL = -11,     /* a stalled kernel without a tag */
    TL_TAG_DISTURBED = -12  /* host-other; live runs only */
};

/* Every member may be NULL. Within one rank calls and waits come in order of their start, and no
 * operation starts before a call or wait that has been told already has ended. */
struct tl_sink {
    /* The launching thread is in `line` (charged to tag) during [a, b). */
    void (*host)(void *ctx, int rank, int64_t a, int64_t b, int tag);
    void (*busy)(void *ctx, int rank, int64_t a, int64_t b, enum tl_busy kind, int tag);
    void (*copy)(void *ctx, int rank, int64_t a, int64_t b, int tag);
    /* A wait or CPU work outside CUDA. */
    void (*silence)(void *ctx, int rank, const struct tl_line *line, int64_t a, int64_t b);
    /* A call into CUDA; op_start < 0 if it hands no work to the device. For a collective this
     * comes when all ranks have reached it. */
    void (*call)(void *ctx, int rank, const struct tl_line *line, int64_t enter, int64_t exit,
                 int64_t op_start, int64_t op_end);
    /* The rank's program has ended and its device is drained. */
    void (*end)(void *ctx, int rank, int64_t at);
    void *ctx;
};

/* Outermost loops run at most max_loops times (0 = as written). Returns the time at which the last
 * rank ends, or -1 (reason on stderr) if the ranks do not meet at the same collectives. */
int64_t tl_play(const struct tl_block *block, int64_t max_loops, const struct tl_sink *sink);
/* The tag of a line, or what its kind is charged to without one. */
int tl_line_tag(const struct tl_line *line);
/* How often the loop at program[pc] runs, for others that step through a program. */
int64_t tl_loop_count(const struct tl_line *loop, int depth, int64_t max_loops);

#endif
