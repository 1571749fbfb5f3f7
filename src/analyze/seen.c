/* Places by time, see seen.h.
 * Threads: the engine's. Pure. */
#include "analyze/seen.h"

#include "model/event.h"

/* The row of a name; else a free one; else the row with the least time, whose time the newcomer
 * takes over as what may not be its own. */
static struct wi_seen_place *row_of(struct wi_seen *seen, uint32_t name)
{
    struct wi_seen_place *least = &seen->places[0];
    for (int i = 0; i < WI_SEEN_PLACES; i++) {
        struct wi_seen_place *row = &seen->places[i];
        if (row->name == name)
            return row;
        if (least->name && (!row->name || row->ns < least->ns))
            least = row;
    }
    *least = (struct wi_seen_place){.name = name, .ns = least->ns, .over_ns = least->ns};
    return least;
}

/* The vote of Boyer and Moore: a line with more than half of the time wins it. */
static void vote(struct wi_seen_place *row, uint32_t site, int64_t ns)
{
    if (row->site == site) {
        row->site_ns += ns;
    } else if (row->site_ns >= ns) {
        row->site_ns -= ns;
    } else {
        row->site = site;
        row->site_ns = ns - row->site_ns;
    }
}

static void add(struct wi_seen *seen, const struct wi_seen_place *part)
{
    if (part->name == WI_NO_NAME || part->ns <= 0)
        return;
    struct wi_seen_place *row = row_of(seen, part->name);
    row->ns += part->ns;
    row->over_ns += part->over_ns;
    vote(row, part->site, part->site_ns);
}

void wi_seen_add(struct wi_seen *seen, uint32_t name, uint32_t site, int64_t ns)
{
    struct wi_seen_place part = {.name = name, .site = site, .ns = ns, .site_ns = ns};
    add(seen, &part);
}

void wi_seen_merge(struct wi_seen *into, const struct wi_seen *from)
{
    for (int i = 0; i < WI_SEEN_PLACES; i++)
        add(into, &from->places[i]);
}

int64_t wi_seen_total(const struct wi_seen *seen)
{
    int64_t total = 0;
    for (int i = 0; i < WI_SEEN_PLACES; i++)
        total += seen->places[i].ns;
    return total;
}

const struct wi_seen_place *wi_seen_most(const struct wi_seen *seen)
{
    const struct wi_seen_place *most = NULL;
    for (int i = 0; i < WI_SEEN_PLACES; i++) {
        const struct wi_seen_place *row = &seen->places[i];
        if (row->name && (!most || row->ns - row->over_ns > most->ns - most->over_ns))
            most = row;
    }
    return most;
}
