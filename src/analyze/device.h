/* One device's time line: a sweep over its operations in order of start. Charges busy time itself
 * and hands every idle gap to the owner. Raw figures as in docs/trace-format.md.
 * Threads: the engine's. May not: allocate. */
#ifndef WI_ANALYZE_DEVICE_H
#define WI_ANALYZE_DEVICE_H

#include <stdint.h>

#include "analyze/result.h"
#include "analyze/series.h"
#include "analyze/trials.h"

#define WI_ACTIVE_OPS 256u /* running at once; further ones of a kind are joined */
#define WI_BUSY_SPANS 64u

struct wi_active {
    int64_t end_ns;
    double waves;        /* blocks / blocks that fit at once; < 0 = unknown */
    uint64_t occurrence; /* its call, or a number of its own if the call is not known */
    uint64_t bytes;      /* of a copy */
    uint32_t row;        /* kernel row or copy row */
    uint32_t api, site;  /* of the call that issued it */
    uint32_t range;
    uint8_t kind;     /* enum wi_active_kind */
    uint8_t subcause; /* of a copy: enum wi_subcause */
    uint8_t exposed;  /* of a copy: some of it has run with no kernel beside it */
    uint8_t trying;   /* enum wi_trying */
};

enum wi_active_kind {
    WI_ACTIVE_KERNEL,
    WI_ACTIVE_COLLECTIVE,
    WI_ACTIVE_GRAPH,
    WI_ACTIVE_MEMSET,
    WI_ACTIVE_LOCAL_COPY, /* inside the device: counts as compute */
    WI_ACTIVE_COPY,
    WI_ACTIVE_BAD,
    WI_ACTIVE_KINDS
};

struct wi_busy_span {
    int64_t start_ns, end_ns;
};

/* Plain data, so that a report can go on from a copy of it. */
struct wi_device {
    struct wi_device_info info;
    int used;
    int64_t window_start_ns; /* WI_UNKNOWN before the first op */
    int64_t pos_ns;          /* everything before it is charged; WI_UNKNOWN before the first op */
    int64_t gap_start_ns;    /* an open gap of the class accounting, WI_UNKNOWN if none */
    int64_t raw_idle_ns;     /* length of the open gap of the raw figures so far */
    int64_t bad_since_ns;    /* an operation without times was issued then, WI_UNKNOWN = none */
    uint32_t last_thread;    /* index of the thread that issued to it last, UINT32_MAX = unknown */
    uint64_t kernels, copies, memsets, graphs;
    struct wi_timeline line;
    int64_t subcause_ns[WI_SUB_COUNT]; /* busy time only */
    int64_t maybe_ns;                  /* of compute: in trials that may turn out to be a search */
    uint32_t maybe_stretch;            /* of struct wi_tuning, that maybe_ns belongs to */
    uint8_t trying;                    /* of its latest operation: enum wi_trying */
    uint32_t active_count;
    struct wi_active active[WI_ACTIVE_OPS];
    struct wi_series series;
    uint32_t busy_count; /* ring of the latest busy stretches, joined by BUSY_JOIN_NS */
    struct wi_busy_span busy[WI_BUSY_SPANS];
    uint32_t blind_count; /* ring of what was charged as blind: a late record takes it back */
    struct wi_busy_span blind[WI_BUSY_SPANS];
};

struct wi_device;

/* What a sweep step charges, besides the device itself: rows of kernels and copies. */
struct wi_device_rows {
    void *user;
    void (*underfilled)(void *user, uint32_t kernel_row, int64_t ns);
    void (*exposed)(void *user, struct wi_device *device, struct wi_active *copy, int64_t ns);
};

void wi_device_init(struct wi_device *device, int32_t id);
/* Charges busy time up to t_ns. Idle time is only noted as an open gap. */
void wi_device_advance(struct wi_device *device, int64_t t_ns, const struct wi_device_rows *rows);
/* Starts an op at op->start_ns, which wi_device_advance has reached. Returns 1 if an open gap of
 * the class accounting ends here: the caller charges [gap_start_ns, start) and then calls
 * wi_device_close_gap. */
int wi_device_start(struct wi_device *device, const struct wi_device_op *op,
                    const struct wi_active *active);
void wi_device_close_gap(struct wi_device *device);
/* Remembers that [start_ns, end_ns) was charged as blind. */
void wi_device_note_blind(struct wi_device *device, int64_t start_ns, int64_t end_ns);
/* A record of [start_ns, end_ns) came late: that much of the blind time was busy after all. Returns
 * it; class and raw figures of the device have it as kernel time then, the caller takes it out of
 * unknown/blind-interval. */
int64_t wi_device_take_blind(struct wi_device *device, int64_t start_ns, int64_t end_ns);
/* Waves of a kernel on this device: blocks / (SMs x blocks that fit on one); < 0 if not known. */
double wi_device_waves(const struct wi_device_info *info, const struct wi_device_op *op);
/* The last operation has been given: ends the raw figures at the end of the span. */
void wi_device_end_span(struct wi_device *device, const struct wi_device_rows *rows);
/* Length of [start_ns, end_ns) in which the device was busy, as far as remembered. */
int64_t wi_device_busy_in(const struct wi_device *device, int64_t start_ns, int64_t end_ns);

#endif
