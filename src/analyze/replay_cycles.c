/* Whole cycles of a stretch, see replay_cycles.h.
 * Threads: the engine's. Pure. */
#include "analyze/replay_cycles.h"

#include "analyze/ledger.h"
#include "analyze/limits.h"
#include "base/extremes.h"

/* One kind of silence: how often, which moves end the first and the last of them, where the run
 * stood when each of those two was made, and how long they are in all. */
struct recurring {
    uint32_t count, first, last;
    int64_t first_ns, last_ns, total_ns;
};

/* The host may be done long before the device is: everything before has returned and is done. */
static int64_t ended(const struct wi_kept *kept)
{
    return wi_most(kept->enter_ns != WI_UNKNOWN ? kept->exit_ns : INT64_MIN,
                   kept->start_ns != WI_UNKNOWN ? kept->end_ns : INT64_MIN);
}

static struct recurring silences_of(const struct wi_replay_model *model, uint32_t signature)
{
    struct recurring found = {0};
    int64_t front = INT64_MIN;
    for (uint32_t i = 0; i < model->count; i++) {
        const struct wi_move *move = &model->moves[i];
        if (i >= model->first && move->flags & WI_MOVE_CALL && move->silence_sig == signature &&
            move->silence_ns >= WI_LIMIT_SHORT_WORK_NS) {
            found.last = i;
            found.last_ns = wi_most(front, move->kept->enter_ns);
            if (!found.count++) {
                found.first = i;
                found.first_ns = found.last_ns;
            }
            found.total_ns += move->silence_ns;
        }
        front = wi_most(front, ended(move->kept));
    }
    return found;
}

static int64_t length_of(const struct wi_replay_model *model)
{
    int64_t end = INT64_MIN;
    for (uint32_t i = 0; i < model->count; i++)
        end = wi_most(end, ended(model->moves[i].kept));
    return model->count ? end - wi_kept_began(model->moves[0].kept) : 0;
}

/* A stretch that begins and ends anywhere has a part of a cycle too many: where one kind of silence
 * takes much of the time, only whole cycles from one to the next count. */
void wi_replay_cycles(struct wi_replay_model *model)
{
    uint64_t looked[(WI_SIG_SLOTS + WI_SIG_OTHERS) / 64 + 1] = {0};
    int64_t most_ns = 0, span = length_of(model);
    model->cycle_first = model->cycle_last = WI_NO_MOVE;
    for (uint32_t i = model->first; i < model->count; i++) {
        uint32_t signature = model->moves[i].silence_sig;
        if (!signature || model->moves[i].silence_ns < WI_LIMIT_SHORT_WORK_NS ||
            looked[signature / 64] >> (signature % 64) & 1)
            continue;
        looked[signature / 64] |= (uint64_t)1 << (signature % 64);
        struct recurring found = silences_of(model, signature);
        if (found.count < 2 || found.total_ns <= most_ns || /* two make one whole cycle */
            found.total_ns / WI_LIMIT_VERDICT_PERMILLE < span / 1000 ||
            (found.last_ns - found.first_ns) * 4 < span)
            continue; /* what recurs in a part of the stretch is not its cycle */
        most_ns = found.total_ns;
        model->cycle_first = found.first;
        model->cycle_last = found.last;
    }
}
