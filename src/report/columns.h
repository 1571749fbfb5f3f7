/* Tables from columns.def: one description of a column serves text and JSON.
 * Threads: the owner of the writer. May not: allocate, use stdio. */
#ifndef WI_REPORT_COLUMNS_H
#define WI_REPORT_COLUMNS_H

#include <stdint.h>

#include "analyze/result.h"
#include "model/names.h"
#include "report/layout.h"

/* Rows of WHERE THE TIME WENT. */
struct wi_class_row {
    const char *people, *id;
    int64_t ns;
    int64_t step_ns; /* the part of it inside steps, WI_UNKNOWN = none by its nature */
};

/* Rows of HOST CALLS. */
struct wi_class_calls {
    const char *word;
    const struct wi_call_row *row;
};

enum wi_table_id { WI_TABLE_CLASSES, WI_TABLE_KERNELS, WI_TABLE_COPIES, WI_TABLE_CALLS };

struct wi_table {
    enum wi_table_id id;
    const struct wi_names *names;
    int64_t whole_ns;  /* what SHARE and BAR are a part of */
    double step_scale; /* of STEP: time in a step by time in the window, 0 = not known */
};

/* The line above the rows: title, then the headers over their columns. */
void wi_table_head(struct wi_layout *layout, const struct wi_table *table, const char *title);
/* One row; its type is the table's. Cells that do not fit are cut. */
void wi_table_row(struct wi_layout *layout, const struct wi_table *table, const void *row);
/* The members "key":value,... of one row, without braces. */
void wi_table_json(struct wi_out *out, const struct wi_table *table, const void *row);

#endif
