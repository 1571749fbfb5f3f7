/* The events that everything downstream of collecting or importing works on.
 * Threads: plain data. May not: contain vendor types or pointers.
 * Times are integer nanoseconds of one clock (live: CLOCK_REALTIME); intervals are half open.
 * WI_UNKNOWN marks a figure that is not known; it is never written as 0. */
#ifndef WI_MODEL_EVENT_H
#define WI_MODEL_EVENT_H

#include <stddef.h>
#include <stdint.h>

#define WI_UNKNOWN INT64_MIN
/* Times beyond are none, so that differences and sums of two are numbers. */
#define WI_TIME_LIMIT_NS (INT64_MAX / 2)
#define WI_NO_NAME       0u /* name id of "no name" */
#define WI_NO_DEVICE     (-1)

enum wi_api_class {
#define API_CLASS(id, word, issues, sentence) WI_API_##id,
#include "model/api_classes.def"
#undef API_CLASS
    WI_API_COUNT
};

enum wi_memory_kind {
#define MEMORY_KIND(id, word) WI_MEM_##id,
#include "model/memory_kinds.def"
#undef MEMORY_KIND
    WI_MEM_COUNT
};

enum wi_copy_direction {
#define COPY_DIRECTION(id, word, crosses) WI_COPY_##id,
#include "model/copy_directions.def"
#undef COPY_DIRECTION
    WI_COPY_COUNT
};

enum wi_span_kind {
#define SPAN_KIND(id, word, sentence) WI_SPAN_##id,
#include "model/span_kinds.def"
#undef SPAN_KIND
    WI_SPAN_COUNT
};

enum wi_loss_kind {
#define LOSS_KIND(id, word, sentence) WI_LOSS_##id,
#include "model/loss_kinds.def"
#undef LOSS_KIND
    WI_LOSS_COUNT
};

enum wi_call_flags {
    WI_CALL_BLOCKING = 1,           /* by its name or arguments the call waits for the device */
    WI_CALL_NONBLOCKING_STREAM = 2, /* its stream does not synchronise with the default stream */
    WI_CALL_OWES = 4,               /* a device record with this correlation id is expected */
    WI_CALL_FAILED = 8              /* the call returned an error: no device work came of it */
};

/* One call of the job into the CUDA runtime or driver, outermost only. */
struct wi_host_call {
    int64_t enter_ns, exit_ns;
    int64_t run_ns;       /* on-CPU time of the silence before the call, or WI_UNKNOWN */
    int64_t runnable_ns;  /* runnable-but-not-running time of that silence, or WI_UNKNOWN */
    int64_t held_ns;      /* runnable-but-not-running time inside the call, or WI_UNKNOWN */
    uint64_t corr;        /* correlation id, 0 = none */
    uint64_t stream;      /* 0 = the default stream */
    uint64_t target;      /* event of record/wait/sync, the stream created, or of a copy an id of
                             the host memory that it reads; 0 = none or unknown */
    uint64_t bytes;       /* of copies and allocations, else 0 or not known */
    uint32_t thread;      /* system thread id */
    uint32_t api;         /* name id, "cudaMemcpyAsync" */
    uint32_t site;        /* name id of the call site, "train.py:58", WI_NO_NAME if unknown */
    uint32_t repeat;      /* further queries folded into this record */
    uint32_t range;       /* name id of the job's own range (NVTX) that is open in the call, the
                           * innermost; WI_NO_NAME if none */
    uint32_t quiet_range; /* likewise of the silence before it: the one that was the innermost for
                           * the longest time on end, ... */
    int64_t quiet_from_ns, quiet_to_ns; /* ... and when it was; WI_UNKNOWN if not known */
    int32_t device;                     /* WI_NO_DEVICE if unknown */
    uint8_t api_class;                  /* enum wi_api_class */
    uint8_t flags;                      /* enum wi_call_flags */
    uint8_t direction;                  /* enum wi_copy_direction */
    uint8_t src_mem, dst_mem;           /* enum wi_memory_kind */
};

enum wi_op_kind { WI_OP_KERNEL, WI_OP_COPY, WI_OP_MEMSET, WI_OP_GRAPH };

enum wi_op_flags {
    WI_OP_COLLECTIVE = 1, /* a kernel of a communication library: busy, perhaps only waiting */
    WI_OP_BAD_TIMES = 2,  /* start and end are not to be trusted: the device did something here */
    WI_OP_GRAPH_NODE = 4, /* a node of a graph: its call is a graph launch, one id has many ops */
    WI_OP_PEER = 8        /* the time of a copy between devices on the other one; the copy itself,
                           * with the same id, is an operation of its own: nothing counts twice */
};

/* One stretch of work on a device. */
struct wi_device_op {
    int64_t start_ns, end_ns;
    uint64_t corr; /* correlation id of the call that issued it, 0 = unknown */
    uint64_t stream;
    uint64_t bytes;        /* copies and memsets */
    uint32_t grid[3];      /* blocks; {0,0,0} = unknown */
    uint32_t block[3];     /* threads; {0,0,0} = unknown */
    uint32_t registers;    /* per thread; 0 = unknown */
    uint32_t shared_bytes; /* static + dynamic, per block */
    uint32_t name;         /* name id */
    int32_t device;
    uint8_t kind;      /* enum wi_op_kind */
    uint8_t flags;     /* enum wi_op_flags */
    uint8_t direction; /* enum wi_copy_direction */
    uint8_t src_mem, dst_mem;
};

/* What a device is; 0 = unknown. */
struct wi_device_info {
    int32_t device;
    uint32_t name;
    uint32_t sms;
    uint32_t threads_per_sm;
    uint32_t blocks_per_sm;
    uint32_t registers_per_sm;
    uint32_t shared_bytes_per_sm;
    uint64_t memory_bytes;
    uint8_t uuid[16];
};

/* What one thread is known to have done in [start, end). */
struct wi_host_span {
    int64_t start_ns, end_ns;
    uint32_t thread; /* 0: the recording does not say which */
    uint32_t name;
    uint8_t kind;  /* enum wi_span_kind */
    uint32_t site; /* name id of the job's own line that led there, "train.py:58 in main" */
};

/* A look at the machine over the interval that ends at at_ns; WI_UNKNOWN where not known. */
struct wi_host_sample {
    int64_t at_ns, interval_ns;
    int64_t children;                  /* child processes of the job that are alive */
    int64_t child_cpu_permille;        /* mean over them: time on a core or waiting for one */
    int64_t child_disk_permille;       /* share of samples that found them in disk wait */
    int64_t cores_allowed;             /* by affinity and quota */
    int64_t cores_idle_permille;       /* sum over the allowed cores, 1000 = one core idle */
    int64_t gpu_util_permille;         /* as NVML reports it */
    int64_t throttled_ns;              /* CPU quota, of this interval */
    int64_t child_starts, child_exits; /* in the interval */
    int64_t threads_busy;        /* other threads that run or could, half of the time or more */
    int64_t busiest_permille;    /* the busiest of them, likewise */
    int64_t issuer_run_permille; /* the launching thread: on a core */
    int64_t issuer_runnable_permille; /* ready to run without a core */
    int64_t runnable;                 /* threads of the machine that are ready or running */
    int64_t cores_machine;            /* of the machine, allowed or not */
    int64_t others_permille;  /* of the allowed cores, used by others than process and children */
    int64_t serving_permille; /* looks in which requests were taken and no thread slept for one */
    int64_t major_faults;     /* of the process, in the interval */
    int64_t read_bytes;       /* from storage, process and children, in the interval */
    int64_t gpu_memory_free_bytes;
    int64_t gpu_throttled; /* 1 = clocks are held down by heat or power */
    int64_t gpu_clock_mhz; /* of the multiprocessors, the lowest of the devices used */
    int64_t link_generation, link_width; /* PCIe, as it runs now */
    uint32_t busiest_name;               /* name id of that thread, WI_NO_NAME if unknown */
};

/* Sets every figure of a sample to WI_UNKNOWN. */
void wi_host_sample_clear(struct wi_host_sample *sample);
/* Sets those that can be no figure, below 0 or beyond all reason, to WI_UNKNOWN. */
void wi_host_sample_settle(struct wi_host_sample *sample);
/* The same for one. */
void wi_figure_settle(int64_t *figure);

/* Native code whose source line the job could not find out: what finds it later. */
struct wi_code_place {
    uint32_t site;     /* name id of the site as the job told it, "libfoo.so+0x1f2a" */
    uint32_t path;     /* name id of the file, the home folder as ~ */
    uint32_t build_id; /* name id, hexadecimal */
    uint64_t address;  /* in the file's own terms, inside the call */
};

/* Something was not recorded. */
struct wi_loss {
    int64_t start_ns, end_ns; /* WI_UNKNOWN if not bound to a time */
    uint64_t count;           /* records lost; 0 for an interval */
    uint32_t reason;          /* name id of a sentence, WI_NO_NAME if the kind says it all */
    uint8_t kind;             /* enum wi_loss_kind */
};

enum wi_event_kind {
    WI_EVENT_CALL = 1,
    WI_EVENT_OP = 2,
    WI_EVENT_DEVICE = 3,
    WI_EVENT_SPAN = 4,
    WI_EVENT_SAMPLE = 5,
    WI_EVENT_LOSS = 6,
    WI_EVENT_ADVANCE = 7, /* only `at_ns`: everything that starts before it has been given */
    WI_EVENT_PLACE = 9    /* 8 is the job, which is no event */
};

struct wi_event {
    enum wi_event_kind kind;
    union {
        struct wi_host_call call;
        struct wi_device_op op;
        struct wi_device_info device;
        struct wi_host_span span;
        struct wi_host_sample sample;
        struct wi_loss loss;
        struct wi_code_place place;
        int64_t at_ns;
    } u;
};

/* The time an event is ordered by: enter, start or sample time; INT64_MIN for timeless kinds. */
int64_t wi_event_time(const struct wi_event *event);
/* The words of the .def tables; "unknown" for a value outside the table. */
const char *wi_api_class_word(unsigned value);
const char *wi_memory_kind_word(unsigned value);
const char *wi_copy_direction_word(unsigned value);
const char *wi_span_kind_word(unsigned value);
const char *wi_loss_kind_word(unsigned value);
/* 1 if the call class hands work to a device or waits for it (api_classes.def). */
static inline int wi_api_class_issues(unsigned value)
{
    switch (value) {
#define API_CLASS(id, word, issues, sentence)                                                      \
    case WI_API_##id:                                                                              \
        return issues;
#include "model/api_classes.def"
#undef API_CLASS
    default:
        return 0;
    }
}
/* 1 if a copy in this direction counts as transfer, 0 if as compute (copy_directions.def). */
int wi_copy_crosses(unsigned direction);

/* Values that a newer writer may know and this version does not become "unknown". Returns 0 if the
 * event says nothing without them, 1 if it can be used, WI_ERR_RANGE if a time is none. */
int wi_event_settle(struct wi_event *event);

#endif
