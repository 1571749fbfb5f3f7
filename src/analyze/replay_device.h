/* How long work on the device takes with a change: copies, kernels, collectives.
 * Threads: the engine's. Pure. */
#ifndef WI_ANALYZE_REPLAY_DEVICE_H
#define WI_ANALYZE_REPLAY_DEVICE_H

#include "analyze/replay.h"

#define WI_COLLECTIVES 32u

struct wi_collective {
    uint32_t name, stream;
    int64_t least_ns;
};

/* The least duration seen of each collective of a stretch. */
struct wi_collectives {
    struct wi_collective of[WI_COLLECTIVES];
    uint32_t count;
};

/* Looks for them if the change asks for it; else there are none. */
void wi_collectives_find(struct wi_collectives *found, const struct wi_replay_model *model,
                         const struct wi_change *change);

/* Duration of the operation of a kept record with the effects of a change, ns. */
int64_t wi_device_ns(const struct wi_effects *effects, const struct wi_collectives *collectives,
                     const struct wi_kept *kept);

/* 1 if data passes between host and device. */
int wi_crosses(const struct wi_kept *kept);

/* A copy that would not block if its memory were page-locked: into the device, or out of it for its
 * volume. A value is waited for whatever memory it goes to. */
int wi_becomes_async(const struct wi_effects *effects, const struct wi_kept *kept);

/* All bytes and device time of the copies in a row that begin at `index`. */
int wi_run_of_copies(const struct wi_replay_model *model, uint32_t index, int64_t *bytes,
                     int64_t *ns);

static inline int64_t wi_scaled(int64_t ns, double scale)
{
    return scale == 1 ? ns : (int64_t)((double)ns * scale);
}

#endif
