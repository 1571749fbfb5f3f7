/* Predictions: the kept stretches of the run (reservoir.h) replayed with a change.
 * Threads: the engine's. Allocates from the arena that is given. */
#ifndef WI_ANALYZE_PREDICT_H
#define WI_ANALYZE_PREDICT_H

#include "analyze/change.h"
#include "analyze/engine.h"
#include "analyze/result.h"

/* What was predicted last, so that a report in between need not do it anew. */
struct wi_predicted {
    uint64_t calls; /* that the run had then; 0 = nothing was predicted yet */
    struct wi_replay replay;
    struct wi_prediction of_universe[WI_UNIVERSE_COUNT];
    struct wi_prediction of_cause[WI_SUB_COUNT];
    int fixes_known; /* wi_predict_fixes() has looked at them */
    struct {
        uint64_t causes; /* bits of enum wi_subcause, 0 = none */
        struct wi_prediction predicted;
    } together[WI_FIXES - 1];
};

/* Replays one change: *out gets what it would bring. 0, or WI_ERR_NOMEM. A prediction that cannot
 * be made has out->withheld set to the reason. */
int wi_predict_change(struct wi_engine *engine, struct wi_arena *arena,
                      const struct wi_change *change, struct wi_prediction *out);
/* How many times as large a batch fits into the device's memory by what stayed free of it, at most
 * 8; 0 = not known. */
int wi_predict_batch(const struct wi_result *result, int32_t device);
/* Fills result->predictions, result->replay and findings[].predicted, and puts the findings in the
 * order of what their fixes save. Predicts anew when the run has ended, or is 30 s old and has
 * several times the calls of last time; else repeats what it said then. 0, or WI_ERR_NOMEM. */
int wi_predict_result(struct wi_engine *engine, struct wi_arena *arena, struct wi_result *result);
/* Then, once the verdict stands: fills result->together, and what goes with a fix that saves more
 * than its own cause took. As often as wi_predict_result() predicts anew. 0, or WI_ERR_NOMEM. */
int wi_predict_fixes(struct wi_engine *engine, struct wi_result *result);
/* Fills the steps of a prediction from those of a device, or of any (WI_NO_DEVICE). */
void wi_predict_steps(const struct wi_result *result, int32_t device,
                      struct wi_prediction *prediction);

#endif
