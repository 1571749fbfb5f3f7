/* From a block's events to its report, see timeline_report.h.
 * Threads: one. Every rank has an engine of its own, as every process of a job has. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/engine.h"
#include "analyze/result.h"
#include "import/paced_sink.h"
#include "report/report.h"
#include "timeline_events.h"
#include "timeline_report.h"

#define NAMES_BYTES  (4u << 20)
#define RESULT_BYTES (16u << 20)
#define JSON_BYTES   (4u << 20)

struct rank_engine {
    struct wi_engine *engine;
    struct wi_paced_sink paced;
};

static int push(void *user, const struct wi_event *event)
{
    struct wi_engine *engine = user;

    if (event->kind == WI_EVENT_ADVANCE)
        wi_engine_advance(engine, event->u.at_ns);
    else
        wi_engine_push(engine, event);
    return 0;
}

static void to_engine(void *ctx, int rank, const struct wi_event *event)
{
    struct rank_engine *engines = ctx;

    wi_paced_event(&engines[rank].paced, event);
}

static char *write_json(struct wi_engine *engine, const struct wi_names *names)
{
    struct wi_job job = {.rank = WI_UNKNOWN,
                         .world = WI_UNKNOWN,
                         .start_ns = WI_UNKNOWN,
                         .end_ns = WI_UNKNOWN,
                         .end = WI_JOB_IMPORTED,
                         .status = WI_UNKNOWN_STATUS,
                         .helper_cpu_ns = WI_UNKNOWN,
                         .memory_bytes = WI_UNKNOWN,
                         .flush_ns = WI_UNKNOWN,
                         .level = 'I'};
    struct wi_arena arena;
    struct wi_result result;
    struct wi_report report = {.job = &job, .result = &result, .names = names};
    char *json = malloc(JSON_BYTES);
    struct wi_out out;

    wi_arena_init(&arena, RESULT_BYTES);
    int rc = json ? wi_engine_result(engine, &arena, &result) : -1;
    if (!rc) {
        wi_out_mem(&out, json, JSON_BYTES);
        wi_report_json(&out, &report);
        rc = wi_out_finish(&out);
    }
    wi_arena_free(&arena);
    if (rc) {
        free(json);
        return NULL;
    }
    for (char *at = json; (at = strchr(at, '\n'));)
        *at = ' ';
    return json;
}

int tl_engines(const struct tl_block *block, int64_t max_loops, tl_engine_user use, void *ctx)
{
    struct wi_names *names = wi_names_create(NAMES_BYTES);
    struct wi_engine_config config = {.names = names, .ordered = 1};
    struct rank_engine engines[TL_MAX_RANKS] = {{.engine = NULL}};
    int rc = names ? 0 : -1;

    for (int r = 0; !rc && r < block->ranks; r++) {
        engines[r].engine = wi_engine_create(&config);
        rc = engines[r].engine ? 0 : -1;
        wi_paced_init(&engines[r].paced, push, engines[r].engine);
    }
    if (!rc)
        rc = tl_events(block, max_loops, names, to_engine, engines);
    for (int r = 0; r < block->ranks; r++) {
        if (!rc) {
            wi_engine_finish(engines[r].engine);
            rc = use(ctx, r, engines[r].engine, names) ? -1 : 0;
        }
        if (engines[r].engine)
            wi_engine_free(engines[r].engine);
    }
    wi_names_free(names);
    return rc;
}

static int to_json(void *ctx, int rank, struct wi_engine *engine, const struct wi_names *names)
{
    char **json = ctx;

    json[rank] = write_json(engine, names);
    return json[rank] ? 0 : -1;
}

int tl_reports(const struct tl_block *block, int64_t max_loops, char *json[TL_MAX_RANKS])
{
    memset(json, 0, TL_MAX_RANKS * sizeof(*json));
    return tl_engines(block, max_loops, to_json, json);
}
