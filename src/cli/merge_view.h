/* The ranks of one job side by side: who waited inside collectives, for whom, and why that one was
 * late. Of a collective the shortest duration is that of the rank that came last, and what the others
 * took longer they waited: no clock is compared for it. Times of one host alone say which ranks take
 * part in the same collectives.
 * Threads: one at a time. Times in ns; WI_UNKNOWN where not known. */
#ifndef WI_CLI_MERGE_VIEW_H
#define WI_CLI_MERGE_VIEW_H

#include "cli/job_reports.h"

/* One used device of one process. */
struct wi_merge_row {
    const struct wi_report *report;
    const struct wi_device_result *device;
    const char *path;
    int64_t collective_ns; /* in collectives, all streams */
    int64_t waited_ns; /* of it, until the last rank came; WI_UNKNOWN: nothing to compare with */
    int64_t
        comm_wait_ns;  /* the part of waited_ns with no other work beside it; WI_UNKNOWN likewise */
    int64_t caused_ns; /* what the others waited for this one */
    uint64_t last;     /* collectives it came last to, of those compared */
    int straggler;     /* 1: one of those the others wait for */
};

/* Collectives of one communicator: the same name, each on a stream of its rank. */
struct wi_merge_match {
    const char *name;
    int order;             /* 0: of the first stream of a rank that uses the name */
    int ranks;             /* rows that have it */
    uint64_t count, least; /* most and fewest on one of them; unequal: not compared */
    uint64_t compared;     /* ordinals that were compared; 0 = none, see `problem` */
    double waited_ns;      /* over all ranks */
    const char *problem;   /* why it was not compared, NULL */
    const struct wi_collective_row **of; /* of each row, NULL where it is no member */
};

/* Why a rank comes late. */
enum wi_merge_reason {
    WI_MERGE_UNKNOWN,      /* nothing that the reports show */
    WI_MERGE_DEVICE_WORK,  /* its device has more to do */
    WI_MERGE_SLOWER_CLOCK, /* the same kernels take longer, all by the same factor */
    WI_MERGE_PAUSE         /* a stall of its own: `pause` */
};

struct wi_merge {
    int row_count;
    struct wi_merge_row *rows; /* by rank, process and device */
    int match_count;
    struct wi_merge_match *matches;
    const struct wi_collective_row **members; /* of all matches */
    uint64_t compared; /* collectives of all matches */
    double mean_wait;  /* comm_wait_ns as a share of the window, mean over the rows with one */
    int stragglers;    /* rows with `straggler` set; 0: none, or in turn */
    int in_turn;       /* 1: the ranks wait for one another, no few of them cause most of it */
    enum wi_merge_reason reason;
    enum wi_subcause pause;    /* of WI_MERGE_PAUSE; in turn: the largest stall of their own */
    int64_t own_ns, others_ns; /* what the reason rests on: stragglers' and others' mean */
    double factor;             /* of WI_MERGE_SLOWER_CLOCK */
    int64_t own_mhz, others_mhz; /* clocks of stragglers and others, mean; WI_UNKNOWN */
    int64_t missing_ranks;     /* of the world, without a report; WI_UNKNOWN: world not known */
    int doubled_ranks;         /* ranks with several reports */
};

/* Compares the reports of one job. Returns 0 or WI_ERR_NOMEM. Borrows from `reports`. */
int wi_merge_make(struct wi_merge *merge, const struct wi_job_reports *reports);
void wi_merge_free(struct wi_merge *merge);

/* ---- steps of wi_merge_make(), one file each */
/* Fills the matches with the groups; to be freed by wi_merge_free() also after an error. */
int wi_merge_group(struct wi_merge *merge);
/* Fills waited_ns, comm_wait_ns, caused_ns, last of the rows and the matches. */
int wi_merge_match(struct wi_merge *merge);
/* Fills the stragglers and the reason. */
void wi_merge_blame(struct wi_merge *merge);

/* ---- for the writers */
/* Time of a sub-cause in the merged view: waiting is no longer an exposed collective. */
int64_t wi_merge_subcause_ns(const struct wi_merge_row *row, enum wi_subcause subcause);
int64_t wi_merge_window_ns(const struct wi_merge_row *row);
/* The id of what costs the ranks most, on average: a sub-cause, "compute", "none" as in a report,
 * or "inconclusive" without any row. *share: of the window, mean. */
const char *wi_merge_verdict(const struct wi_merge *merge, double *share);
/* "rank 3", "rank 3 GPU 1" if its process used several, "pid 123" without ranks. */
void wi_merge_label(struct wi_out *out, const struct wi_merge_row *row);
/* One sentence: who is waited for, and why. */
void wi_merge_sentence(struct wi_out *out, const struct wi_merge *merge);

#endif
