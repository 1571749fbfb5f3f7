/* How whyidle sees a sub-cause: the rows of the tables that can give it, and their thresholds.
 * Threads: main. */
#ifndef WI_CLI_EXPLAIN_SEEN_H
#define WI_CLI_EXPLAIN_SEEN_H

#include "model/classes.h"
#include "report/layout.h"

/* The block "HOW IT IS SEEN", with the thresholds that its conditions use. */
void wi_explain_seen(struct wi_layout *layout, enum wi_subcause subcause);
/* A condition of a table in readable form: "e->child_cpu >= 0.8 && ..." as "child_cpu >= 0.8 and".
 */
void wi_explain_condition(struct wi_out *out, const char *condition);

#endif
