/* From a signature's evidence to a sub-cause: the table rules.def, and the advice per sub-cause.
 * Threads: any. Pure. */
#ifndef WI_ANALYZE_RULES_H
#define WI_ANALYZE_RULES_H

#include "analyze/ledger.h"

/* What the rules may look at; shares 0 to 1, -1 = not known. */
struct wi_evidence {
    int portion;     /* enum wi_portion */
    int64_t mean_ns; /* of one occurrence */
    int before_first_op;
    int before_input;          /* ends in a copy of at least INPUT_COPY_BYTES to the device */
    int before_copy;           /* ends in a copy of at least WAITED_INPUT_BYTES to the device */
    int after_read_back_of_it; /* a read-back at least half as large came right before */
    double span[WI_SPAN_COUNT];
    double children, child_cpu, child_disk;
};

/* Host samples, summed with weights; weight 0 = none. */
struct wi_sample_means {
    double weight, children, child_cpu, child_disk;
};

struct wi_rule {
    const char *id;
    enum wi_subcause subcause;
    const char *sentence;
};

struct wi_advice {
    enum wi_subcause subcause;
    const char *seen, *fix, *sample;
};

/* The evidence of one portion of a signature. run: what was seen over the whole run, for signatures
 * that no look at the machine fell into (NULL = nothing). */
struct wi_evidence wi_evidence_of(const struct wi_signature *sig, int portion,
                                  const struct wi_sample_means *run);
/* The first rule that matches; never NULL. */
const struct wi_rule *wi_rule_match(const struct wi_evidence *evidence);
/* The advice of a sub-cause, NULL if there is none. */
const struct wi_advice *wi_advice_for(enum wi_subcause subcause);

#endif
