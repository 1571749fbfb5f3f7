/* The devices of a document whyidle-report/1, read back.
 * Threads: one at a time. */
#ifndef WI_CLI_REPORT_DEVICE_H
#define WI_CLI_REPORT_DEVICE_H

#include "cli/report_fields.h"

/* One object of "devices": what it is and, if it was used, its window, steps, series and the sums,
 * which must hold. */
void wi_read_device(struct wi_fields *reader, const struct wi_json *from,
                    struct wi_device_result *device);

#endif
