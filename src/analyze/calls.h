/* The host side of the engine: the calls of every thread in order, joined to their device work.
 * Threads: the engine's. May not: allocate after creation; old calls are overwritten and counted.
 */
#ifndef WI_ANALYZE_CALLS_H
#define WI_ANALYZE_CALLS_H

#include <stdint.h>

#include "analyze/reservoir.h"
#include "analyze/seen.h"
#include "base/arena.h"
#include "model/event.h"

#define WI_NO_SLOT UINT32_MAX

#define WI_CALL_SLOTS 65536u /* the bound on pending calls */
#define WI_CALL_FIRST                                                                              \
    4096u /* slots at first; doubled when all are needed: few stay in the cache                    \
           */
#define WI_THREAD_SLOTS  256u
#define WI_MATRIX        16u /* issuing threads that are compared with each other */
#define WI_RECENT_BURSTS 8u
#define WI_SPAN_SLOTS    512u /* spans kept per thread; adjacent ones of a kind are joined */

/* A stretch of issuing calls of one thread with no wait between them, or of copies with no launch
 * between them (limits.def: RUN_*). Still growing while later calls come in. */
struct wi_run {
    uint64_t id;        /* 1, 2, ...: tells a reused slot */
    int64_t median_ns;  /* running estimate of the silences between its calls */
    int64_t settled_ns; /* that estimate when it first held RUN_CALLS calls */
    uint32_t calls;
};

struct wi_call_slot {
    struct wi_host_call call;
    uint64_t seq;        /* 1, 2, ... in the order of pushing: tells a reused slot */
    int64_t op_start_ns; /* first device op of the call, WI_UNKNOWN before it is seen */
    int64_t op_end_ns;
    int64_t silence_ns; /* since the exit of the thread's previous call, WI_UNKNOWN for its first */
    uint64_t run, copy_run;               /* ids of the runs it stands in, 0 = none */
    uint32_t run_position, copy_position; /* 1 = first of its run */
    uint32_t next;                        /* of the same thread, WI_NO_SLOT at the end */
    uint32_t behind;     /* of a sync: the device-to-host copy right before it, else WI_NO_SLOT */
    uint64_t behind_seq; /* seq of that copy: tells whether the slot still holds it */
    uint32_t thread_index;
    uint32_t kept;    /* place in the reservoir + 1, 0 = not kept */
    uint32_t segment; /* between two event records (trials.h), 0 = none */
    uint8_t trimmed;  /* no longer in the list of its thread */
    uint8_t settled;  /* its device record has come, was given up, or none is owed */
    uint8_t repeated; /* copies host memory that has not changed since it was copied (repeats.h) */
};

/* A call whose record is overdue: its device counts as busy, with what is not known. */
struct wi_overdue {
    uint64_t corr;
    int64_t exit_ns;
    int32_t device;
};
#define WI_OVERDUE_SLOTS 64u

struct wi_span_kept {
    int64_t start_ns, end_ns;
    uint32_t name, site; /* where the thread was, of kinds that tell it; else WI_NO_NAME */
    uint8_t kind;        /* enum wi_span_kind; WI_SPAN_COUNT + enum wi_frame_kind for frames */
};

struct wi_burst {
    int64_t start_ns, end_ns;
};

struct wi_thread {
    uint32_t tid;
    uint32_t head, tail;   /* its calls, oldest and newest */
    uint32_t owed;         /* oldest call that owes a record, WI_NO_SLOT = none */
    uint32_t issued;       /* issuing calls so far, saturating */
    uint32_t matrix_index; /* < WI_MATRIX if it takes part in the comparison */
    uint64_t bursts;
    struct wi_burst burst; /* the open one */
    struct wi_burst recent[WI_RECENT_BURSTS];
    uint64_t run, copy_run;     /* ids of the open runs, 0 = none */
    int64_t last_exit_ns;       /* of any call; WI_UNKNOWN before its first */
    int64_t quiet_ns;           /* between its calls, so far */
    int64_t last_walked_ns;     /* of a call that wi_clock_walks; WI_UNKNOWN before the first */
    uint32_t last_copy;         /* the latest issuing call, if it is a copy, else WI_NO_SLOT */
    struct wi_span_kept *spans; /* ring, allocated at the first span */
    uint32_t span_first, span_count;
};

#define WI_RUN_SLOTS 16384u

struct wi_corr_entry {
    uint64_t corr;
    uint32_t slot;
};

struct wi_calls {
    struct wi_arena *arena;
    struct wi_call_slot *slots;
    uint32_t slot_cap;             /* slots in use so far, a power of two */
    uint32_t slot_next;            /* the next one to take */
    uint32_t slots_used;           /* slots that have ever held a call */
    uint64_t pushed;               /* calls so far; slot = (seq - 1) % WI_CALL_SLOTS */
    struct wi_corr_entry *by_corr; /* direct-mapped pairs, by the id: ids come in sequence */
    uint32_t corr_cap;             /* entries in use so far, a power of two */
    uint64_t *early;               /* ids of ops that came before their call */
    struct wi_thread *threads;
    uint32_t thread_count;
    uint32_t matrix_count;
    uint64_t overlaps[WI_MATRIX][WI_MATRIX];
    struct wi_run *runs; /* run id -> slot (id - 1) % WI_RUN_SLOTS */
    uint64_t runs_opened;
    struct wi_overdue overdue[WI_OVERDUE_SLOTS];
    uint32_t overdue_count;
    int64_t first_enter_ns, last_exit_ns; /* WI_UNKNOWN before the first call */
    uint64_t spans_kept;                  /* so far */
    int64_t spans_until_ns;               /* the latest end of any of them */
    uint64_t loads_kept;                  /* of them: loading or compiling of device code */
    uint32_t unbound;                     /* index of the thread of spans without one */
    uint64_t launches_joined;             /* to their kernel */
    uint64_t launches_blocked;            /* of them: returned only after their kernel */
    uint64_t overwritten;                 /* calls lost to the bound while their record was owed */
    uint64_t thread_overflow;             /* calls of threads beyond the table */
    struct wi_reservoir reservoir;        /* stretches of the run for predictions */
};

/* 0, or WI_ERR_NOMEM. Takes about 15 MiB of address space, touched as it fills. */
int wi_calls_init(struct wi_calls *calls, struct wi_arena *arena);
/* Adds a call; calls of one thread come in order. NULL if there are too many threads. */
struct wi_call_slot *wi_calls_push(struct wi_calls *calls, const struct wi_host_call *call);
/* An op arrived: its call, if known, no longer owes a record. Returns its slot, WI_NO_SLOT if it is
 * not known. */
uint32_t wi_calls_settle(struct wi_calls *calls, uint64_t corr);
/* The slot of a correlation id, WI_NO_SLOT if unknown or overwritten. */
uint32_t wi_calls_find(const struct wi_calls *calls, uint64_t corr);
/* The same where the call stood in that slot before (WI_NO_SLOT: not known) and mostly still does.
 */
static inline uint32_t wi_calls_find_again(const struct wi_calls *calls, uint64_t corr,
                                           uint32_t slot)
{
    int there = slot != WI_NO_SLOT && calls->slots[slot].call.corr == corr;
    return there ? slot : wi_calls_find(calls, corr);
}
/* Joins an op to its call: times, bytes, direction and memory kinds flow into the slot. */
void wi_calls_join(struct wi_calls *calls, uint32_t slot, const struct wi_device_op *op);
/* Entry of the oldest call that owes a record, INT64_MAX if none. Calls entered before give_up_ns
 * become overdue and hold nothing back any more. */
int64_t wi_calls_owed_since(struct wi_calls *calls, int64_t give_up_ns);
/* The records of calls entered before limit_ns will not come: they owe none any more. */
void wi_calls_forgive(struct wi_calls *calls, int64_t limit_ns);
/* Earliest exit of an overdue call of the device, INT64_MAX if none. */
int64_t wi_calls_overdue_since(const struct wi_calls *calls, int32_t device);
/* Forgets calls and spans that ended before limit_ns, keeping the last one of each thread. */
void wi_calls_trim(struct wi_calls *calls, int64_t limit_ns);
/* The index of a thread, WI_NO_SLOT when the table is full. */
uint32_t wi_calls_thread(struct wi_calls *calls, uint32_t tid);

/* host_clock.c: what the order of a thread's calls tells. */

/* Puts a pushed slot into its thread's runs and bursts; called by wi_calls_push. */
void wi_clock_note(struct wi_calls *calls, struct wi_thread *thread, uint32_t slot_index);
/* 1 if the call is a point of the host's clock: queries and calls of class `other` are part of the
 * silence around them. */
static inline int wi_clock_walks(const struct wi_host_call *call)
{
    return call->api_class != WI_API_QUERY && call->api_class != WI_API_OTHER;
}
/* The run of an id, NULL if it has none or its slot was reused. */
const struct wi_run *wi_clock_run(const struct wi_calls *calls, uint64_t id);
/* 1 if the silence before the call is dispatch: it stands in a run of at least RUN_CALLS calls, not
 * first, and is even with it. */
int wi_clock_is_dispatch(const struct wi_calls *calls, const struct wi_call_slot *slot,
                         int64_t silence_ns);
/* 1 if the two threads hand work to each other (or are the same): one host clock. */
int wi_clock_alternate(const struct wi_calls *calls, uint32_t thread_a, uint32_t thread_b);
/* Keeps a span of its thread; kind as in struct wi_span_kept. */
void wi_clock_span(struct wi_calls *calls, const struct wi_host_span *span, uint8_t kind);
/* Time of [start_ns, end_ns) that spans of one kind cover on a thread; kind as there. */
int64_t wi_clock_covered(const struct wi_thread *thread, int kind, int64_t start_ns,
                         int64_t end_ns);
/* As far as spans of the kind `but` do not cover it too. */
int64_t wi_clock_covered_but(const struct wi_thread *thread, int kind, int but, int64_t start_ns,
                             int64_t end_ns);
/* Where the thread was seen in [start_ns, end_ns), by the names of its spans. */
void wi_clock_seen(const struct wi_thread *thread, int64_t start_ns, int64_t end_ns,
                   struct wi_seen *seen);

#endif
