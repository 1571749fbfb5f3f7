/* Predictions in words: what a fix, a faster GPU or any change would bring.
 * Threads: the owner of the writer. May not: allocate, use stdio.
 * A range is always called one; a prediction that cannot be made is told with its reason. */
#ifndef WI_REPORT_PREDICT_TEXT_H
#define WI_REPORT_PREDICT_TEXT_H

#include "report/layout.h"
#include "report/report.h"

/* "3.2x": two digits, and two decimals below 2 where small gains differ. */
void wi_put_times(struct wi_out *out, double speedup);
/* "306 -> 96 ms/step, 3.2x (range 2.9x to 3.4x)", or why there is no figure. */
void wi_put_prediction(struct wi_out *out, const struct wi_prediction *prediction);
/* 1 where there is a figure, and no gain or loss lies in its range. */
int wi_predicts_nothing(const struct wi_prediction *prediction);
/* The line "gives" of a FIX block, and "more than" where it saves more than its own cause took;
 * nothing where no prediction was asked for. */
void wi_text_gives(struct wi_layout *layout, const struct wi_finding *finding);
/* The line "together" of a FIX block: what it and those before it bring. `finding` is its index;
 * nothing where it stands alone. */
void wi_text_together(struct wi_layout *layout, const struct wi_result *result, int finding);
/* A FASTER GPU?  Nothing where no prediction was made. */
void wi_text_faster_gpu(struct wi_layout *layout, const struct wi_report *report);
/* "; replaying this run lands within 1.2 % of its real time", for CAN I TRUST IT. */
void wi_put_replay(struct wi_out *out, const struct wi_result *result);

#endif
