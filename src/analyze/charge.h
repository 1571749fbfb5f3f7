/* Charging an idle gap: piece by piece along the host's clock (docs/architecture.md).
 * Threads: the engine's. May not: allocate. */
#ifndef WI_ANALYZE_CHARGE_H
#define WI_ANALYZE_CHARGE_H

#include <stdint.h>

#include "analyze/calls.h"
#include "analyze/device.h"
#include "analyze/ledger.h"

/* Everything a charge reads, and the ledger it writes. */
struct wi_charge {
    struct wi_calls *calls;
    struct wi_ledger *ledger;
    const struct wi_host_sample *sample; /* the latest, NULL = none */
    struct wi_device *device;
    struct wi_device *const *devices; /* all of them: what the others do meanwhile */
    uint32_t device_count;
    const struct wi_busy_span *blind; /* intervals without device records */
    uint32_t blind_count;
    uint64_t occurrence; /* id of this gap */
    int64_t start_ns;    /* of this gap */
    int before_first_op;
    uint32_t range;    /* the job's own range that what is charged lies in... */
    double range_part; /* ...or a part of it, evenly */
    int in_silence;    /* both are those of a silence, whichever call is to blame */
    /* Out: the largest piece of the gap, NULL if nothing was charged. */
    const struct wi_signature *main_sig;
    int main_portion;
    int64_t main_ns;
};

/* How a gap ends. */
struct wi_gap_end {
    uint32_t slot;  /* the call of the operation that ends it, WI_NO_SLOT = unknown call */
    int trailing;   /* 1: no operation ends it; the last issuing thread is charged */
    int graph_node; /* the operation is a node of a graph */
    int trying;     /* it lies between two operations of a search for the fastest kernel */
};

/* Charges [start_ns, end_ns) of the device to signatures; the sum of what it charges is exactly
 * end_ns - start_ns. */
void wi_charge_gap(struct wi_charge *charge, int64_t start_ns, int64_t end_ns,
                   const struct wi_gap_end *end);
/* Charges to one decided sub-cause. culprit: the call that costs the time, NULL if no call does;
 * all that one call costs is one occurrence. Returns the signature, NULL if there was no room. */
const struct wi_signature *wi_charge_decided(struct wi_charge *charge, enum wi_subcause subcause,
                                             int64_t ns, const struct wi_call_slot *culprit);

/* Notes for predictions that the silence before a call, or the call itself, was charged to a
 * signature; sig NULL: nothing to note. */
void wi_charge_label(struct wi_charge *charge, const struct wi_call_slot *slot, int own,
                     const struct wi_signature *sig);
/* What is charged next lies in this range. */
void wi_charge_range(struct wi_charge *charge, uint32_t range);
/* Adds to a signature and remembers it if it is the largest piece so far; NULL spills. */
void wi_charge_add(struct wi_charge *charge, struct wi_signature *sig, enum wi_portion portion,
                   int64_t ns);

struct wi_copy_facts {
    int64_t bytes;
    int64_t run_copies; /* copies of its thread in a row */
    int direction;      /* enum wi_copy_direction */
    int pageable, managed, blocking;
    int repeated;      /* the same bytes again (repeats.h) */
    double link_share; /* rate of the copy / rate of the link, -1 = not known */
};
/* The cause of exposed copy time (copy_causes.def). */
enum wi_subcause wi_copy_cause(const struct wi_copy_facts *f);
/* Rate of a copy against that of the link it crosses, -1 if either is not known. */
/* What the link moves at most, in bytes per ns, by its generation and width; 0 = not known. */
double wi_copy_link_rate(const struct wi_host_sample *sample);
double wi_copy_link_share(const struct wi_host_sample *sample, int64_t bytes, int64_t ns);
/* The facts of a copy call. */
struct wi_copy_facts wi_copy_facts_of(const struct wi_calls *calls,
                                      const struct wi_call_slot *slot);
/* 1 if the call came back only after its device work was done. */
int wi_call_blocked(const struct wi_call_slot *slot);

#endif
