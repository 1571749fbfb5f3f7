/* Copies of unchanged host memory, see repeats.h.
 * Threads: the engine's. May not: allocate. */
#include "analyze/repeats.h"

#include "analyze/limits.h"

/* The entry of a piece of memory, or the one that gives way to it (its bytes differ then). */
static struct wi_repeat *find(struct wi_repeats *repeats, uint32_t thread,
                              const struct wi_host_call *call)
{
    uint64_t hash = (call->target * 31 + call->bytes + thread) * UINT64_C(0x9e3779b97f4a7c15);
    struct wi_repeat *set = repeats->slots[(hash >> 40) % WI_REPEAT_SETS];
    struct wi_repeat *oldest = set;
    for (uint32_t i = 0; i < WI_REPEAT_WAYS; i++) {
        struct wi_repeat *one = &set[i];
        if (one->source == call->target && one->bytes == call->bytes && one->thread == thread)
            return one;
        oldest = one->used < oldest->used ? one : oldest;
    }
    *oldest = (struct wi_repeat){.source = call->target, .thread = thread};
    return oldest;
}

/* Bytes of host memory that can have been written since the copy before: by the thread itself
 * between its calls, by others while they ran (where that is not known: all the time), by copies
 * from the device. */
static double writable_bytes(const struct wi_repeats *repeats, const struct wi_repeat *before,
                             const struct wi_host_call *call, int64_t quiet_ns,
                             int64_t others_permille)
{
    double wall = (double)(call->enter_ns - before->exit_ns);
    double time = wall;
    if (others_permille != WI_UNKNOWN)
        time = (double)(quiet_ns - before->quiet_ns) + wall * (double)others_permille / 1000;
    time = time < wall ? time : wall;
    return (time > 0 ? time : 0) * WI_LIMIT_WRITE_BYTES_PER_NS +
           (double)(repeats->to_host_bytes - before->to_host_bytes);
}

static int note_copy(struct wi_repeats *repeats, uint32_t thread, const struct wi_host_call *call,
                     int64_t quiet_ns, int64_t others_permille)
{
    struct wi_repeat *one = find(repeats, thread, call);
    if (one->bytes) {
        repeats->again_bytes[thread] += call->bytes;
        double again = (double)(repeats->again_bytes[thread] - one->again_bytes);
        double writable = writable_bytes(repeats, one, call, quiet_ns, others_permille);
        one->times++;
        one->unwritten +=
            writable * 100 <= again * WI_LIMIT_REWRITTEN_PERCENT && one->unsure == repeats->unsure;
    }
    one->bytes = call->bytes;
    one->again_bytes = repeats->again_bytes[thread];
    one->to_host_bytes = repeats->to_host_bytes;
    one->unsure = repeats->unsure;
    one->quiet_ns = quiet_ns;
    one->exit_ns = call->exit_ns;
    one->used = ++repeats->copies;
    return one->times >= WI_LIMIT_REPEATS_LEAST &&
           (uint64_t)one->unwritten * 100 >= (uint64_t)one->times * WI_LIMIT_UNWRITTEN_PERCENT;
}

int wi_repeats_note(struct wi_repeats *repeats, uint32_t thread, const struct wi_host_call *call,
                    int64_t quiet_ns, int64_t others_permille)
{
    /* a host function writes where it likes; page-locked memory may be new under an old address */
    repeats->unsure += call->api_class == WI_API_HOST_FUNC || call->api_class == WI_API_PIN;
    if (call->api_class != WI_API_COPY || (call->flags & WI_CALL_FAILED))
        return 0;
    if (call->direction != WI_COPY_H2D) {
        repeats->to_host_bytes += call->direction == WI_COPY_D2D ? 0 : call->bytes;
        return 0;
    }
    if (!call->target || call->bytes <= (uint64_t)WI_LIMIT_TINY_COPY_BYTES)
        return 0;
    return note_copy(repeats, thread, call, quiet_ns, others_permille);
}
