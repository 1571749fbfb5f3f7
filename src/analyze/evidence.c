/* Evidence of a signature as the rules see it, see rules.h.
 * Threads: any. Pure. */
#include "analyze/rules.h"

#include "analyze/limits.h"

static void read_samples(struct wi_evidence *e, const struct wi_signature *sig,
                         const struct wi_run_evidence *run)
{
    const struct wi_sampled *seen = &sig->sampled;
    if (!(seen->weight[WI_SAMPLED_INTERVAL_NS] > 0) && run)
        seen = &run->sampled;
    e->children = wi_sampled_mean(seen, WI_SAMPLED_CHILDREN, -1);
    e->child_cpu = wi_sampled_mean(seen, WI_SAMPLED_CHILD_CPU, -1);
    e->child_disk = wi_sampled_mean(seen, WI_SAMPLED_CHILD_DISK, -1);
    e->child_starts = wi_sampled_mean(seen, WI_SAMPLED_CHILD_STARTS, -1);
    e->child_exits = wi_sampled_mean(seen, WI_SAMPLED_CHILD_EXITS, -1);
    e->cores_idle = wi_sampled_mean(seen, WI_SAMPLED_CORES_IDLE, -1);
    e->cores_allowed = wi_sampled_mean(seen, WI_SAMPLED_CORES_ALLOWED, -1);
    e->cores_machine = wi_sampled_mean(seen, WI_SAMPLED_CORES_MACHINE, -1);
    e->cores_others = wi_sampled_mean(seen, WI_SAMPLED_CORES_OTHERS, -1);
    e->runnable = wi_sampled_mean(seen, WI_SAMPLED_RUNNABLE, -1);
    e->threads_busy = wi_sampled_mean(seen, WI_SAMPLED_THREADS_BUSY, -1);
    e->busiest = wi_sampled_mean(seen, WI_SAMPLED_BUSIEST, -1);
    e->issuer_run = wi_sampled_mean(seen, WI_SAMPLED_ISSUER_RUN, -1);
    e->issuer_runnable = wi_sampled_mean(seen, WI_SAMPLED_ISSUER_RUNNABLE, -1);
    e->serving = wi_sampled_mean(seen, WI_SAMPLED_SERVING, -1);
    double interval = wi_sampled_mean(seen, WI_SAMPLED_INTERVAL_NS, -1);
    double throttled = wi_sampled_mean(seen, WI_SAMPLED_THROTTLED_NS, -1);
    e->throttled = interval > 0 && throttled >= 0 ? throttled / interval : -1;
    e->blocked_launches = run ? run->blocked_launches : -1;
}

/* Square root by Newton's method: no libm inside a job. */
static double root(double value)
{
    double guess = value > 1 ? value : 1;
    for (int i = 0; i < 64 && value > 0; i++)
        guess = (guess + value / guess) / 2;
    return value > 0 ? guess : 0;
}

static double deviation_of_periods(const struct wi_signature *sig)
{
    if (sig->periods < 2 || !(sig->period_mean_ns > 0))
        return -1;
    return root(sig->period_m2 / (double)(sig->periods - 1)) / sig->period_mean_ns;
}

/* The time that shares of what looks showed are taken of: looks begin only some ms into a silence,
 * so what they saw stands for all of it if it is enough of it. */
static double seen_of(int64_t seen_ns, double total)
{
    double seen = (double)seen_ns;
    return seen * 100 >= total * (double)WI_LIMIT_SEEN_PERCENT ? seen : total;
}

static int is_look(int kind)
{
    return (kind >= WI_SPAN_WAIT_FUTEX && kind <= WI_SPAN_BUSY_POLL) || kind == WI_SPAN_COLLECTING;
}

static void read_shares(struct wi_evidence *e, const struct wi_signature *sig, double total)
{
    if (!(total > 0))
        return;
    int64_t looked = 0, framed = sig->span_ns[WI_SPAN_FRAME]; /* frames that say nothing */
    for (int kind = 0; kind < WI_SPAN_COUNT; kind++)
        looked += is_look(kind) ? sig->span_ns[kind] : 0;
    for (int kind = 0; kind < WI_FRAME_COUNT; kind++)
        framed += sig->frame_ns[kind];
    double of_looks = seen_of(looked, total), of_frames = seen_of(framed, total);
    e->waiting = (double)sig->portion_ns[WI_PORTION_WAITING] / total;
    for (int kind = 0; kind < WI_SPAN_COUNT; kind++)
        e->span[kind] = (double)sig->span_ns[kind] / (is_look(kind) ? of_looks : total);
    for (int kind = 0; kind < WI_FRAME_COUNT; kind++)
        e->frame[kind] = (double)sig->frame_ns[kind] / of_frames;
}

struct wi_evidence wi_evidence_of(const struct wi_signature *sig, int portion,
                                  const struct wi_run_evidence *run)
{
    double total = (double)wi_ledger_total(sig);
    uint64_t count = sig->hist.count ? sig->hist.count : 1;
    struct wi_evidence evidence = {.portion = portion,
                                   .subcause = sig->key.subcause,
                                   .mean_ns = (int64_t)(total / (double)count),
                                   .count = count,
                                   .before_first_op = !!(sig->key.flags & WI_SIG_BEFORE_FIRST_OP),
                                   .before_input = !!(sig->key.flags & WI_SIG_BEFORE_INPUT),
                                   .before_copy = !!(sig->key.flags & WI_SIG_BEFORE_COPY),
                                   .after_read_back_of_it =
                                       !!(sig->key.flags & WI_SIG_AFTER_READ_BACK),
                                   .after_large_copy = !!(sig->key.flags & WI_SIG_AFTER_LARGE_COPY),
                                   .in_step = !!(sig->key.flags & WI_SIG_IN_STEP),
                                   .period_deviation = deviation_of_periods(sig)};
    evidence.recurs = run ? wi_spread_recurs(&sig->spread, run->end_ns) : -1;
    read_shares(&evidence, sig, total);
    read_samples(&evidence, sig, run);
    return evidence;
}
