/* The long rows of the report document: a device's time series, the collectives.
 * Threads: the owner of the writer. May not: allocate, use stdio. */
#ifndef WI_REPORT_REPORT_SERIES_H
#define WI_REPORT_REPORT_SERIES_H

#include "analyze/result.h"
#include "base/out.h"
#include "model/names.h"

/* The key of a kind in the document. */
const char *wi_series_word(unsigned kind);
/* The object {"start_ns":..,"width_ns":..,"compute":[..],..}, or null for none. */
void wi_series_json(struct wi_out *out, const struct wi_series *series);
/* One object of "collectives". */
void wi_collective_json(struct wi_out *out, const struct wi_collective_row *row,
                        const struct wi_names *names);

#endif
