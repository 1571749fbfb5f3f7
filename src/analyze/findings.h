/* From signatures to findings: one per device and sub-cause that reaches 1 % of the window.
 * Threads: the engine's. Allocates from the arena of the report only. */
#ifndef WI_ANALYZE_FINDINGS_H
#define WI_ANALYZE_FINDINGS_H

#include "analyze/engine_state.h"
#include "analyze/rules.h"

/* Sums of one sub-cause on one device while signatures are classified. */
struct wi_cause_sum {
    int64_t ns;
    uint64_t count;       /* occurrences that have a part in it */
    uint64_t place_count; /* of them where the largest signature lies */
    int64_t largest_ns;   /* of one signature in it */
    const struct wi_signature *largest;
    const char *rule;
    int64_t exposed_ns[WI_SUB_COUNT]; /* by what exposes it */
    uint64_t bytes, copies;
    struct wi_sampled sampled;
    struct wi_seen seen; /* where threads were meanwhile */
    struct wi_hist hist;
};

/* What holds for the whole run, from all signatures and the calls. */
struct wi_run_evidence wi_findings_run(struct wi_ledger *ledger, const struct wi_calls *calls,
                                       int64_t end_ns);

/* A part of a signature's time, what it is charged to, and the id of the rule that says so. */
struct wi_part {
    int64_t ns; /* 0: there is no such part */
    enum wi_subcause subcause;
    const char *rule;
};

/* Divides a signature: an undecided one by what the thread did (enum wi_portion), a decided one
 * into what it stays (WI_PORTION_UNSEEN) and what an override makes of it (WI_PORTION_RUNNABLE).
 * Returns the place of the largest part. */
int wi_findings_parts(const struct wi_signature *sig, const struct wi_run_evidence *run,
                      struct wi_part parts[WI_PORTION_COUNT]);
/* Classifies every signature of the device into sums[WI_SUB_COUNT], zeroed by the caller. */
void wi_findings_sum(struct wi_ledger *ledger, int32_t device, const struct wi_run_evidence *run,
                     struct wi_cause_sum *sums);
/* Writes the findings of one device into out[WI_SUB_COUNT]; returns how many. The device's result
 * must be filled; tables name the kernels of under-filled time. */
int wi_findings_of(const struct wi_device_result *device, const struct wi_cause_sum *sums,
                   const struct wi_tables *tables, const struct wi_coverage *coverage,
                   struct wi_finding *out);

#endif
