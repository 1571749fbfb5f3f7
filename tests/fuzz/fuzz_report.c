/* Any bytes as a recording, up to the reports: whatever events a file holds, the engine accounts
 * every nanosecond of every window and the writers end.
 * Threads: one. Built by scripts/fuzz.sh. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analyze/engine.h"
#include "analyze/result.h"
#include "import/import.h"
#include "report/report.h"

static void require(int truth)
{
    if (!truth)
        abort();
}

static int feed(void *engine, const struct wi_event *event)
{
    if (event->kind == WI_EVENT_ADVANCE)
        wi_engine_advance(engine, event->u.at_ns);
    else
        wi_engine_push(engine, event);
    return 0;
}

/* 0 if the bytes were taken as a recording. */
static int import(struct wi_engine *engine, struct wi_names *names, const unsigned char *data,
                  size_t len)
{
    static int fd = -1;
    char path[32];
    struct wi_import_options options = {.partial = 1};
    struct wi_import_info info;
    struct wi_import_error error;
    if (fd < 0)
        fd = memfd_create("fuzz", 0);
    require(fd >= 0 && ftruncate(fd, 0) == 0 && pwrite(fd, data, len, 0) == (ssize_t)len);
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    int err = wi_import_file(path, &options, names, feed, engine, &info, &error);
    wi_engine_finish(engine);
    return err;
}

static void check_sums(const struct wi_result *result)
{
    for (int i = 0; i < result->device_count; i++) {
        const struct wi_device_result *device = &result->devices[i];
        int64_t left_ns = device->window_end_ns - device->window_start_ns;
        for (int k = 0; k < WI_CLASS_COUNT; k++) {
            require(!device->used || device->class_ns[k] >= 0);
            left_ns -= device->class_ns[k];
        }
        require(!device->used || left_ns == 0);
    }
}

/* A prediction has a reason for being absent, or a figure that lies in its range. */
static void check_predictions(const struct wi_result *result)
{
    for (int i = 0; i < result->prediction_count; i++) {
        const struct wi_prediction *p = &result->predictions[i];
        require(p->withheld || (p->low >= 0 && p->low <= p->speedup && p->speedup <= p->high));
    }
    require(result->replay.error >= 0 && result->replay.unexplained >= 0);
}

static void write_reports(const struct wi_names *names, const struct wi_result *result)
{
    static char buf[1 << 16];
    struct wi_job job = {.rank = WI_UNKNOWN, .world = WI_UNKNOWN, .level = 'I'};
    struct wi_report report = {.job = &job, .result = result, .names = names};
    struct wi_text_options options = {.width = 100, .verdict_line = 1, .hints = ""};
    struct wi_out out;
    wi_out_mem(&out, buf, sizeof(buf));
    wi_report_text(&out, &report, &options);
    wi_out_mem(&out, buf, sizeof(buf));
    wi_report_json(&out, &report);
}

/* The first byte chooses how the engine is fed; the rest is the trace. */
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t len)
{
    if (!len)
        return 0;
    struct wi_names *names = wi_names_create(1 << 20);
    struct wi_engine_config config = {.names = names,
                                      .ordered = data[0] & 1,
                                      .imported = data[0] >> 1 & 1,
                                      .host_only = data[0] >> 2 & 1};
    struct wi_engine *engine = wi_engine_create(&config);
    struct wi_arena arena;
    struct wi_result result;
    wi_arena_init(&arena, 16 << 20);
    require(engine != NULL);
    if (import(engine, names, data + 1, len - 1) == 0 &&
        wi_engine_result(engine, &arena, &result) == 0) {
        check_sums(&result);
        check_predictions(&result);
        write_reports(names, &result);
    }
    wi_arena_free(&arena);
    wi_engine_free(engine);
    wi_names_free(names);
    return 0;
}
