/* The simulation of a timeline in virtual time.
 * Threads: one. May not: know about whyidle, or use a float: everything is integer nanoseconds. */
#include <stdio.h>
#include <string.h>

#include "timeline_sim.h"

#define MAX_STREAMS 16

struct sim_rank {
    const struct tl_rank *rank;
    int index; /* of the rank in its block */
    int64_t max_loops;
    const struct tl_sink *sink;
    int64_t now;
    int64_t ready[MAX_STREAMS]; /* when a stream has done all it was given */
    int pc, depth;
    int64_t left[TL_MAX_DEPTH];
    int64_t jitter_percent;
    uint64_t random;
    const struct tl_line *collective; /* the rank waits for the others here */
    int64_t coll_enter, coll_start;
};

int64_t tl_loop_count(const struct tl_line *loop, int depth, int64_t max_loops)
{
    return depth == 0 && max_loops > 0 && loop->count > max_loops ? max_loops : loop->count;
}

/* This occurrence of a duration. The same for everybody who plays the block. */
static int64_t this_time(struct sim_rank *r, int64_t ns)
{
    if (!r->jitter_percent)
        return ns;
    r->random = r->random * 6364136223846793005u + 1442695040888963407u;
    int64_t spread = ns / 100 * r->jitter_percent;
    int64_t draw = (int64_t)(r->random >> 44); /* 0 to 2^20 */
    return ns - spread + (2 * spread * draw >> 20);
}

static int64_t drained(const struct sim_rank *r)
{
    int64_t at = r->now;

    for (int s = 0; s < MAX_STREAMS; s++)
        if (r->ready[s] > at)
            at = r->ready[s];
    return at;
}

static void host_until(struct sim_rank *r, int64_t until, int tag)
{
    if (until <= r->now)
        return;
    if (r->sink->host)
        r->sink->host(r->sink->ctx, r->index, r->now, until, tag);
    r->now = until;
}

static void tell_busy(struct sim_rank *r, int64_t a, int64_t b, enum tl_busy kind, int tag)
{
    if (b > a && r->sink->busy)
        r->sink->busy(r->sink->ctx, r->index, a, b, kind, tag);
}

static void tell_copy(struct sim_rank *r, int64_t a, int64_t b, int tag)
{
    if (b > a && r->sink->copy)
        r->sink->copy(r->sink->ctx, r->index, a, b, tag);
}

static void tell_call(struct sim_rank *r, const struct tl_line *line, int64_t enter,
                      int64_t op_start, int64_t op_end)
{
    if (r->sink->call)
        r->sink->call(r->sink->ctx, r->index, line, enter, r->now, op_start, op_end);
}

static int tag_or(const struct tl_line *line, int otherwise)
{
    return line->tag == TL_NO_TAG ? otherwise : line->tag;
}

int tl_line_tag(const struct tl_line *line)
{
    switch (line->op) {
    case TL_H2D:
    case TL_D2H:
        return tag_or(line, TL_TAG_COPY);
    case TL_KERN:
    case TL_GRAPH:
    case TL_COLL:
        return tag_or(line, TL_TAG_LAUNCH_GAP);
    case TL_MALLOC:
    case TL_FREE:
        return tag_or(line, TL_TAG_ALLOCATOR);
    case TL_HOSTALLOC:
        return tag_or(line, TL_TAG_PIN);
    case TL_SYNC:
        return TL_TAG_SYNC;
    default:
        return tag_or(line, TL_TAG_HOST);
    }
}

static void play_silence(struct sim_rank *r, const struct tl_line *line)
{
    int64_t start = r->now;

    host_until(r, r->now + this_time(r, line->ns), tl_line_tag(line));
    if (r->sink->silence)
        r->sink->silence(r->sink->ctx, r->index, line, start, r->now);
}

static void play_copies(struct sim_rank *r, const struct tl_line *line)
{
    int tag = tl_line_tag(line);
    int64_t *ready = &r->ready[line->stream % MAX_STREAMS];

    for (int64_t i = 0; i < line->count; i++) {
        int64_t enter = r->now, start;

        host_until(r, r->now + this_time(r, line->host_ns), tag);
        start = r->now > *ready ? r->now : *ready;
        *ready = start + this_time(r, line->dev_ns);
        tell_copy(r, start, *ready, tag);
        if (line->sync)
            host_until(r, *ready, tag);
        tell_call(r, line, enter, start, *ready);
    }
}

static void tell_kernel(struct sim_rank *r, const struct tl_line *line, int64_t start, int64_t end)
{
    enum tl_busy kind = line->underfilled ? TL_BUSY_UNDERFILLED : TL_BUSY_COMPUTE;

    if (line->trial && !line->stall_ns) {
        tell_busy(r, start, end, TL_BUSY_STALL, tag_or(line, TL_TAG_WARM_UP));
        return;
    }
    tell_busy(r, start, start + line->stall_ns, TL_BUSY_STALL, tag_or(line, TL_TAG_STALL));
    tell_busy(r, start + line->stall_ns, end, kind, TL_NO_TAG);
}

static void play_kernels(struct sim_rank *r, const struct tl_line *line)
{
    int tag = tl_line_tag(line);
    int64_t *ready = &r->ready[line->stream % MAX_STREAMS];

    for (int64_t i = 0; i < line->count; i++) {
        int64_t enter = r->now, before = *ready, start;

        host_until(r, r->now + this_time(r, line->host_ns), tag);
        start = r->now > before + line->gap_ns ? r->now : before + line->gap_ns;
        if (line->gap_ns)
            tell_copy(r, before > r->now ? before : r->now, start, TL_TAG_DEVICE_GAP);
        *ready = start + this_time(r, line->dev_ns);
        tell_kernel(r, line, start, *ready);
        if (line->blocking)
            host_until(r, *ready + line->wake_ns, tag);
        tell_call(r, line, enter, start, *ready);
    }
}

static void play_graph(struct sim_rank *r, const struct tl_line *line)
{
    int64_t *ready = &r->ready[line->stream % MAX_STREAMS], enter = r->now;

    host_until(r, r->now + this_time(r, line->host_ns), tl_line_tag(line));
    int64_t start = r->now > *ready ? r->now : *ready;
    *ready = start + this_time(r, line->count * line->dev_ns);
    tell_kernel(r, line, start, *ready);
    tell_call(r, line, enter, start, *ready);
}

static void play_allocations(struct sim_rank *r, const struct tl_line *line)
{
    int tag = tl_line_tag(line);

    for (int64_t i = 0; i < line->count; i++) {
        int64_t enter = r->now;

        if (line->op == TL_FREE)
            host_until(r, drained(r), TL_TAG_SYNC);
        host_until(r, r->now + this_time(r, line->ns), tag);
        tell_call(r, line, enter, -1, -1);
    }
}

static void reach_collective(struct sim_rank *r, const struct tl_line *line)
{
    int64_t ready = r->ready[line->stream % MAX_STREAMS];

    r->coll_enter = r->now;
    host_until(r, r->now + this_time(r, line->host_ns), tl_line_tag(line));
    r->coll_start = r->now > ready ? r->now : ready;
    r->collective = line;
}

static void finish_collective(struct sim_rank *r, int64_t last)
{
    const struct tl_line *line = r->collective;
    int64_t end = last + line->dev_ns;

    tell_busy(r, r->coll_start, last, TL_BUSY_STALL, TL_TAG_COMM_WAIT);
    tell_busy(r, last, end, TL_BUSY_COMPUTE, TL_NO_TAG);
    r->ready[line->stream % MAX_STREAMS] = end;
    tell_call(r, line, r->coll_enter, r->coll_start, end);
    r->collective = NULL;
}

static void step_loop(struct sim_rank *r, const struct tl_line *line)
{
    if (line->op == TL_LOOP) {
        int64_t count = tl_loop_count(line, r->depth, r->max_loops);

        if (count <= 0) {
            r->pc = line->jump + 1;
            return;
        }
        r->left[r->depth++] = count;
        r->pc++;
    } else if (--r->left[r->depth - 1] > 0) {
        r->pc = line->jump + 1;
    } else {
        r->depth--;
        r->pc++;
    }
}

/* One line; the loops are lines too. */
static void step(struct sim_rank *r)
{
    const struct tl_line *line = &r->rank->program[r->pc];
    int64_t enter = r->now;

    if (line->op == TL_LOOP || line->op == TL_END) {
        step_loop(r, line);
        return;
    }
    r->pc++;
    switch (line->op) {
    case TL_WAIT:
    case TL_CPU:
        play_silence(r, line);
        break;
    case TL_H2D:
    case TL_D2H:
        play_copies(r, line);
        break;
    case TL_KERN:
        play_kernels(r, line);
        break;
    case TL_GRAPH:
        play_graph(r, line);
        break;
    case TL_COLL:
        reach_collective(r, line);
        break;
    case TL_SYNC:
        host_until(r, drained(r), TL_TAG_SYNC);
        tell_call(r, line, enter, -1, -1);
        break;
    default:
        play_allocations(r, line);
        break;
    }
}

/* Runs a rank up to its next collective (1) or its end (0). */
static int run_rank(struct sim_rank *r)
{
    while (r->pc < r->rank->lines && !r->collective)
        step(r);
    if (r->collective)
        return 1;
    return 0;
}

int64_t tl_play(const struct tl_block *block, int64_t max_loops, const struct tl_sink *sink)
{
    struct sim_rank ranks[TL_MAX_RANKS];
    int64_t end = 0;
    int waiting;

    memset(ranks, 0, sizeof(ranks));
    for (int i = 0; i < block->ranks; i++) {
        ranks[i].rank = &block->rank[i];
        ranks[i].index = i;
        ranks[i].max_loops = max_loops;
        ranks[i].sink = sink;
        ranks[i].jitter_percent = block->jitter_percent;
        ranks[i].random = (uint64_t)block->jitter_seed * TL_MAX_RANKS + (uint64_t)i;
    }
    do {
        int64_t last = 0;

        waiting = 0;
        for (int i = 0; i < block->ranks; i++)
            waiting += run_rank(&ranks[i]);
        if (waiting && waiting != block->ranks) {
            fprintf(stderr, "%s: the ranks do not meet at the same collectives\n", block->case_id);
            return -1;
        }
        for (int i = 0; waiting && i < block->ranks; i++)
            last = ranks[i].coll_start > last ? ranks[i].coll_start : last;
        for (int i = 0; waiting && i < block->ranks; i++)
            finish_collective(&ranks[i], last);
    } while (waiting);
    for (int i = 0; i < block->ranks; i++) {
        host_until(&ranks[i], drained(&ranks[i]), TL_TAG_SYNC);
        if (sink->end)
            sink->end(sink->ctx, i, ranks[i].now);
        end = ranks[i].now > end ? ranks[i].now : end;
    }
    return end;
}
