/* What the engine found: plain data for the writers.
 * Threads: none. Memory: everything hangs in the arena given to wi_engine_result(). Names are ids
 * into the engine's name table. Times in ns; WI_UNKNOWN where not known. */
#ifndef WI_ANALYZE_RESULT_H
#define WI_ANALYZE_RESULT_H

#include <stdint.h>

#include "model/classes.h"
#include "model/event.h"

enum wi_confidence { WI_CONF_INCONCLUSIVE, WI_CONF_LOW, WI_CONF_MEDIUM, WI_CONF_HIGH };

/* Raw figures of one device over its span, first op start to last op end (docs/trace-format.md). */
struct wi_timeline {
    int64_t start_ns, end_ns, span_ns;
    int64_t kernel_ns, copy_ns, memset_ns; /* unions over all streams; kernel_ns includes graphs */
    int64_t exposed_ns;                    /* copies and memsets while no kernel runs */
    int64_t idle_ns;
    uint64_t gaps; /* maximal idle intervals inside the span */
    int64_t longest_gap_ns;
};

/* What a device did over time, without causes: those are known only at the end. */
enum wi_series_kind {
    WI_SERIES_COMPUTE,
    WI_SERIES_UNDER_FILLED,
    WI_SERIES_COMMUNICATION,
    WI_SERIES_TRANSFER,
    WI_SERIES_IDLE,
    WI_SERIES_KINDS
};
#define WI_SERIES_BUCKETS 512

struct wi_series {
    int64_t start_ns, width_ns; /* width 0: empty */
    int used;                   /* buckets in use */
    int64_t ns[WI_SERIES_BUCKETS][WI_SERIES_KINDS];
};

/* Steps of one device's work; count 0 = none found. */
struct wi_steps {
    uint64_t count;
    int marked;                /* 1: as the job marked them, 0: found by their pattern */
    int64_t start_ns, last_ns; /* of the first and of the last start */
    int64_t median_ns, p95_ns; /* from one start to the next */
    uint64_t outliers;         /* steps of more than three medians */
    uint64_t outlier_every;    /* 0 = at no fixed distance */
    int64_t outlier_extra_ns;  /* what they took beyond the median, summed */
};

struct wi_device_result {
    struct wi_device_info info;
    int used; /* 0: no operation, nothing below is meaningful */
    int64_t window_start_ns, window_end_ns;
    struct wi_timeline timeline;
    int64_t class_ns[WI_CLASS_COUNT];  /* sums to window_end_ns - window_start_ns exactly */
    int64_t subcause_ns[WI_SUB_COUNT]; /* sums to class_ns, class by class */
    int64_t idle_ns;                   /* of the window, without what was not recorded */
    uint64_t kernels, copies, memsets, graphs;
    struct wi_steps steps;
    const struct wi_series *series; /* NULL when unused */
};

/* Time with another cause that goes with a fix: idle time of the device, or (WI_SUB_COMPUTE) busy
 * time that falls away because more of its work runs side by side. */
#define WI_ALSO 2
struct wi_also {
    enum wi_subcause subcause;
    int64_t ns; /* of before_ns */
};

/* What a change to the run would bring. */
struct wi_prediction {
    int universe;                /* enum wi_universe, -1 = several together */
    double speedup, low, high;   /* of the time of the replayed stretches; 0 if withheld */
    int64_t before_ns, after_ns; /* their time: as replayed without and with the change */
    int64_t step_before_ns, step_after_ns; /* median step, WI_UNKNOWN without steps */
    const char *withheld;                  /* why there is no figure, NULL if there is one */
    /* Of a fix that saves more than its own cause took of the window: what that took of before_ns
     * (0 = nothing to explain), and what goes with it, the largest first. */
    int64_t own_ns;
    int also_count;
    struct wi_also also[WI_ALSO];
};

/* Fixes that are told, those of several findings in one replay. */
#define WI_FIXES 3
struct wi_together {
    int count;              /* of findings, 2 or more */
    int findings[WI_FIXES]; /* their indices, as they are told */
    struct wi_prediction predicted;
};

/* How well the replay without any change meets the run itself. */
struct wi_replay {
    double error;       /* median over steps (or tenths of a stretch) of |replayed / real - 1| */
    double unexplained; /* share of the time in delays that the model keeps but does not explain */
    uint64_t calls;     /* replayed */
    int64_t covered_ns; /* of the window */
    const char *withheld; /* why nothing is predicted, NULL if something is */
};

/* One thing worth telling. Ordered by what the fix saves, at most its own share; largest first. */
struct wi_finding {
    enum wi_subcause subcause;
    int32_t device;
    int64_t ns;   /* of the device's window */
    double share; /* ns / window */
    enum wi_confidence confidence;
    uint64_t count;       /* occurrences (waits, copies, gaps, kernels) */
    uint64_t place_count; /* of them at the call sites and calls below; 0 = not known */
    int64_t median_ns, p95_ns, longest_ns; /* of one occurrence; buckets of 9 % */
    uint32_t site_before, site_after;      /* call sites around the stall, WI_NO_NAME if unknown */
    uint32_t api_before, api_after;        /* calls around the stall */
    uint32_t range;                        /* the job's own range (NVTX) it lies in, if one */
    int exposed_by;                     /* the sub-cause that exposes this host work, -1 = none */
    uint32_t exposed_api, exposed_site; /* the call that does, if any */
    uint32_t seen_in;  /* function that the waiting thread was seen in most, "PIL/Image.py:open" */
    uint32_t waits_at; /* line of the job's own code that led there, "train.py:58 in main" */
    int64_t seen_ns;   /* of ns it was there at least; WI_UNKNOWN without a place */
    uint32_t kernel;   /* name id for under-filled, else WI_NO_NAME */
    uint64_t bytes, copies;               /* what was copied in it, 0 if none */
    int64_t children, child_cpu_permille; /* loader processes while it happened, or WI_UNKNOWN */
    int64_t cores_idle_permille, cores_allowed;
    int64_t cores_others_permille; /* of those allowed, used by other programs */
    const char *fix;  /* what to change, with {placeholders}: report/placeholders.def */
    const char *seen; /* what was seen, with {placeholders} */
    const char *rule; /* id of the row of rules.def that decided, or of the direct rule */
    struct wi_prediction predicted; /* what its fix would bring */
};

struct wi_verdict {
    /* A sub-cause id ("transfer/pageable-copy"), "compute" (the GPU is the limit), "none" (no stall
     * reaches 5 %), or "inconclusive". */
    const char *id;
    int finding; /* index of the finding it stands on, -1 = none */
    enum wi_confidence confidence;
    const char *reason; /* why the confidence is not high, or why inconclusive; may be NULL */
};

/* Per kernel name, the largest by time first; at most 64, the last row may be "(others)". */
struct wi_kernel_row {
    uint32_t name;
    int32_t device;
    uint64_t count;
    int64_t total_ns;           /* plain sum of durations */
    int64_t underfilled_ns;     /* accounted as small-batch/under-filled */
    uint32_t grid[3], block[3]; /* of the last launch */
};

/* Per direction and memory kind of the host side. */
struct wi_copy_row {
    uint8_t direction, host_mem; /* enums of model/event.h */
    int32_t device;
    uint64_t count, bytes;
    int64_t total_ns, exposed_ns;
    int64_t call_ns; /* host time inside these copy calls, WI_UNKNOWN without calls */
};

/* Collectives of one name and stream; duration_ns[i] belongs to the ordinal i * step. */
#define WI_COLLECTIVE_KEPT 1024

struct wi_collective_row {
    uint32_t name;
    int32_t device;
    uint64_t stream;
    uint64_t count;
    int64_t total_ns;
    uint64_t step; /* a power of two */
    int kept;
    int timed; /* 1: end_ns is known; only a document of an older version has none */
    int64_t duration_ns[WI_COLLECTIVE_KEPT];
    int64_t end_ns[WI_COLLECTIVE_KEPT];
};

/* Host calls by class, over all threads: what level C can tell. */
struct wi_call_row {
    uint64_t count, failed;
    int64_t total_ns, longest_ns;
};

/* One of the largest gaps, for the time line. */
struct wi_gap_row {
    int32_t device;
    int64_t start_ns, end_ns;
    enum wi_subcause subcause; /* of its largest piece */
};

struct wi_coverage {
    uint64_t ops, ops_matched;    /* device operations, those joined to their host call */
    uint64_t calls, calls_owing;  /* calls given; those whose record never came */
    uint64_t lost[WI_LOSS_COUNT]; /* records lost, by kind */
    int64_t blind_ns;             /* union of blind intervals inside the window */
    uint64_t negative_latency;    /* ops that started before their call, clamped */
    uint64_t samples;             /* host samples seen */
    int64_t unknown_fill;         /* kernels that count as full because their grid, or the device's
                                   * number of multiprocessors, is not known; WI_UNKNOWN in reports
                                   * of before it was counted */
};

struct wi_result {
    int host_only;
    int64_t start_ns, end_ns; /* the widest window over the devices; of calls if none */
    int64_t watermark_ns;
    int device_count;
    struct wi_device_result *devices; /* by id; unused ones have used = 0 */
    int finding_count;
    struct wi_finding *findings;
    struct wi_verdict verdict;
    int prediction_count; /* one a universe that changes something, gpu-2x always */
    struct wi_prediction *predictions;
    int together_count; /* the first two fixes, and the first three */
    struct wi_together together[WI_FIXES - 1];
    struct wi_replay replay;
    int kernel_count;
    struct wi_kernel_row *kernels;
    int copy_count;
    struct wi_copy_row *copies;
    int collective_count;
    const struct wi_collective_row *collectives; /* at most 32 */
    int gap_count;
    struct wi_gap_row *gaps; /* at most 64, in time order */
    struct wi_call_row calls[WI_API_COUNT];
    int place_count;
    struct wi_code_place *places; /* sites whose line is not known, at most 64 */
    struct wi_coverage coverage;
    struct wi_host_sample host; /* means over the run; at_ns = last sample */
    int threads;                /* issuing threads seen */
    uint64_t engine_bytes;      /* memory the engine holds */
};

/* The words high, medium, low, inconclusive. */
const char *wi_confidence_word(enum wi_confidence value);

#endif
