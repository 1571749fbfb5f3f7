/* The engine's inside, shared by its own files only.
 * Threads: the engine's. */
#ifndef WI_ANALYZE_ENGINE_STATE_H
#define WI_ANALYZE_ENGINE_STATE_H

#include "analyze/calls.h"
#include "analyze/charge.h"
#include "analyze/device.h"
#include "analyze/engine.h"
#include "analyze/host_sums.h"
#include "analyze/ledger.h"
#include "analyze/marks.h"
#include "analyze/op_queue.h"
#include "analyze/predict.h"
#include "analyze/repeats.h"
#include "analyze/result.h"
#include "analyze/steps.h"
#include "analyze/tables.h"
#include "analyze/trials.h"

#define WI_DEVICE_SLOTS 64u
#define WI_BLIND_SLOTS  64u
#define WI_PLACE_SLOTS  64u

#define WI_RECENT_SAMPLES 16u /* at 1 a second: longer than any record is late */

/* The latest host samples, and sums over those of the run. */
struct wi_sample_sums {
    uint64_t count;
    struct wi_host_sample last;
    struct wi_host_sample recent[WI_RECENT_SAMPLES]; /* ring */
    const struct wi_host_sample *latest; /* of times from its own to until_ns; NULL: look anew */
    int64_t until_ns;
    struct wi_host_sums run;
};

struct wi_engine {
    struct wi_engine_config config;
    struct wi_arena arena;
    struct wi_calls calls;
    struct wi_op_queue queue;
    struct wi_ledger *ledger;
    struct wi_tables *tables;
    struct wi_repeats *repeats;
    struct wi_trials *trials;
    struct wi_device *devices[WI_DEVICE_SLOTS];    /* by order of appearance */
    struct wi_step_finder *steps[WI_DEVICE_SLOTS]; /* NULL where there was no memory */
    struct wi_tuning *tunings[WI_DEVICE_SLOTS];    /* likewise */
    uint32_t device_count;
    struct wi_marks *marks;                    /* NULL before the first range of the job's own */
    struct wi_busy_span blind[WI_BLIND_SLOTS]; /* ring: older ones lie behind the sweep */
    uint32_t blind_count;                      /* so far */
    int64_t blind_ns;                          /* of all of them */
    struct wi_code_place
        places[WI_PLACE_SLOTS]; /* the first ones; further sites stay as they are */
    uint32_t place_count;
    struct wi_sample_sums samples;
    struct wi_coverage coverage;
    struct wi_call_row call_rows[WI_API_COUNT];
    uint64_t gaps; /* ids of gaps, from the top; ops count from below */
    struct wi_predicted predicted;
    int64_t first_ns; /* the first time that came; all others lie near it */
    int64_t watermark_ns;
    int finished;
};

/* Where accounting writes: the engine's own state, or copies of it for a report in between. */
struct wi_account {
    struct wi_engine *engine;
    struct wi_ledger *ledger;
    struct wi_tables *tables;
};

/* account.c: takes the earliest op out of the queue and accounts for everything before it. */
void wi_account_next(struct wi_engine *engine);
/* Ends a device's window at end_ns (not before what is charged) and charges the trailing gap. */
void wi_account_end(const struct wi_account *account, struct wi_device *device, int64_t end_ns);
/* Where the window of a device starts, given its first op. */
int64_t wi_account_window_start(const struct wi_engine *engine, int64_t first_op_ns);
/* An op that came without usable times. */
void wi_account_bad(struct wi_engine *engine, const struct wi_device_op *op);
/* The device of an id, added if new; NULL when there are too many. */
struct wi_device *wi_account_device(struct wi_engine *engine, int32_t id);

/* engine.c: the steps of a device, by the job's own marks or by the finder's pattern. */
struct wi_steps wi_engine_steps(const struct wi_engine *engine, const struct wi_step_finder *finder,
                                int64_t window_ns);

/* verdict.c: from findings in order to the one answer. */
struct wi_verdict wi_verdict_of(const struct wi_result *result);

#endif
