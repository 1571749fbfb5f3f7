/* Bounded tables beside the time line: kernels by name, copies by kind, the largest gaps.
 * Threads: the engine's. May not: allocate after creation. */
#ifndef WI_ANALYZE_TABLES_H
#define WI_ANALYZE_TABLES_H

#include "analyze/result.h"
#include "analyze/series.h"
#include "base/arena.h"

#define WI_KERNEL_SLOTS 1024u /* row 0 takes what does not fit */
#define WI_COPY_SLOTS   64u   /* row 0 takes what does not fit */
#define WI_GAP_SLOTS    64u

struct wi_tables {
    uint32_t kernel_count, copy_count, gap_count;
    uint32_t latest_kernel;                     /* row found last: kernels often repeat */
    int64_t shortest_ns;                        /* of the gaps kept, once all slots are taken */
    uint32_t kernel_index[2 * WI_KERNEL_SLOTS]; /* open addressing, row + 1 */
    struct wi_kernel_row kernels[WI_KERNEL_SLOTS];
    struct wi_copy_row copies[WI_COPY_SLOTS];
    struct wi_collectives collectives;
    struct wi_gap_row gaps[WI_GAP_SLOTS]; /* the longest seen, in no order */
};

struct wi_tables *wi_tables_create(struct wi_arena *arena);
/* Fills `into`, fresh memory, with what is in use: the rest, most of 0.6 MB, is not touched. */
void wi_tables_copy_used(struct wi_tables *into, const struct wi_tables *from);
/* The row of a kernel; counts the operation. */
uint32_t wi_tables_kernel(struct wi_tables *tables, const struct wi_device_op *op);
/* The row of a copy; counts the operation. call_ns: host time of its call, WI_UNKNOWN if none. */
uint32_t wi_tables_copy(struct wi_tables *tables, const struct wi_device_op *op, int64_t call_ns);
/* 1 if a gap of this length would be kept. */
int wi_tables_wants_gap(const struct wi_tables *tables, int64_t ns);
/* Keeps the gap if it is one of the longest. */
void wi_tables_gap(struct wi_tables *tables, const struct wi_gap_row *gap);

#endif
