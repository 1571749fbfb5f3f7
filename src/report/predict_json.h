/* Predictions in the document whyidle-report/1. What is not predicted is null, never 0.
 * Threads: the owner of the writer. May not: allocate, use stdio. */
#ifndef WI_REPORT_PREDICT_JSON_H
#define WI_REPORT_PREDICT_JSON_H

#include "base/out.h"
#include "report/report.h"

/* 1 if there is a figure. */
int wi_predicted(const struct wi_prediction *prediction);
/* 1 if a replay was made or withheld, 0 where none was thought of. */
int wi_replayed(const struct wi_replay *replay);
/* The array of the document, null without predictions. */
void wi_predictions_json(struct wi_out *out, const struct wi_result *result);
/* One object of it. */
void wi_prediction_json(struct wi_out *out, const struct wi_prediction *prediction);
/* `"predicted":{...},"withheld":...` of a finding. */
void wi_predicted_json(struct wi_out *out, const struct wi_prediction *prediction);
/* One object of "together". */
void wi_together_json(struct wi_out *out, const struct wi_together *together);
/* The object replay, or null. */
void wi_replay_json(struct wi_out *out, const struct wi_replay *replay);

#endif
