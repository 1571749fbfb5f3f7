/* From a change to what it does to every signature of the run.
 * Threads: the engine's. Allocates from the arena of the report. */
#ifndef WI_ANALYZE_EFFECTS_H
#define WI_ANALYZE_EFFECTS_H

#include "analyze/findings.h"
#include "analyze/replay.h"

/* How a signature's time divides into sub-causes. */
struct wi_split {
    double share[WI_PORTION_COUNT]; /* of each portion */
    uint8_t subcause[WI_PORTION_COUNT];
    uint8_t main; /* the portion with the largest share */
    uint8_t read_back;
    uint8_t rare;
    int64_t total_ns;
    uint64_t count;
};

struct wi_splits {
    struct wi_split *of; /* by slot of the ledger */
    uint32_t slots;
    struct wi_split launch;  /* what unlabelled launches are charged to in this run */
    int makes_input;         /* the launching thread makes input itself */
    int64_t rare_ns;         /* of signatures that are accounted apart */
    uint32_t queue_depth;    /* of producers: two inputs for each loader process */
};

/* kept_share: of the run's calls that are kept; what is seen too seldom to be among them in its
 * proportion is accounted apart. 0, or WI_ERR_NOMEM. */
int wi_splits_of(struct wi_splits *splits, struct wi_arena *arena, struct wi_ledger *ledger,
                 const struct wi_run_evidence *run, double kept_share);
/* 0 if no host time of the run is of a sub-cause that the change touches. */
int wi_effects_matter(const struct wi_splits *splits, const struct wi_change *change);
/* The effects of a change; *rare_ns gets what the signatures that are accounted apart take then. 0,
 * or WI_ERR_NOMEM. */
int wi_effects_of(struct wi_effects *effects, struct wi_arena *arena,
                  const struct wi_splits *splits, const struct wi_change *change, int64_t *rare_ns);

#endif
