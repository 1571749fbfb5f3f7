/* The charging rule: at any instant a kernel on any stream first, then a copy, then the line that
 * the launching thread is in.
 * Threads: one. Method: the intervals are cut into edges, sorted, and swept once per rank. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "live_log.h"
#include "timeline_sim.h"
#include "timeline_truth.h"

#define TL_PLAYED_STREAMS 16

enum layer { LAYER_BUSY, LAYER_COPY, LAYER_HOST };

/* Tag slots: first the two busy ones, then the defaults, then the tags of the block. */
enum { SLOT_COMPUTE, SLOT_UNDERFILLED, SLOT_DEFAULTS = 1, SLOT_TAGS = 14 };

struct edge {
    int64_t at;
    int64_t since; /* start of the interval: the oldest of several copies is charged */
    int slot;
    int8_t layer, delta;
};

struct recorder {
    int count, cap;
    struct edge *edges;
};

static const char *const default_names[] = {
    [-TL_TAG_LAUNCH_GAP] = "small-batch/launch gap",
    [-TL_TAG_COPY] = "transfer/copy",
    [-TL_TAG_HOST] = "host-other/python",
    [-TL_TAG_ALLOCATOR] = "host-other/allocator",
    [-TL_TAG_PIN] = "transfer/pin-per-copy",
    [-TL_TAG_DEVICE_GAP] = "small-batch/device-side gap",
    [-TL_TAG_WARM_UP] = "warm-up/autotune",
    [-TL_TAG_COMM_WAIT] = "comm-wait/waiting for the last rank",
    [-TL_TAG_SYNC] = "host-other/waking up",
    [-TL_TAG_STALL] = "unknown/stall",
    [-TL_TAG_DISTURBED] = "host-other/disturbance",
};

static int slot_of(int tag)
{
    return tag >= 0 ? SLOT_TAGS + tag : SLOT_DEFAULTS - tag;
}

static const char *slot_name(const struct tl_block *block, int slot)
{
    if (slot >= SLOT_TAGS)
        return block->tag[slot - SLOT_TAGS];
    if (slot == SLOT_COMPUTE)
        return "compute";
    return slot == SLOT_UNDERFILLED ? "under-filled" : default_names[slot - SLOT_DEFAULTS];
}

static void add(struct recorder *rec, enum layer layer, int64_t a, int64_t b, int slot)
{
    if (rec->count + 2 > rec->cap) {
        rec->cap = rec->cap ? rec->cap * 2 : 4096;
        rec->edges = realloc(rec->edges, (size_t)rec->cap * sizeof(*rec->edges));
        if (!rec->edges)
            abort();
    }
    rec->edges[rec->count++] = (struct edge){a, a, slot, (int8_t)layer, 1};
    rec->edges[rec->count++] = (struct edge){b, a, slot, (int8_t)layer, -1};
}

static void on_host(void *ctx, int rank, int64_t a, int64_t b, int tag)
{
    add((struct recorder *)ctx + rank, LAYER_HOST, a, b, slot_of(tag));
}

static void on_copy(void *ctx, int rank, int64_t a, int64_t b, int tag)
{
    add((struct recorder *)ctx + rank, LAYER_COPY, a, b, slot_of(tag));
}

static void on_busy(void *ctx, int rank, int64_t a, int64_t b, enum tl_busy kind, int tag)
{
    int slot = kind == TL_BUSY_COMPUTE       ? SLOT_COMPUTE
               : kind == TL_BUSY_UNDERFILLED ? SLOT_UNDERFILLED
                                             : slot_of(tag);

    add((struct recorder *)ctx + rank, LAYER_BUSY, a, b, slot);
}

static int by_time(const void *a, const void *b)
{
    const struct edge *x = a, *y = b;

    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return x->delta - y->delta;
}

struct sweep {
    int slots;
    int64_t *ns;
    int *active[3];      /* by layer and slot: intervals that hold now */
    int64_t *copy_since; /* by slot: start of the youngest copy that holds */
};

/* The slot that is charged now, -1 if nothing holds. */
static int charged(const struct sweep *s)
{
    int best = -1;

    for (int slot = 0; slot < s->slots; slot++)
        if (s->active[LAYER_BUSY][slot])
            return slot;
    for (int slot = 0; slot < s->slots; slot++)
        if (s->active[LAYER_COPY][slot] && (best < 0 || s->copy_since[slot] < s->copy_since[best]))
            best = slot;
    for (int slot = 0; best < 0 && slot < s->slots; slot++)
        if (s->active[LAYER_HOST][slot])
            best = slot;
    return best;
}

static const char *thin_tag_of(const struct tl_block *block, const struct tl_rank *rank)
{
    for (int i = 0; i < rank->lines; i++)
        if (rank->program[i].underfilled && rank->program[i].tag >= 0)
            return block->tag[rank->program[i].tag];
    return NULL;
}

static int sweep_rank(const struct tl_block *block, struct recorder *rec, struct tl_truth *truth)
{
    struct sweep s = {.slots = SLOT_TAGS + block->tags};
    int64_t at = 0;

    s.ns = calloc((size_t)s.slots * 2, sizeof(*s.ns));
    s.copy_since = s.ns + s.slots;
    int *active = calloc((size_t)s.slots * 3, sizeof(*active));
    for (int layer = 0; layer < 3; layer++)
        s.active[layer] = active + layer * s.slots;
    qsort(rec->edges, (size_t)rec->count, sizeof(*rec->edges), by_time);
    for (int i = 0; i < rec->count; i++) {
        const struct edge *e = &rec->edges[i];
        int slot = e->at > at ? charged(&s) : -1;

        if (slot >= 0)
            s.ns[slot] += e->at - at;
        at = e->at;
        s.active[e->layer][e->slot] += e->delta;
        if (e->layer == LAYER_COPY && e->delta > 0)
            s.copy_since[e->slot] = e->since;
    }
    truth->length_ns = at;
    truth->shares = 0;
    for (int slot = 0; slot < s.slots && truth->shares < TL_MAX_SHARES; slot++)
        if (s.ns[slot])
            truth->share[truth->shares++] = (struct tl_share){slot_name(block, slot), s.ns[slot]};
    free(s.ns);
    free(active);
    return 0;
}

int tl_truth(const struct tl_block *block, int64_t max_loops, struct tl_truth *per_rank)
{
    struct recorder recs[TL_MAX_RANKS] = {{.count = 0}};
    struct tl_sink sink = {.host = on_host, .busy = on_busy, .copy = on_copy, .ctx = recs};
    int rc = tl_play(block, max_loops, &sink) < 0 ? -1 : 0;

    for (int r = 0; r < block->ranks; r++) {
        if (!rc)
            rc = sweep_rank(block, &recs[r], &per_rank[r]);
        per_rank[r].thin_tag = thin_tag_of(block, &block->rank[r]);
        free(recs[r].edges);
    }
    return rc;
}

struct played {
    struct recorder *rec;
    int shared;        /* the launching thread has only a share of its core, as written */
    int64_t last_exit; /* of the call or wait before */
    int64_t ready[TL_PLAYED_STREAMS];
};

/* [a, b) is the line's, but for what goes beyond its written length. */
static void add_host(struct played *p, int64_t a, int64_t b, int64_t written, int tag)
{
    struct recorder *rec = p->rec;
    int64_t until = !p->shared && b - a > written + TL_DISTURBED_NS ? a + written : b;

    if (written < 0)
        until = a;

    if (until > a)
        add(rec, LAYER_HOST, a, until, slot_of(tag));
    if (b > until)
        add(rec, LAYER_HOST, until, b, slot_of(TL_TAG_DISTURBED));
}

static void add_op(struct played *p, const struct tl_line *line, const struct live_record *record)
{
    int64_t *ready = &p->ready[line->stream % TL_PLAYED_STREAMS];
    int64_t issued = line->sync ? record->enter_ns : record->exit_ns;
    int64_t start = issued > *ready ? issued : *ready, end = start + line->dev_ns;

    if (line->op == TL_KERN)
        add(p->rec, LAYER_BUSY, start, end, line->underfilled ? SLOT_UNDERFILLED : SLOT_COMPUTE);
    else
        add(p->rec, LAYER_COPY, start, end, slot_of(tl_line_tag(line)));
    *ready = end;
}

/* The part of a silence in which the machine had no core for the thread. */
static int64_t disturbed(const struct played *p, const struct live_record *record)
{
    return !p->shared && record->runnable_ns > TL_DISTURBED_NS ? record->runnable_ns : 0;
}

static void add_wait(struct played *p, const struct tl_line *line, const struct live_record *record)
{
    int as_written = line->op == TL_WAIT && (line->how == TL_RUNQ || line->how == TL_THROTTLED);
    int64_t lost = as_written ? 0 : disturbed(p, record), until = record->exit_ns - lost;

    if (until < p->last_exit)
        until = p->last_exit;
    add(p->rec, LAYER_HOST, p->last_exit, until, slot_of(tl_line_tag(line)));
    if (record->exit_ns > until)
        add(p->rec, LAYER_HOST, until, record->exit_ns, slot_of(TL_TAG_DISTURBED));
}

static void add_played(struct played *p, const struct tl_line *line,
                       const struct live_record *record)
{
    int tag = tl_line_tag(line);
    int silent = line->op == TL_WAIT || line->op == TL_CPU || line->op >= TL_MALLOC;
    int device = line->op == TL_KERN || line->op == TL_H2D || line->op == TL_D2H;
    int64_t until = line->sync ? record->enter_ns : record->exit_ns;

    /* A wait may last as long as it likes: that is what waiting looks like, asleep or not. */
    if (line->op == TL_WAIT || line->op == TL_SYNC || !strcmp(line->what, "spin"))
        add_wait(p, line, record);
    else
        add_host(p, p->last_exit, until, (silent ? line->ns : line->host_ns) - disturbed(p, record),
                 tag);
    if (line->sync && record->exit_ns > until)
        add(p->rec, LAYER_HOST, until, record->exit_ns, slot_of(tag));
    if (device)
        add_op(p, line, record);
    p->last_exit = record->exit_ns;
}

int tl_truth_played(const struct tl_block *block, const struct live_record *records, int64_t count,
                    struct tl_truth *truth)
{
    struct recorder rec = {.count = 0};
    struct played p = {.rec = &rec, .shared = block->side.launch_runnable_percent > 0};
    const struct tl_rank *rank = &block->rank[0];

    for (int64_t i = 0; i < count; i++) {
        if (records[i].line < 0 || records[i].line >= rank->lines) {
            fprintf(stderr, "%s: the record is of another timeline\n", block->case_id);
            free(rec.edges);
            return -1;
        }
        add_played(&p, &rank->program[records[i].line], &records[i]);
    }
    int rc = sweep_rank(block, &rec, truth);
    truth->thin_tag = thin_tag_of(block, rank);
    free(rec.edges);
    return rc;
}
