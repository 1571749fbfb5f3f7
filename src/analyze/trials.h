/* Kernels that are only tried out, to find the fastest: a few launches between two event records, a
 * wait, and the same with the next candidate. What the host does tells the trials apart (segments);
 * what the device runs in them tells whether candidates follow each other (wi_tuning). A job that
 * times its own steps by events runs the same kernels each time: that is no tuning.
 * Threads: the engine's. Plain data. May not: allocate. */
#ifndef WI_ANALYZE_TRIALS_H
#define WI_ANALYZE_TRIALS_H

#include <stdint.h>

#include "analyze/calls.h"

#define WI_SEGMENT_SLOTS 8192u
#define WI_OTHER_KERNELS 8u
#define WI_SEEN_SLOTS    2048u /* candidates of a run that are remembered, by device */

/* What a thread queues between two event records. */
struct wi_segment {
    uint32_t id;     /* 1, 2, ...: tells a reused slot */
    uint32_t before; /* of its thread, 0 = none */
    uint32_t launches;
    uint8_t timed;  /* between the two records of a pair, else between two pairs */
    uint8_t closed; /* the record that ends it has come */
    uint8_t waited; /* the host waited in it, or asked whether something is done */
    uint8_t spoilt; /* holds what no trial holds */
};

struct wi_trials {
    uint32_t opened;                              /* segments so far */
    uint32_t open[WI_THREAD_SLOTS];               /* the segment each thread is in, 0 = none */
    struct wi_segment segments[WI_SEGMENT_SLOTS]; /* id -> slot id % WI_SEGMENT_SLOTS */
};

/* Takes any call of the thread with this index; returns the segment it stands in, 0 = none. */
uint32_t wi_trials_note(struct wi_trials *trials, uint32_t thread, const struct wi_host_call *call);

/* What the operations of one device show. */
struct wi_tuning {
    uint32_t trial;       /* the segment whose operations are coming in, 0 = none */
    uint64_t signature;   /* of its kernels so far */
    int64_t trial_ns;     /* when it began */
    uint64_t candidate;   /* what the trials before ran */
    int64_t candidate_ns; /* since when */
    uint32_t candidates;  /* that followed each other, each for the first time */
    uint32_t trials;      /* of them */
    uint32_t stretch;     /* counts up whenever the sequence is broken */
    int on;               /* candidates are being tried out */
    uint32_t other_count; /* different kernels outside of trials since the last one */
    uint64_t others[WI_OTHER_KERNELS];
    uint64_t seen[WI_SEEN_SLOTS];
};

enum wi_trying {
    WI_TRYING_NOT,
    WI_TRYING_MAYBE, /* a trial, of which there are too few yet */
    WI_TRYING
};

/* Takes the next operation of the device, in order; segment: of its call, 0 = none. */
enum wi_trying wi_tuning_op(struct wi_tuning *tuning, const struct wi_trials *trials,
                            uint32_t segment, const struct wi_device_op *op);

#endif
