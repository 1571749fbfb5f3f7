/* The charging rule: at any instant a kernel on any stream first, then a copy, then the line that
 * the launching thread is in.
 * Threads: one. Method: the intervals are cut into edges, sorted, and swept once per rank. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "timeline_sim.h"
#include "timeline_truth.h"

enum layer { LAYER_BUSY, LAYER_COPY, LAYER_HOST };

/* Tag slots: first the two busy ones, then the defaults, then the tags of the block. */
enum { SLOT_COMPUTE, SLOT_UNDERFILLED, SLOT_DEFAULTS = 2, SLOT_TAGS = 14 };

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
    [-TL_TAG_SYNC] = "sync",
    [-TL_TAG_STALL] = "unknown/stall",
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
    struct recorder recs[TL_MAX_RANKS] = {{0, 0, NULL}};
    struct tl_sink sink = {.host = on_host, .busy = on_busy, .copy = on_copy, .ctx = recs};
    int rc = tl_play(block, max_loops, &sink) < 0 ? -1 : 0;

    for (int r = 0; r < block->ranks; r++) {
        if (!rc)
            rc = sweep_rank(block, &recs[r], &per_rank[r]);
        free(recs[r].edges);
    }
    return rc;
}
