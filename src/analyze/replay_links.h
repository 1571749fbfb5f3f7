/* What the calls and operations of a stretch follow: found while they are added one after the other
 * (replay_model.c).
 * Threads: the engine's. Allocates from the arena of the report at creation only. */
#ifndef WI_ANALYZE_REPLAY_LINKS_H
#define WI_ANALYZE_REPLAY_LINKS_H

#include "analyze/replay_model.h"

struct wi_replay_links;

/* NULL if the arena has no room. moves: those that will be added, by index. */
struct wi_replay_links *wi_links_create(struct wi_arena *arena, const struct wi_calls *calls,
                                        struct wi_move *moves);

/* The latest call of the clock of a call's thread: its own, or that of a thread it alternates with,
 * if that one returned later and before this entry. */
uint32_t wi_links_clock(const struct wi_replay_links *links, const struct wi_kept *kept);
/* The latest call of any thread. */
uint32_t wi_links_latest_call(const struct wi_replay_links *links);
/* Notes a call: it becomes its thread's latest; records of events are remembered, waits of streams
 * for events wait for the stream's next operation. */
void wi_links_call(struct wi_replay_links *links, uint32_t move, const struct wi_kept *kept);

/* The slot of an operation's stream, new or found. */
uint16_t wi_links_stream(struct wi_replay_links *links, const struct wi_kept *kept);
uint32_t wi_links_last_in(const struct wi_replay_links *links, uint16_t stream);
/* The operation whose event the stream waits for, and forgets it; WI_NO_MOVE = none. */
uint32_t wi_links_dependency(struct wi_replay_links *links, uint16_t stream,
                             const struct wi_kept *kept);
/* The legacy default stream and the streams that synchronise with it follow each other. */
uint32_t wi_links_legacy(const struct wi_replay_links *links, const struct wi_kept *kept);
/* 1 if the operation is a copy that one of the two copy engines makes. */
int wi_links_uses_engine(const struct wi_kept *kept);
uint32_t wi_links_engine(const struct wi_replay_links *links, const struct wi_kept *kept);
/* 1 if the operation is a kernel that fills its device, as far as is known. */
int wi_links_fills(const struct wi_kept *kept);
uint32_t wi_links_full(const struct wi_replay_links *links, const struct wi_kept *kept);
/* Notes an operation: it becomes the latest of its stream, engine and device. */
void wi_links_op(struct wi_replay_links *links, uint16_t stream, uint32_t move,
                 const struct wi_kept *kept);

/* The operation that a waiting call waited for: of its event or stream if they are known, else the
 * latest that ended by the call's return. */
uint32_t wi_links_awaited(const struct wi_replay_links *links, const struct wi_move *moves,
                          const struct wi_kept *kept);
/* The latest operation of a launch's stream that had started when the launch returned. Calls of one
 * stream have to be asked for in their order. */
uint32_t wi_links_started_by(struct wi_replay_links *links, const struct wi_move *moves,
                             const struct wi_move *launch);
/* The operation of another stream that ended last before moves[index] started, and not more than
 * within_ns before; WI_NO_MOVE if none did. */
uint32_t wi_links_ended_before(const struct wi_move *moves, uint32_t index, int64_t within_ns);

/* Silences that touched no idle gap have no signature: they get that of silences between the same
 * calls, of the same length. 0, or WI_ERR_NOMEM. */
int wi_links_labels(struct wi_arena *arena, struct wi_move *moves, uint32_t count);

#endif
