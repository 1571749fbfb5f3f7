/* What a device did in a replayed pass: busy, or idle while the host did this or that. The causes
 * are those that the account gave the same silences and calls. Threads: the engine's. Allocates
 * from the arena that is given. */
#ifndef WI_ANALYZE_REPLAY_IDLE_H
#define WI_ANALYZE_REPLAY_IDLE_H

#include "analyze/effects.h"
#include "analyze/replay.h"

struct wi_idle {
    int32_t device;
    int64_t busy_ns;          /* union over its streams */
    int64_t ns[WI_SUB_COUNT]; /* idle, by cause */
};

/* Adds up the pass that was made last, between replayed->start_ns and end_ns. 0, or WI_ERR_NOMEM.
 */
int wi_replay_idle(struct wi_idle *idle, struct wi_arena *arena,
                   const struct wi_replay_model *model, const struct wi_replay_state *state,
                   const struct wi_replayed *replayed, const struct wi_splits *splits);

#endif
