/* Where charged time is kept: a bounded table of signatures. A signature is either decided (a
 * sub-cause that the device and call records prove) or a kind of host stretch whose sub-cause the
 * rules find when a report is made, so that patterns seen later count.
 * Threads: the engine's. May not: allocate after creation; plain data, so that a report can go on
 * from a copy. */
#ifndef WI_ANALYZE_LEDGER_H
#define WI_ANALYZE_LEDGER_H

#include <stdint.h>

#include "analyze/frames.h"
#include "analyze/hist.h"
#include "analyze/seen.h"
#include "analyze/spread.h"
#include "base/arena.h"
#include "model/classes.h"
#include "model/event.h"

enum wi_portion {
#define PORTION(id, word, sentence) WI_PORTION_##id,
#include "analyze/portions.def"
#undef PORTION
    WI_PORTION_COUNT
};

enum wi_sig_flags {
    WI_SIG_BEFORE_FIRST_OP = 1,   /* the device had not done anything yet */
    WI_SIG_BEFORE_INPUT = 2,      /* ends in a host-to-device copy of at least INPUT_COPY_BYTES */
    WI_SIG_BEFORE_COPY = 4,       /* ends in a host-to-device copy of at least WAITED_INPUT_BYTES */
    WI_SIG_AFTER_READ_BACK = 8,   /* a read-back of comparable size came right before */
    WI_SIG_BEFORE_LAUNCH = 16,    /* ends in a launch */
    WI_SIG_AFTER_LARGE_COPY = 32, /* a copy to the host above READ_BACK_BYTES came right before */
    WI_SIG_IN_STEP = 64           /* between two launches, with no copy and no wait around it */
};

#define WI_UNDECIDED (-1)
#define WI_UNCOUNTED 0u /* occurrence id of time that is charged but not counted */

enum wi_sampled_field {
#define SAMPLED(id, member, scale) WI_SAMPLED_##id,
#include "analyze/sampled.def"
#undef SAMPLED
    WI_SAMPLED_COUNT
};

/* Sums of host samples, each figure with the weight of those samples that knew it. Thousands of
 * gaps in turn have the same sample: its weight is held back until another one comes. */
struct wi_sampled {
    double weight[WI_SAMPLED_COUNT], sum[WI_SAMPLED_COUNT];
    double held_weight;             /* 0: no sample is held */
    int64_t held_at_ns;             /* which one; its figures: */
    int64_t held[WI_SAMPLED_COUNT]; /* WI_UNKNOWN where it did not know */
};

/* Adds a sample with a weight; NULL adds nothing. */
void wi_sampled_add(struct wi_sampled *sampled, const struct wi_host_sample *sample, double weight);
void wi_sampled_merge(struct wi_sampled *into, const struct wi_sampled *from);
/* The scaled mean of one figure, or `unknown` if no sample knew it. */
double wi_sampled_mean(const struct wi_sampled *sampled, enum wi_sampled_field field,
                       double unknown);

struct wi_sig_key {
    int32_t device;
    uint32_t thread; /* tid; 0 for decided signatures */
    uint32_t site_before, site_after;
    uint32_t api_before, api_after;
    int16_t subcause;   /* enum wi_subcause or WI_UNDECIDED */
    int16_t exposed_by; /* enum wi_subcause or -1 */
    uint8_t decade;     /* of the full stretch: decimal digits of its ns; 0 if decided */
    uint8_t flags;      /* enum wi_sig_flags */
    uint16_t reserved;
};

struct wi_signature {
    struct wi_sig_key key;
    int64_t portion_ns[WI_PORTION_COUNT]; /* charged; decided ones use UNSEEN alone */
    int64_t span_ns[WI_SPAN_COUNT];       /* of the charged time, as spans say */
    int64_t open_ns;                      /* of the occurrence that is still growing */
    int64_t started_ns;                   /* time of the latest occurrence */
    uint64_t occurrence;                  /* id of the latest occurrence (a gap, a busy stretch) */
    uint64_t bytes, copies;
    uint32_t range;   /* the job's own range around most of it, as far as one is ahead */
    int64_t range_ns; /* by how much: the charged time in it, less that outside */
    /* Start-to-start times of its occurrences: count, mean and sum of squared deviations. */
    uint64_t periods;
    double period_mean_ns, period_m2;
    struct wi_spread spread; /* when in the run */
    struct wi_hist hist;
    int64_t frame_ns[WI_FRAME_COUNT]; /* of the charged time, as frames seen say */
    struct wi_sampled sampled;        /* host samples while it happened */
    struct wi_seen seen;              /* where its thread was seen meanwhile */
};

#define WI_SIG_SLOTS  512u /* full signatures */
#define WI_SIG_OTHERS 512u /* one catch-all per device and sub-cause behind them */

struct wi_ledger {
    uint32_t count;     /* full signatures in use */
    uint32_t others;    /* catch-alls in use */
    uint32_t latest;    /* slot + 1 of the signature found last: most pieces repeat it */
    int64_t spilled_ns; /* charged to nothing: more devices than catch-alls can hold */
    uint32_t index[2 * (WI_SIG_SLOTS + WI_SIG_OTHERS)]; /* open addressing, slot + 1 */
    struct wi_signature slots[WI_SIG_SLOTS + WI_SIG_OTHERS];
};

/* NULL if the budget refuses. */
struct wi_ledger *wi_ledger_create(struct wi_arena *arena);
/* Fills `into`, fresh memory, with what is in use: the rest, most of 1.8 MB, is not touched. */
void wi_ledger_copy(struct wi_ledger *into, const struct wi_ledger *from);
/* The signature of a key: found, new, or the catch-all of its device and sub-cause; NULL only if
 * even that has no room (then *spilled_ns has to take the time). */
struct wi_signature *wi_ledger_get(struct wi_ledger *ledger, const struct wi_sig_key *key);
/* Adds time of one occurrence: pieces with the same occurrence id count once. at_ns: when. */
void wi_ledger_add(struct wi_signature *sig, uint64_t occurrence, enum wi_portion portion,
                   int64_t at_ns, int64_t ns);
/* ns of what was charged lie in this range of the job's own (WI_NO_NAME: in none). */
void wi_ledger_range(struct wi_signature *sig, uint32_t range, int64_t ns);
/* The range in which three quarters and more of a signature's time lie, WI_NO_NAME if none. */
uint32_t wi_ledger_main_range(const struct wi_signature *sig);
/* All charged time of a signature. */
int64_t wi_ledger_total(const struct wi_signature *sig);
/* Ends the occurrences that are still growing, so that the histograms hold them. */
void wi_ledger_settle(struct wi_ledger *ledger);
/* The i-th signature in use, NULL behind the last. */
struct wi_signature *wi_ledger_at(struct wi_ledger *ledger, uint32_t i);

#endif
