/* How long work on the device takes with a change, see replay_device.h.
 * Threads: the engine's. Pure. */
#include "analyze/replay_device.h"

#include "analyze/limits.h"
#include "base/extremes.h"

/* ---- copies */

int wi_crosses(const struct wi_kept *kept)
{
    return kept->direction == WI_COPY_H2D || kept->direction == WI_COPY_D2H;
}

static int is_slow_copy(const struct wi_kept *kept)
{
    return kept->api_class == WI_API_COPY && wi_crosses(kept) &&
           (kept->memory & WI_KEPT_PAGEABLE || kept->flags & WI_CALL_BLOCKING);
}

int wi_becomes_async(const struct wi_effects *effects, const struct wi_kept *kept)
{
    return effects->change->async_copies && is_slow_copy(kept) &&
           (kept->direction == WI_COPY_H2D || kept->bytes >= (uint64_t)WI_LIMIT_READ_BACK_BYTES);
}

static int64_t copy_time(const struct wi_effects *effects, const struct wi_kept *kept,
                         int64_t bytes, int64_t ns)
{
    double rate = effects->copy_rate[kept->direction < WI_COPY_COUNT ? kept->direction : 0];
    if (effects->change->async_copies && is_slow_copy(kept) && rate > 0 &&
        bytes > WI_LIMIT_TINY_COPY_BYTES) /* the bytes of a smaller one are not what takes time */
        ns = wi_least(ns, (int64_t)((double)bytes / rate));
    return wi_scaled(ns, 1 / effects->change->link_factor);
}

int wi_run_of_copies(const struct wi_replay_model *model, uint32_t index, int64_t *bytes,
                     int64_t *ns)
{
    const struct wi_kept *head = model->moves[index].kept;
    int count = 0;
    *bytes = *ns = 0;
    for (uint32_t i = index; i < model->count; i++) {
        const struct wi_kept *kept = model->moves[i].kept;
        if (!(model->moves[i].flags & WI_MOVE_CALL) || kept->thread != head->thread)
            continue;
        if (kept->api_class != WI_API_COPY || kept->direction != head->direction)
            break;
        *bytes += (int64_t)kept->bytes;
        *ns += model->moves[i].flags & WI_MOVE_OP ? kept->end_ns - kept->start_ns : 0;
        count++;
    }
    return count;
}

/* ---- device work */

static double kernel_factor(const struct wi_change *change, const struct wi_kept *kept)
{
    double factor = change->any_kernel_scale;
    if (kept->waves != UINT16_MAX && kept->waves < 256 / WI_LIMIT_FILL_WAVES_INVERSE)
        factor *= change->underfilled_scale;
    /* twice the SMs halve what has blocks for all of them, and do nothing for what has at most one
     * for each of those there are */
    double full = kept->spread >= 128 ? 1 : kept->spread <= 64 ? 0 : (kept->spread - 64) / 64.0;
    return factor * (1 - full * (1 - change->kernel_scale));
}

static int64_t collective_time(const struct wi_change *change, const struct wi_collectives *found,
                               const struct wi_kept *kept, int64_t ns)
{
    if (!change->least_collectives)
        return ns;
    if (change->least_collective_ns)
        return wi_least(ns, change->least_collective_ns);
    for (uint32_t i = 0; i < found->count; i++)
        if (found->of[i].name == kept->name && found->of[i].stream == kept->stream)
            return wi_least(ns, found->of[i].least_ns);
    return ns;
}

/* 1 if the memory bandwidth of the device is what takes the time. */
static int moves_much_within(const struct wi_kept *kept)
{
    int within =
        kept->kind == WI_OP_MEMSET || (kept->kind == WI_OP_COPY && kept->direction == WI_COPY_D2D);
    return within && kept->bytes >= (uint64_t)WI_LIMIT_DEVICE_COPY_BYTES;
}

int64_t wi_device_ns(const struct wi_effects *effects, const struct wi_collectives *collectives,
                     const struct wi_kept *kept)
{
    int64_t ns = kept->end_ns - kept->start_ns;
    if (kept->kind == WI_OP_KERNEL && kept->op_flags & WI_OP_COLLECTIVE)
        return collective_time(effects->change, collectives, kept, ns);
    if (kept->kind == WI_OP_KERNEL)
        return wi_scaled(ns, kernel_factor(effects->change, kept));
    if (kept->kind == WI_OP_GRAPH)
        return wi_scaled(ns, effects->change->kernel_scale * effects->change->any_kernel_scale);
    if (kept->kind == WI_OP_COPY && wi_crosses(kept))
        return copy_time(effects, kept, (int64_t)kept->bytes, ns);
    return moves_much_within(kept) ? wi_scaled(ns, effects->change->kernel_scale) : ns;
}

void wi_collectives_find(struct wi_collectives *found, const struct wi_replay_model *model,
                         const struct wi_change *change)
{
    found->count = 0;
    for (uint32_t i = 0; i < model->count && change->least_collectives; i++) {
        const struct wi_kept *kept = model->moves[i].kept;
        if (!(model->moves[i].flags & WI_MOVE_OP) || kept->kind != WI_OP_KERNEL ||
            !(kept->op_flags & WI_OP_COLLECTIVE))
            continue;
        uint32_t at = 0;
        while (at < found->count &&
               (found->of[at].name != kept->name || found->of[at].stream != kept->stream))
            at++;
        if (at == WI_COLLECTIVES)
            continue;
        if (at == found->count)
            found->of[found->count++] = (struct wi_collective){kept->name, kept->stream, INT64_MAX};
        found->of[at].least_ns = wi_least(found->of[at].least_ns, kept->end_ns - kept->start_ns);
    }
}
