/* The rule, see governor.h.
 * Threads: as there. Pure. */
#include "collect/governor.h"

#define WINDOW_NS   INT64_C(1000000000)
#define BUDGET      100 /* one part in so many of a core */
#define LEAST_SHARE 20  /* of the budget: looking that takes less is not what costs */
#define MOST_HALVED 4
#define FREE_NS     INT64_C(20000000) /* beyond the budget, in all: two seconds of it */

void wi_governor_spent(struct wi_governor *governor, int64_t cpu_ns)
{
    governor->sampling_ns += cpu_ns > 0 ? cpu_ns : 0;
}

int wi_governor_is_due(const struct wi_governor *governor, int64_t now_ns)
{
    return !governor->since_ns || now_ns - governor->since_ns >= WINDOW_NS;
}

/* 1 if more was used beyond the budget than is free. */
static int is_too_much(struct wi_governor *governor, int64_t beyond_ns)
{
    int64_t left = FREE_NS - governor->beyond_ns;
    if (beyond_ns <= 0)
        return 0;
    governor->beyond_ns += beyond_ns < left ? beyond_ns : left;
    return beyond_ns > left;
}

int wi_governor_hold(struct wi_governor *governor, int64_t now_ns, int64_t cpu_ns)
{
    int first = !governor->since_ns, halves = 0;
    int64_t wall = now_ns - governor->since_ns, budget = wall / BUDGET;
    int64_t used = cpu_ns - governor->since_cpu_ns, sampling = governor->sampling_ns;
    governor->since_ns = now_ns;
    governor->since_cpu_ns = cpu_ns;
    governor->sampling_ns = 0;
    if (first) /* what the start took is over */
        return 0;
    governor->spared_ns += governor->halved ? wall : 0;
    if (is_too_much(governor, used - budget) && sampling >= budget / LEAST_SHARE &&
        governor->halved < MOST_HALVED) {
        governor->halved++;
        governor->halvings++;
        halves = 1;
        if (governor->halved > governor->most_halved)
            governor->most_halved = governor->halved;
    } else if (governor->halved && used + sampling <= budget / 5 * 4) {
        governor->halved--; /* twice as often costs as much again */
    }
    return halves;
}

int64_t wi_governor_spared_ns(const struct wi_governor *governor, int64_t now_ns)
{
    int64_t open =
        governor->halved && now_ns > governor->since_ns ? now_ns - governor->since_ns : 0;
    return governor->spared_ns + open;
}
