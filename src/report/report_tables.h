/* The tables of the report document.
 * Threads: the owner of the writer. May not: allocate, use stdio. */
#ifndef WI_REPORT_REPORT_TABLES_H
#define WI_REPORT_REPORT_TABLES_H

#include <stddef.h>

#include "report/columns.h"
#include "report/members.h"

/* The array `name` of the rows[0..count), each of `size` bytes, in the columns of a table. */
void wi_put_rows(struct wi_members *json, const struct wi_report *report, enum wi_table_id id,
                 const char *name, const void *rows, int count, size_t size);
/* "calls": an object a class that was called. */
void wi_put_calls(struct wi_members *json, const struct wi_report *report);
void wi_put_collectives(struct wi_members *json, const struct wi_report *report);
/* "gaps": the longest. */
void wi_put_gaps(struct wi_members *json, const struct wi_result *result);
/* "unresolved": sites of findings whose line a later look may find. */
void wi_put_unresolved(struct wi_members *json, const struct wi_report *report);

#endif
