/* The rows of the tables of a document whyidle-report/1, read back.
 * Threads: one at a time. */
#ifndef WI_CLI_REPORT_ROWS_H
#define WI_CLI_REPORT_ROWS_H

#include "cli/report_fields.h"

/* One object each of "kernels", "copies", "collectives", "gaps" and "unresolved". */
void wi_read_kernel_row(struct wi_fields *reader, const struct wi_json *from,
                        struct wi_kernel_row *row);
void wi_read_copy_row(struct wi_fields *reader, const struct wi_json *from,
                      struct wi_copy_row *row);
void wi_read_collective_row(struct wi_fields *reader, const struct wi_json *from,
                            struct wi_collective_row *row);
void wi_read_gap_row(struct wi_fields *reader, const struct wi_json *from, struct wi_gap_row *row);
void wi_read_unresolved(struct wi_fields *reader, const struct wi_json *from,
                        struct wi_code_place *place);

#endif
