/* What the verdict could have been and is not, and by which evidence (ruled_out.def).
 * Threads: the owner of the writer. May not: allocate, use stdio. */
#ifndef WI_REPORT_RULED_OUT_H
#define WI_REPORT_RULED_OUT_H

#include "report/layout.h"
#include "report/report.h"

/* What the conditions of the table may look at beside the host sample. */
struct wi_run_facts {
    int recorded;    /* at most 1 % of the window and of the records is missing */
    int decided;     /* and at most 1 % of the window is not decided */
    int grids_known; /* of the kernels that take 90 % of the kernel time, on a known device */
    int64_t class_ns[WI_CLASS_COUNT], sub_ns[WI_SUB_COUNT]; /* of the verdict's device */
    int64_t class_permille[WI_CLASS_COUNT], sub_permille[WI_SUB_COUNT];
};

/* The line "ruled out" below the verdict's finding; nothing without a verdict or evidence. */
void wi_text_ruled_out(struct wi_layout *layout, const struct wi_report *report);
/* The array of the report document. */
void wi_ruled_out_json(struct wi_out *out, const struct wi_report *report);
/* How many rows the table has, and the id of one: for tests. */
int wi_ruled_out_count(void);
const char *wi_ruled_out_id(int row);

#endif
