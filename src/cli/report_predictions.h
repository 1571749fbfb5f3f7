/* The predictions of a document whyidle-report/1, read back.
 * Threads: one at a time. */
#ifndef WI_CLI_REPORT_PREDICTIONS_H
#define WI_CLI_REPORT_PREDICTIONS_H

#include "cli/report_fields.h"

/* One object of "predictions". */
void wi_read_prediction(struct wi_fields *reader, const struct wi_json *from,
                        struct wi_prediction *prediction);
/* "predicted" and "withheld" of a finding. */
void wi_read_predicted(struct wi_fields *reader, const struct wi_json *finding,
                       struct wi_prediction *prediction);
/* "together" of the document, whose findings have been read. */
void wi_read_together(struct wi_fields *reader, const struct wi_json *root);
/* "replay" of the document. */
void wi_read_replay(struct wi_fields *reader, const struct wi_json *root, struct wi_replay *replay);

#endif
