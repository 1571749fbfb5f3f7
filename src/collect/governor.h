/* Holds the helper to its share of a core: one rule for all sampling. Over each window of a second,
 * own CPU time of more than 1 % of it halves how often is looked (stacks, waits, ticks, samples),
 * down to a sixteenth, as long as looking takes a twentieth of that 1 % or more: what is less is
 * not what costs. It is doubled again when there is room for it. 20 ms beyond it are free, once a
 * run: they are nothing to a long one, and a short one needs all its looks. Threads: the helper's;
 * what was done is read where the report is made. Pure: the times are given. May not: touch what no
 * report can do without (records, reports). */
#ifndef WI_COLLECT_GOVERNOR_H
#define WI_COLLECT_GOVERNOR_H

#include <stdint.h>

/* All zeros is one that has not begun. */
struct wi_governor {
    int64_t since_ns, since_cpu_ns; /* the present window; 0 = none */
    int64_t sampling_ns;            /* CPU time of looking in it */
    int64_t beyond_ns;              /* own CPU time beyond the share that was let pass */
    int halved, most_halved;        /* so many times: now, and at most */
    int64_t halvings;               /* all of them */
    int64_t spared_ns;              /* windows in which it was */
};

/* Looks are so many times as far apart as usual. */
static inline int64_t wi_governor_apart(const struct wi_governor *governor)
{
    return (int64_t)1 << governor->halved;
}
/* Looking took so much CPU time. */
void wi_governor_spent(struct wi_governor *governor, int64_t cpu_ns);
/* 1 if the window is over at now_ns (of a clock that nobody sets), or there is none. */
int wi_governor_is_due(const struct wi_governor *governor, int64_t now_ns);
/* Then: own CPU time so far. Returns 1 if it has just halved. */
int wi_governor_hold(struct wi_governor *governor, int64_t now_ns, int64_t cpu_ns);
/* Time so far with looks further apart than usual. */
int64_t wi_governor_spared_ns(const struct wi_governor *governor, int64_t now_ns);

#endif
