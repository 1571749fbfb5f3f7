/* The left edge of a kept stretch: what was asked for before it, and from where on it counts.
 * Threads: the engine's. Pure. */
#ifndef WI_ANALYZE_REPLAY_EDGE_H
#define WI_ANALYZE_REPLAY_EDGE_H

#include "analyze/replay_model.h"

/* 1 if an operation starts long after its call with nothing before it in the stretch that would
 * explain it: it was queued behind work that is not in it. */
int wi_replay_hangs(const struct wi_replay_model *model, const struct wi_move *move);

/* Sets first and edge_ns of a model whose moves are there. What hangs over the left edge is left
 * out; but if that were most calls of the stretch, the device works on from the edge while the host
 * is done: then the time before the edge is left out. Where several streams are at different places
 * the one that sets the pace begins the stretch. */
void wi_replay_edge(struct wi_replay_model *model);

/* 1 if a call behind an edge_ns waits mostly for work of another stretch: there the host only
 * waits, and what the work of this one does not explain of the wait is no time of its own. */
int wi_replay_waits_elsewhere(const struct wi_replay_model *model);

#endif
