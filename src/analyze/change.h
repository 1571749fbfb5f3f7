/* A change to a run that a prediction replays: which of its times would be other, and how.
 * Threads: none; plain data. Times in ns, rates in bytes per ns (= GB/s). */
#ifndef WI_ANALYZE_CHANGE_H
#define WI_ANALYZE_CHANGE_H

#include <stdint.h>

#include "model/classes.h"

enum wi_universe {
#define UNIVERSE(id, word, sentence) WI_UNIVERSE_##id,
#include "analyze/universes.def"
#undef UNIVERSE
    WI_UNIVERSE_COUNT
};

/* What happens to host time of one sub-cause. */
struct wi_host_change {
    double scale;    /* of its length; 1 = as it was */
    int64_t stay_ns; /* it never gets shorter than this (or than it was) */
    double rate; /* where a producer sets the pace: how many times as fast it is; 1 = as it was */
};

struct wi_change {
    uint32_t universes; /* bit i: enum wi_universe i is part of it */
    struct wi_host_change host[WI_SUB_COUNT];
    double other_host;   /* factor of all host time that is not changed by name; 1 = as it was */
    double kernel_scale; /* of kernels that fill the device (gpu-2x: 0.5) */
    double underfilled_scale; /* of kernels that do not */
    double any_kernel_scale;  /* of every kernel (batched) */
    double requests;          /* served by one pass; 1 = as it was (batched) */
    int64_t spacing_ns;       /* least distance of operations of one stream, 0 = as it was */
    int64_t readback_every;   /* only each n-th read-back waits; 0 = all do */
    int value_work_goes;      /* the host work behind those that do not wait is not there, but for
                               * stay_ns; 0 = it takes place beside the device */
    double moved; /* of the host work behind the others: the device does it; 0 = it is not there */
    int partly_serial;  /* loaders start longer, by a part of their number that nobody has seen */
    double copy_rate;   /* of copies of pageable memory once pinned; 0 = as it was */
    double unseen_rate; /* of the rate that is taken where no copy shows one; 1 = as taken */
    double link_factor; /* of the rate of every copy; 1 = as it was */
    int guessed;        /* its figures were seen nowhere: weaker and stronger ones lie far apart */
    int async_copies;   /* copies do not block, unless the host works on what they bring */
    int coalesce;       /* copies in a row become one */
    int64_t pack_ns;    /* host time to pack them, for each run */
    int least_collectives;       /* collectives take what they take when no rank is late: */
    int64_t least_collective_ns; /* that long, 0 = the least that is seen of each */
};

/* What can be said about a universe; < 0 where nothing is said. */
struct wi_sayings {
    double stay_ns, x, divide, every, rate, pack_ns, spacing_ns, n, kernels, least_ns;
    int by_storage, by_workers;
    int cause_sub, cause_class; /* < 0 both: all that it answers */
};

/* Everything as it was. */
void wi_change_none(struct wi_change *change);
/* Adds a universe with the figures that it has by itself. */
void wi_change_add(struct wi_change *change, enum wi_universe universe);
/* Adds a universe with what is said about it. */
void wi_change_say(struct wi_change *change, enum wi_universe universe,
                   const struct wi_sayings *say);
struct wi_sayings wi_say_nothing(void);
/* 1 if the universe is about host time of the sub-cause, unless another cause is named. */
int wi_universe_answers(enum wi_universe universe, enum wi_subcause subcause);

const char *wi_universe_word(enum wi_universe universe);
const char *wi_universe_sentence(enum wi_universe universe);

#endif
