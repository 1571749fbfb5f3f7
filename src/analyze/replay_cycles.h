/* A stretch that begins and ends anywhere has a part of a cycle too many: which of its cycles are
 * whole. Threads: the engine's. Pure. */
#ifndef WI_ANALYZE_REPLAY_CYCLES_H
#define WI_ANALYZE_REPLAY_CYCLES_H

#include "analyze/replay_model.h"

/* Sets cycle_first and cycle_last of a model whose moves and labels are there. */
void wi_replay_cycles(struct wi_replay_model *model);

#endif
