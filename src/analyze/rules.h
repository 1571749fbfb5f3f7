/* From a signature's evidence to a sub-cause: the tables rules.def and overrides.def, and the
 * advice per sub-cause. Threads: any. Pure. */
#ifndef WI_ANALYZE_RULES_H
#define WI_ANALYZE_RULES_H

#include "analyze/ledger.h"

/* What the rules may look at. Shares go from 0 to 1; figures that are not known are -1. */
struct wi_evidence {
    int portion;     /* enum wi_portion */
    int subcause;    /* overrides: what was decided, else -1 */
    int64_t mean_ns; /* of one occurrence */
    uint64_t count;  /* of occurrences */
    double waiting;  /* share of the stretch in which the thread was asleep */
    int before_first_op;
    int before_input;          /* ends in copies of at least INPUT_COPY_BYTES to the device */
    int before_copy;           /* ends in copies of at least WAITED_INPUT_BYTES to the device */
    int after_read_back_of_it; /* a read-back at least half as large came right before */
    int after_large_copy;      /* a copy to the host above READ_BACK_BYTES came right before */
    int in_step;               /* between two launches, with no copy and no wait around it */
    double span[WI_SPAN_COUNT];
    double frame[WI_FRAME_COUNT];
    double children, child_cpu, child_disk, child_starts,
        child_exits; /* starts: per second of samples */
    double cores_idle, cores_allowed, cores_machine, runnable;
    double cores_others;                /* of those allowed, used by other programs */
    double threads_busy, busiest;       /* other threads of the process */
    double issuer_run, issuer_runnable; /* the launching thread, over whole seconds */
    double serving;          /* share of looks in which requests were taken unwaited for */
    double throttled;        /* share of the time, by the CPU quota */
    double period_deviation; /* of start-to-start times, as a share of their mean */
    double blocked_launches; /* share of launches that returned after their kernel */
    double recurs;           /* share of the time that comes back over the run */
};

/* What holds for the whole run. */
struct wi_run_evidence {
    struct wi_sampled sampled; /* for signatures that no look at the machine fell into */
    double blocked_launches;   /* -1 = too few launches to say */
    int64_t end_ns;            /* of the run so far */
};

struct wi_rule {
    const char *id;
    enum wi_subcause subcause;
    const char *sentence;
};

struct wi_advice {
    const char *seen, *fix;
};

/* The evidence of one portion of a signature; run may be NULL. */
struct wi_evidence wi_evidence_of(const struct wi_signature *sig, int portion,
                                  const struct wi_run_evidence *run);
/* The first rule that matches; never NULL. */
const struct wi_rule *wi_rule_match(const struct wi_evidence *evidence);
/* The override that replaces a decided sub-cause in the light of the evidence, NULL if none does;
 * *share gets the part of the time that it replaces, 0 to 1. */
const struct wi_rule *wi_override_match(const struct wi_evidence *evidence, double *share);
/* The advice of a sub-cause, NULL in both if there is none. */
struct wi_advice wi_advice_for(enum wi_subcause subcause);

#endif
