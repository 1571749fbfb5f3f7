/* The job's own ranges on the helper's side, see ranges.h.
 * Threads: the helper, or the thread that ends the process. May not: allocate. */
#include "collect/ranges.h"

#include <string.h>

#include "collect/feed.h"
#include "collect/range_names.h"

#define FREE_RANGES 256u /* open start/end ranges; beyond, the oldest is forgotten */

struct name_ids {
    uint32_t shown, kind;
};

/* A range by id: its start, or its end where that came first. */
struct free_range {
    uint64_t id; /* 0 = unused */
    int64_t at_ns;
    uint32_t kind, tid;
    int ended;
};

static struct name_ids known[WI_RANGE_NAMES + 1];
static struct free_range free_ranges[FREE_RANGES];
static uint32_t free_next;

static struct name_ids names_of(uint32_t id)
{
    const char *text;
    char folded[WI_RANGE_NAME_BYTES];
    size_t len = wi_range_name_text(id, &text);
    if (!len)
        return (struct name_ids){WI_NO_NAME, WI_NO_NAME};
    struct name_ids *ids = &known[id];
    if (!ids->shown) {
        ids->shown = wi_names_intern(wi_feed_names(), text, len);
        size_t folded_len = wi_range_name_fold(text, len, folded);
        ids->kind = wi_names_intern(wi_feed_names(), folded, folded_len);
    }
    return *ids;
}

static void give(uint32_t tid, uint32_t kind, int64_t start_ns, int64_t end_ns)
{
    if (kind == WI_NO_NAME)
        return;
    struct wi_event event = {.kind = WI_EVENT_SPAN};
    event.u.span = (struct wi_host_span){.start_ns = start_ns,
                                         .end_ns = end_ns > start_ns ? end_ns : start_ns,
                                         .thread = tid,
                                         .name = kind,
                                         .kind = WI_SPAN_MARK};
    wi_feed_event(&event);
}

static uint32_t innermost(const struct wi_range_state *state)
{
    return state->count ? state->open[state->count - 1].name : WI_NO_NAME;
}

/* The stretch up to now_ns lay in the innermost range. */
static void credit(struct wi_range_state *state, int64_t now_ns)
{
    int64_t ns = now_ns - state->since_ns;
    if (state->since_ns && ns > state->best_ns) {
        state->best = innermost(state);
        state->best_ns = ns;
        state->best_to = now_ns;
    }
    state->since_ns = now_ns;
}

/* Closes the ranges of a domain above a level; only the outermost of them ends in truth now, the
 * others' ends were lost. */
static void close_above(struct wi_range_state *state, uint32_t tid,
                        const struct wi_range_entry *entry, int above)
{
    int kept = 0;
    for (int i = 0; i < state->count; i++) {
        const struct wi_range_open *range = &state->open[i];
        if (range->domain != entry->domain || range->level <= above)
            state->open[kept++] = *range;
        else if (entry->call == WI_RANGE_POP && range->level == above + 1)
            give(tid, range->kind, range->start_ns, entry->at_ns);
    }
    state->count = kept;
}

static void push(struct wi_range_state *state, const struct wi_range_entry *entry)
{
    if (state->count == WI_RANGE_LEVELS)
        return;
    struct name_ids ids = names_of(entry->name);
    for (int i = 0; i < state->count; i++) /* a range in itself is no second one */
        ids.kind = state->open[i].kind == ids.kind ? WI_NO_NAME : ids.kind;
    state->open[state->count++] = (struct wi_range_open){.start_ns = entry->at_ns,
                                                         .name = ids.shown,
                                                         .kind = ids.kind,
                                                         .domain = entry->domain,
                                                         .level = entry->level};
}

static struct free_range *free_range_of(uint64_t id)
{
    for (uint32_t i = 0; i < FREE_RANGES; i++)
        if (free_ranges[i].id == id)
            return &free_ranges[i];
    return NULL;
}

/* Its two ends may come in either order: they are in the rings of two threads. */
static void free_end(uint32_t tid, const struct wi_range_entry *entry, int ended)
{
    uint32_t kind = names_of(entry->name).kind;
    struct free_range *other = free_range_of(entry->id);
    if (!other) {
        free_ranges[free_next++ % FREE_RANGES] =
            (struct free_range){entry->id, entry->at_ns, kind, tid, ended};
        return;
    }
    if (ended)
        give(other->tid, other->kind, other->at_ns, entry->at_ns);
    else
        give(tid, kind, entry->at_ns, other->at_ns);
    other->id = 0;
}

void wi_ranges_entry(struct wi_range_state *state, uint32_t tid, const struct wi_range_entry *entry)
{
    switch (entry->call) {
    case WI_RANGE_PUSH:
        credit(state, entry->at_ns);
        close_above(state, tid, entry, entry->level - 1);
        push(state, entry);
        break;
    case WI_RANGE_POP:
        credit(state, entry->at_ns);
        close_above(state, tid, entry, entry->level);
        break;
    case WI_RANGE_START:
    case WI_RANGE_END:
        free_end(tid, entry, entry->call == WI_RANGE_END);
        break;
    default:
        give(tid, names_of(entry->name).kind, entry->at_ns, entry->at_ns);
    }
}

/* A thread is inside its call until that returns: no range of its own begins or ends there. */
struct wi_range_call wi_ranges_call(struct wi_range_state *state, int64_t enter_ns, int64_t exit_ns)
{
    struct wi_range_call out = {WI_NO_NAME, WI_NO_NAME, WI_UNKNOWN, WI_UNKNOWN};
    if (state->count || state->best_ns) { /* the usual job has none */
        credit(state, enter_ns);
        out.range = innermost(state);
        out.quiet_range = state->best;
        out.quiet_from_ns = state->best_to - state->best_ns;
        out.quiet_to_ns = state->best_to;
        state->best = WI_NO_NAME;
        state->best_ns = 0;
    }
    state->since_ns = exit_ns;
    return out;
}

void wi_ranges_reset(struct wi_range_state *state)
{
    memset(state, 0, sizeof(*state));
}
