/* One pass over the model of a stretch with a change applied: host clocks, streams, copy engines
 * and waits as max-plus recurrences (docs/predictions.md). Threads: the engine's. Allocates from
 * the arena of the report at creation only. */
#ifndef WI_ANALYZE_REPLAY_H
#define WI_ANALYZE_REPLAY_H

#include "analyze/change.h"
#include "analyze/replay_model.h"

/* What a change does to time that was charged to one signature. */
struct wi_effect {
    double scale;      /* of its length */
    int64_t stay_ns;   /* never shorter than this, or than it was */
    double rate;       /* of the producer */
    uint8_t producer;  /* 1: a producer with its own clock sets the end of the wait */
    uint8_t queue;     /* 1: it can run ahead only as far as its queue holds (not: requests) */
    uint8_t here;      /* 1: the thread itself makes the input: its time, not the time between */
    uint8_t read_back; /* 1: it is work that a read-back or a bare sync exposes */
    uint8_t rare;      /* 1: accounted apart (predict.c); no time here */
};

/* The effects of one change on one run. */
struct wi_effects {
    const struct wi_change *change;
    const struct wi_effect *of;         /* by signature + 1; [0] = not labelled */
    struct wi_effect api[WI_API_COUNT]; /* of calls without a label, by class */
    uint32_t queue_depth;               /* inputs that producers make ahead, 2 to WI_REPLAY_QUEUE */
    struct wi_effect dispatch;          /* of short silences between issuing calls */
    double copy_rate[WI_COPY_COUNT];    /* for async_copies: bytes per ns, 0 = as it was */
};

#define WI_REPLAY_MARKS 64u
#define WI_REPLAY_QUEUE                                                                            \
    64u /* loader workers x 2; more make no difference to a queue that is full */

struct wi_replayed {
    int64_t start_ns, end_ns;             /* of the stretch behind its left edge */
    int64_t mark_ns[WI_REPLAY_MARKS + 1]; /* where the run stood after equal numbers of moves */
    uint32_t marks;
};

struct wi_replay_state;

/* NULL if the arena has no room. most_moves: of any model that it will replay. */
struct wi_replay_state *wi_replay_create(struct wi_arena *arena, uint32_t most_moves);
/* Replays a model; marks: how many equal parts to look at, at most WI_REPLAY_MARKS. */
void wi_replay(struct wi_replay_state *state, const struct wi_replay_model *model,
               const struct wi_effects *effects, uint32_t marks, struct wi_replayed *out);
/* When everything was, by move, in the pass made last. */
struct wi_replay_times {
    const int64_t *enter_ns, *exit_ns, *start_ns, *end_ns;
};
struct wi_replay_times wi_replay_times(const struct wi_replay_state *state);
/* The same figures as they were measured, of what the effects do not account apart. */
void wi_replay_measured(const struct wi_replay_model *model, const struct wi_effects *effects,
                        uint32_t marks, struct wi_replayed *out);

#endif
