/* What a report says about the job itself, beside the engine's result.
 * Threads: plain data. Strings are borrowed and may be NULL (= unknown); times CLOCK_REALTIME ns. */
#ifndef WI_MODEL_JOB_H
#define WI_MODEL_JOB_H

#include <stdint.h>

enum wi_job_end {
    WI_JOB_RUNNING,  /* a rolling report: data up to the watermark */
    WI_JOB_EXITED,   /* status holds the exit status */
    WI_JOB_SIGNALED, /* status holds the signal */
    WI_JOB_IMPORTED  /* read from a file */
};

struct wi_job {
    const char *program;     /* base name of what runs, "train.py" or "a.out" */
    const char *command;     /* the arguments joined, secrets masked; NULL if WHYIDLE_ARGV=0 */
    const char *host;
    const char *source;      /* imported: the file */
    int64_t pid;             /* 0 = unknown */
    int64_t rank, world;     /* WI_UNKNOWN if the job has none */
    int64_t start_ns, end_ns;/* of the process or recording */
    enum wi_job_end end;
    int status;              /* WI_UNKNOWN_STATUS if not known */
    char level;              /* 'A' to 'D', or 'I' for imported */
    const char *level_reason;/* why not A; NULL at A */
    const char *cuda;        /* versions seen, "runtime 13.0, driver 13.0, CUPTI 13.0.1" */
    const char *stacks;      /* how call sites were found, "Python 3.11, libunwind" */
    int virtual_gpu;         /* 1: the device is modelled, not real */
    /* Own cost, WI_UNKNOWN if not measured. */
    int64_t helper_cpu_ns, memory_bytes, flush_ns;
    int64_t looks_apart;     /* most: looks at threads and at the machine so many times as far apart
                                as usual, to keep the cost down; 0 = not known, nor are the next */
    int64_t looks_halvings;  /* how often they were made half as frequent */
    int64_t looks_spared_ns; /* for how long they were not as frequent as usual */
    int final_flush_timed_out;
    int dialect;             /* enum wi_dialect; 0 = not told, then names show it or nothing does */
};

#define WI_UNKNOWN_STATUS (-1000)

#endif
