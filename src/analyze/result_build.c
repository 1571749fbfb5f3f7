/* Builds a wi_result from the engine's state, without changing it (engine.h: wi_engine_result).
 * Threads: the engine's. Allocates from the arena of the report only. */
#include <string.h>

#include "analyze/engine.h"
#include "analyze/engine_state.h"
#include "analyze/findings.h"
#include "base/err.h"

#define KERNEL_ROWS 64u /* rows of the report, by time */

/* What a report in between goes on from: copies of all that charging writes. */
struct build {
    struct wi_engine *engine;
    struct wi_arena *arena;
    struct wi_result *result;
    struct wi_ledger *ledger;
    struct wi_tables *tables;
};

static int copy_state(struct build *build)
{
    build->ledger = wi_arena_alloc(build->arena, sizeof(*build->ledger));
    build->tables = wi_arena_alloc(build->arena, sizeof(*build->tables));
    if (!build->ledger || !build->tables)
        return WI_ERR_NOMEM;
    wi_ledger_copy(build->ledger, build->engine->ledger);
    wi_tables_copy_used(build->tables, build->engine->tables);
    return WI_OK;
}

/* A report in between ends at the watermark: what is open is charged provisionally. */
static int64_t end_device(struct build *build, struct wi_device *device)
{
    if (build->engine->finished)
        return device->pos_ns;
    struct wi_account account = {build->engine, build->ledger, build->tables};
    int64_t end = device->pos_ns;
    if (!build->engine->config.imported && build->engine->watermark_ns > end)
        end = build->engine->watermark_ns;
    if (device->line.end_ns > end)
        device->line.end_ns = end;
    wi_account_end(&account, device, end);
    return device->pos_ns;
}

/* Of what was not recorded the device may have worked. Busy time of a kind that is not known is no
 * part of the sums. */
static void fill_timeline(struct wi_device_result *out, const struct wi_device *device,
                          const struct wi_cause_sum *sums)
{
    out->timeline = device->line;
    out->timeline.span_ns = device->line.end_ns - device->line.start_ns;
    int64_t outside = out->window_end_ns - out->window_start_ns - out->timeline.span_ns;
    out->idle_ns =
        out->timeline.idle_ns + outside - sums[WI_SUB_UNTRACED].ns - sums[WI_SUB_BLIND_INTERVAL].ns;
}

static void fill_classes(struct wi_device_result *out, const struct wi_device *device,
                         const struct wi_cause_sum *sums)
{
    for (int sub = 0; sub < WI_SUB_COUNT; sub++) {
        out->subcause_ns[sub] = device->subcause_ns[sub] + sums[sub].ns;
        out->class_ns[wi_subcause_class((enum wi_subcause)sub)] += out->subcause_ns[sub];
    }
}

static int fill_device(struct build *build, const struct wi_device *from,
                       const struct wi_step_finder *finder, struct wi_device_result *out)
{
    struct wi_result *result = build->result;
    out->info = from->info;
    out->used = from->used;
    if (!from->used)
        return WI_OK;
    struct wi_device *device = wi_arena_alloc(build->arena, sizeof(*device));
    struct wi_cause_sum *sums = wi_arena_alloc(build->arena, WI_SUB_COUNT * sizeof(*sums));
    if (!device || !sums)
        return WI_ERR_NOMEM;
    memcpy(device, from, sizeof(*device));
    out->window_start_ns = device->window_start_ns;
    out->window_end_ns = end_device(build, device);
    wi_ledger_settle(build->ledger);
    struct wi_run_evidence run =
        wi_findings_run(build->ledger, &build->engine->calls, out->window_end_ns);
    wi_findings_sum(build->ledger, from->info.device, &run, sums);
    fill_classes(out, device, sums);
    fill_timeline(out, device, sums);
    if (finder)
        out->steps =
            wi_engine_steps(build->engine, finder, out->window_end_ns - out->window_start_ns);
    out->kernels = device->kernels;
    out->copies = device->copies;
    out->memsets = device->memsets;
    out->graphs = device->graphs;
    out->series = &device->series;
    if (result->start_ns == WI_UNKNOWN || out->window_start_ns < result->start_ns)
        result->start_ns = out->window_start_ns;
    if (result->end_ns == WI_UNKNOWN || out->window_end_ns > result->end_ns)
        result->end_ns = out->window_end_ns;
    result->finding_count += wi_findings_of(out, sums, build->tables, &result->coverage,
                                            result->findings + result->finding_count);
    return WI_OK;
}

static int fill_devices(struct build *build)
{
    struct wi_engine *engine = build->engine;
    struct wi_result *result = build->result;
    size_t count = engine->device_count ? engine->device_count : 1;
    result->devices = wi_arena_alloc(build->arena, count * sizeof(*result->devices));
    result->findings =
        wi_arena_alloc(build->arena, count * WI_SUB_COUNT * sizeof(*result->findings));
    if (!result->devices || !result->findings)
        return WI_ERR_NOMEM;
    result->device_count = (int)engine->device_count;
    for (int32_t i = 0; i < result->device_count; i++) {
        int at = 0; /* by id: how many have a smaller one */
        for (int32_t k = 0; k < result->device_count; k++)
            at += engine->devices[k]->info.device < engine->devices[i]->info.device;
        if (fill_device(build, engine->devices[i], engine->steps[i], &result->devices[at]) != 0)
            return WI_ERR_NOMEM;
    }
    return WI_OK;
}

/* The findings of all devices in one order. */
static void order_findings(struct wi_result *result)
{
    for (int i = 1; i < result->finding_count; i++) {
        struct wi_finding one = result->findings[i];
        int at = i;
        for (; at > 0 && result->findings[at - 1].ns < one.ns; at--)
            result->findings[at] = result->findings[at - 1];
        result->findings[at] = one;
    }
}

static int fill_kernels(struct build *build)
{
    const struct wi_tables *tables = build->tables;
    struct wi_result *result = build->result;
    result->kernels = wi_arena_alloc(build->arena, KERNEL_ROWS * sizeof(*result->kernels));
    if (!result->kernels)
        return WI_ERR_NOMEM;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < tables->kernel_count; i++) {
        const struct wi_kernel_row *row = &tables->kernels[i];
        if (!row->count)
            continue;
        uint32_t at = kept < KERNEL_ROWS ? kept++ : KERNEL_ROWS;
        while (at > 0 && result->kernels[at - 1].total_ns < row->total_ns) {
            if (at < KERNEL_ROWS)
                result->kernels[at] = result->kernels[at - 1];
            at--;
        }
        if (at < KERNEL_ROWS)
            result->kernels[at] = *row;
    }
    result->kernel_count = (int)kept;
    return WI_OK;
}

static int fill_copies_and_gaps(struct build *build)
{
    const struct wi_tables *tables = build->tables;
    struct wi_result *result = build->result;
    result->collective_count = (int)tables->collectives.count;
    result->collectives = tables->collectives.rows; /* the copy in the arena */
    result->copies = wi_arena_alloc(build->arena, WI_COPY_SLOTS * sizeof(*result->copies));
    result->gaps = wi_arena_alloc(build->arena, WI_GAP_SLOTS * sizeof(*result->gaps));
    if (!result->copies || !result->gaps)
        return WI_ERR_NOMEM;
    for (uint32_t i = 0; i < tables->copy_count; i++)
        if (tables->copies[i].count)
            result->copies[result->copy_count++] = tables->copies[i];
    for (uint32_t i = 0; i < tables->gap_count; i++) {
        int at = result->gap_count++;
        while (at > 0 && result->gaps[at - 1].start_ns > tables->gaps[i].start_ns) {
            result->gaps[at] = result->gaps[at - 1];
            at--;
        }
        result->gaps[at] = tables->gaps[i];
    }
    return WI_OK;
}

/* The last interval may have been told beyond the end of the job's work. */
static int64_t blind_in_window(const struct wi_engine *engine)
{
    int64_t end = engine->calls.last_exit_ns;
    if (!engine->blind_count)
        return 0;
    const struct wi_busy_span *last = &engine->blind[(engine->blind_count - 1) % WI_BLIND_SLOTS];
    for (uint32_t i = 0; i < engine->device_count; i++)
        if (engine->devices[i]->used && engine->devices[i]->line.end_ns > end)
            end = engine->devices[i]->line.end_ns;
    int64_t from = last->start_ns > end ? last->start_ns : end;
    return engine->blind_ns - (end != WI_UNKNOWN && last->end_ns > from ? last->end_ns - from : 0);
}

static uint64_t owing(const struct wi_engine *engine)
{
    uint64_t count = engine->calls.overwritten + engine->calls.overdue_count;
    for (uint32_t i = 0; i < engine->calls.thread_count; i++) {
        uint32_t at = engine->calls.threads[i].owed;
        for (; at != WI_NO_SLOT; at = engine->calls.slots[at].next)
            count += !engine->calls.slots[at].settled;
    }
    return count;
}

static int fill_places(struct build *build)
{
    const struct wi_engine *engine = build->engine;
    struct wi_result *result = build->result;
    size_t bytes = engine->place_count * sizeof(*result->places);
    if (!bytes)
        return 0;
    result->places = wi_arena_alloc(build->arena, bytes);
    if (!result->places)
        return WI_ERR_NOMEM;
    memcpy(result->places, engine->places, bytes);
    result->place_count = (int)engine->place_count;
    return 0;
}

static void fill_coverage(const struct wi_engine *engine, struct wi_result *result)
{
    result->coverage = engine->coverage;
    result->coverage.calls_owing = owing(engine);
    result->coverage.lost[WI_LOSS_THREADS] += engine->calls.thread_overflow;
    result->coverage.blind_ns = blind_in_window(engine);
    for (uint32_t i = 0; i < engine->calls.thread_count; i++)
        result->threads += engine->calls.threads[i].issued > 0;
    result->engine_bytes = engine->arena.mapped_bytes;
    memcpy(result->calls, engine->call_rows, sizeof(result->calls));
}

int wi_engine_result(struct wi_engine *engine, struct wi_arena *arena, struct wi_result *result)
{
    struct build build = {.engine = engine, .arena = arena, .result = result};
    memset(result, 0, sizeof(*result));
    result->host_only = engine->config.host_only;
    result->start_ns = result->end_ns = WI_UNKNOWN;
    result->watermark_ns = engine->watermark_ns;
    fill_coverage(engine, result);
    wi_host_sums_total(&result->host, &engine->samples.run);
    if (engine->samples.count)
        result->host.at_ns = engine->samples.last.at_ns;
    int err = copy_state(&build);
    err = err ? err : fill_devices(&build);
    err = err ? err : fill_kernels(&build);
    err = err ? err : fill_copies_and_gaps(&build);
    err = err ? err : fill_places(&build);
    if (err) {
        memset(result, 0, sizeof(*result));
        result->start_ns = result->end_ns = result->watermark_ns = WI_UNKNOWN;
        result->verdict = (struct wi_verdict){"inconclusive", -1, WI_CONF_INCONCLUSIVE,
                                              "the report did not fit into its memory"};
        return err;
    }
    if (result->start_ns == WI_UNKNOWN) {
        result->start_ns = engine->calls.first_enter_ns;
        result->end_ns = engine->calls.last_exit_ns;
    }
    order_findings(result);
    if (wi_predict_result(engine, arena, result) != 0)
        result->replay.withheld = "the replay did not fit into its memory";
    result->verdict = wi_verdict_of(result);
    wi_predict_fixes(engine, result); /* without memory what they bring together is not told */
    return WI_OK;
}
