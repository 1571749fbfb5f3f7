/* One replay of the kept stretches with several changes side by side: what a prediction is made of.
 * Threads: the engine's. Allocates from the arena that is given. */
#ifndef WI_ANALYZE_PREDICT_SESSION_H
#define WI_ANALYZE_PREDICT_SESSION_H

#include "analyze/effects.h"
#include "analyze/engine_state.h"
#include "analyze/replay_idle.h"

struct wi_plan {
    struct wi_change change;
    struct wi_effects effects;
    int64_t rare_ns;
    int64_t replayed_ns;
    struct wi_idle *idle; /* NULL, or what the device did: added up over the stretches */
};

struct wi_session {
    struct wi_engine *engine;
    struct wi_arena *arena;
    struct wi_splits splits;
    double link_rate;      /* bytes per ns, 0 = not known */
    struct wi_plan *plans; /* [0] changes nothing */
    uint32_t plan_count, plan_room;
    struct wi_replay replay;
    uint64_t operations; /* replayed */
    int64_t measured_ns, unexplained_ns[WI_OP_GRAPH + 1];
    struct wi_hist errors; /* of equal parts, in permyriads */
};

/* Prepares a session with room for so many plans. 0, or WI_ERR_NOMEM. */
int wi_session_begin(struct wi_session *s, struct wi_engine *engine, struct wi_arena *arena,
                     uint32_t room);
/* Adds a change to replay; its index, or UINT32_MAX without memory. The first must change nothing.
 */
uint32_t wi_session_add(struct wi_session *s, const struct wi_change *change);
/* Adds what changes nothing. 0, or WI_ERR_NOMEM. */
int wi_session_add_nothing(struct wi_session *s);
/* The change as it is (1), a weaker (0) and a stronger one (2). */
void wi_session_variants(const struct wi_session *s, const struct wi_change *change,
                         struct wi_change out[3]);
/* Replays the plans from..to - 1 over all stretches; the first time from 0, which also holds the
 * replay against what happened. 0, or WI_ERR_NOMEM. */
int wi_session_replay(struct wi_session *s, uint32_t from, uint32_t to);
/* Fills s->replay: how good the replay is, and why nothing may be said, if so. */
void wi_session_judge(struct wi_session *s);
/* Time of the whole run with a plan: the kept stretches stand for all but what is accounted apart.
 */
double wi_session_whole_run(const struct wi_session *s, const struct wi_plan *plan);
/* What plans[1] brings, between a weaker plans[0] and a stronger plans[2]. */
struct wi_prediction wi_session_prediction(const struct wi_session *s, int universe,
                                           const uint32_t plans[3]);

#endif
