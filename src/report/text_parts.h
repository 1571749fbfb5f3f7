/* The lower half of the text report: the account and what it rests on.
 * Threads: the owner of the writer. May not: allocate, use stdio. */
#ifndef WI_REPORT_TEXT_PARTS_H
#define WI_REPORT_TEXT_PARTS_H

#include "report/layout.h"
#include "report/report.h"

/* WHERE THE TIME WENT of every used device, the tables that its findings call for, HOST CALLS
 * where device time is not known, and one line with the devices that were not used. */
void wi_text_account(struct wi_layout *layout, const struct wi_report *report);
/* CAN I TRUST IT. */
void wi_text_trust(struct wi_layout *layout, const struct wi_report *report);

#endif
