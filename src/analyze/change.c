/* Changes, see change.h.
 * Threads: any. Pure. */
#include "analyze/change.h"

#include "analyze/remedies.h"

struct words {
    const char *word, *sentence;
};

static const struct words UNIVERSES[] = {
#define UNIVERSE(id, word, sentence) {word, sentence},
#include "analyze/universes.def"
#undef UNIVERSE
};

const char *wi_universe_word(enum wi_universe universe)
{
    return (unsigned)universe < WI_UNIVERSE_COUNT ? UNIVERSES[universe].word : "unknown";
}

const char *wi_universe_sentence(enum wi_universe universe)
{
    return (unsigned)universe < WI_UNIVERSE_COUNT ? UNIVERSES[universe].sentence : "";
}

void wi_change_none(struct wi_change *change)
{
    *change = (struct wi_change){.other_host = 1,
                                 .kernel_scale = 1,
                                 .underfilled_scale = 1,
                                 .any_kernel_scale = 1,
                                 .requests = 1,
                                 .unseen_rate = 1,
                                 .link_factor = 1};
    for (int i = 0; i < WI_SUB_COUNT; i++)
        change->host[i] = (struct wi_host_change){1, 0, 1};
}

int wi_universe_answers(enum wi_universe universe, enum wi_subcause subcause)
{
    const struct wi_remedy *remedy = wi_remedy_of(subcause);
    return remedy &&
           (remedy->universe == (int)universe ||
            (universe == WI_UNIVERSE_INPUT_READY && remedy->universe == WI_UNIVERSE_PRODUCER_RATE));
}

static void scale_host(struct wi_change *change, enum wi_universe universe,
                       const struct wi_sayings *say)
{
    for (int sub = 0; sub < WI_SUB_COUNT; sub++) {
        int answers = wi_universe_answers(universe, (enum wi_subcause)sub);
        if (say->cause_sub >= 0) /* whatever its usual remedy */
            answers = sub == say->cause_sub;
        else if (say->cause_class >= 0)
            answers &= (int)wi_subcause_class((enum wi_subcause)sub) == say->cause_class;
        if (!answers)
            continue;
        change->host[sub].scale = say->divide > 0 ? 1 / say->divide : 0;
        change->host[sub].stay_ns = say->stay_ns > 0 ? (int64_t)say->stay_ns : 0;
    }
}

/* More workers do not make storage or a single producer faster, and take longer to start. */
static void producer_rate(struct wi_change *change, const struct wi_sayings *say)
{
    double rate = say->x > 0 ? say->x : 2;
    if (say->by_storage) {
        change->host[WI_SUB_SLOW_STORAGE].rate = rate;
        return;
    }
    change->host[WI_SUB_TOO_FEW_WORKERS].rate = rate;
    change->host[WI_SUB_DECODE_IN_MAIN_THREAD].rate = rate;
    change->host[WI_SUB_LOADER_RECREATION].scale = (1 + rate) / 2;
    change->partly_serial = 1;
    if (!say->by_workers)
        change->host[WI_SUB_SLOW_STORAGE].rate = rate;
}

static void batched(struct wi_change *change, const struct wi_sayings *say)
{
    change->requests = say->n > 0 ? say->n : 1;
    if (say->kernels > 0)
        change->any_kernel_scale = say->kernels;
    if (say->stay_ns >= 0)
        change->host[WI_SUB_UNBATCHED_SERVING] =
            (struct wi_host_change){0, (int64_t)say->stay_ns, 1};
}

static void gpu_2x(struct wi_change *change, const struct wi_sayings *say)
{
    if (say->x > 0) /* a faster clock: every kernel, whatever its size */
        change->any_kernel_scale = 1 / say->x;
    else
        change->kernel_scale = 0.5;
}

/* So many times as often; without a figure, the next one is there when the last one is done: what
 * that brings is how many more could be served. */
static void requests(struct wi_change *change, const struct wi_sayings *say)
{
    static const enum wi_subcause WAITS[] = {WI_SUB_NO_REQUESTS, WI_SUB_PACED};
    for (int i = 0; i < 2; i++) {
        change->host[WAITS[i]].rate = say->x > 0 ? say->x : 1;
        change->host[WAITS[i]].scale = say->x > 0 ? 1 : 0;
    }
}

static void no_readback(struct wi_change *change, const struct wi_sayings *say)
{
    int64_t stay = say->stay_ns > 0 ? (int64_t)say->stay_ns : 0;
    change->value_work_goes = say->stay_ns >= 0;
    change->readback_every = say->every > 0      ? (int64_t)say->every
                             : say->stay_ns >= 0 ? 1
                                                 : INT64_MAX;
    change->host[WI_SUB_READ_BACK_SYNC].stay_ns = stay;
    change->host[WI_SUB_EXPLICIT_SYNC].stay_ns = stay;
}

void wi_change_say(struct wi_change *change, enum wi_universe universe,
                   const struct wi_sayings *say)
{
    change->universes |= 1u << universe;
    switch (universe) {
    case WI_UNIVERSE_PRODUCER_RATE:
        producer_rate(change, say);
        break;
    case WI_UNIVERSE_NO_READBACK_SYNC:
        no_readback(change, say);
        break;
    case WI_UNIVERSE_PINNED_ASYNC:
        change->async_copies = 1;
        change->copy_rate = say->rate > 0 ? say->rate : 0;
        change->link_factor = say->x > 0 ? say->x : 1;
        break;
    case WI_UNIVERSE_COALESCED_COPIES:
        change->coalesce = 1;
        change->pack_ns = say->pack_ns > 0 ? (int64_t)say->pack_ns : 0;
        break;
    case WI_UNIVERSE_GRAPH_REPLAY:
        change->host[WI_SUB_LAUNCH_BOUND].scale = say->divide > 0 ? 1 / say->divide : 0.1;
        change->spacing_ns = say->spacing_ns > 0 ? (int64_t)say->spacing_ns : 0;
        break;
    case WI_UNIVERSE_FILLED_GRIDS:
        change->underfilled_scale = say->x > 0 ? say->x : 0.5;
        change->guessed |= say->x <= 0;
        break;
    case WI_UNIVERSE_BATCHED:
        batched(change, say);
        break;
    case WI_UNIVERSE_REQUESTS:
        requests(change, say);
        break;
    case WI_UNIVERSE_GPU_2X:
        gpu_2x(change, say);
        break;
    case WI_UNIVERSE_BALANCED_RANKS:
        change->least_collectives = 1;
        change->least_collective_ns = say->least_ns > 0 ? (int64_t)say->least_ns : 0;
        break;
    case WI_UNIVERSE_INPUT_READY:
    case WI_UNIVERSE_NO_ALLOCATOR:
    case WI_UNIVERSE_HOST_OTHER_FREE:
    default:
        scale_host(change, universe, say);
        break;
    }
}

struct wi_sayings wi_say_nothing(void)
{
    return (struct wi_sayings){-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 0, 0, -1, -1};
}

void wi_change_add(struct wi_change *change, enum wi_universe universe)
{
    struct wi_sayings say = wi_say_nothing();
    wi_change_say(change, universe, &say);
}
