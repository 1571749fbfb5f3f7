/* The places that looks at waiting threads saw most: a bounded list by name, with what each counts
 * at most and at least (the "space saving" count of heavy hitters).
 * Threads: the engine's. Plain data. May not: allocate. */
#ifndef WI_ANALYZE_SEEN_H
#define WI_ANALYZE_SEEN_H

#include <stdint.h>

#define WI_SEEN_PLACES 4 /* a name of more than a fifth of the time is always among four */

struct wi_seen_place {
    uint32_t name; /* name id of the function, WI_NO_NAME = the row is free */
    uint32_t site; /* of the job's own line that led there, by majority; WI_NO_NAME if unknown */
    int64_t ns;    /* at most; of all rows they sum to what was added */
    int64_t over_ns;
    int64_t site_ns; /* by how much the line leads over the others */
};

struct wi_seen {
    struct wi_seen_place places[WI_SEEN_PLACES];
};

/* Adds time in a place; without a name it adds nothing. */
void wi_seen_add(struct wi_seen *seen, uint32_t name, uint32_t site, int64_t ns);
void wi_seen_merge(struct wi_seen *into, const struct wi_seen *from);
/* All time that was added. */
int64_t wi_seen_total(const struct wi_seen *seen);
/* The place with the most time for certain (ns - over_ns); NULL if nothing was added. */
const struct wi_seen_place *wi_seen_most(const struct wi_seen *seen);

#endif
