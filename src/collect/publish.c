/* Writes reports, see publish.h.
 * Threads: rolling on the helper; the last one on the thread that ends the process, once the
 * helper is parked. May not: allocate but from an arena; print from a rank that is not to print. */
#include "collect/publish.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "analyze/engine.h"
#include "analyze/result.h"
#include "base/arena.h"
#include "base/err.h"
#include "base/log.h"
#include "base/quiet_write.h"
#include "collect/blind.h"
#include "collect/collect.h"
#include "collect/demangler.h"
#include "collect/drain.h"
#include "collect/feed.h"
#include "collect/jobinfo.h"
#include "collect/outfile.h"
#include "collect/sampling.h"
#include "collect/sites.h"
#include "collect/thread.h"
#include "collect/tracefile.h"
#include "report/layout.h"
#include "report/report.h"

#define RESULT_BYTES ((size_t)4 << 20)

static char buffer[16 << 10];

/* The model's devices carry this name; a report of modelled times must say so. */
static int is_virtual(void)
{
    const struct wi_device_info *info = wi_feed_device(0);
    return info && !strcmp(wi_names_text(wi_feed_names(), info->name), "whyidle virtual GPU");
}

static void describe(struct wi_job *job, const struct wi_result *result)
{
    static char stacks[100];
    struct wi_out out;
    *job = *wi_job_base();
    wi_out_mem(&out, stacks, sizeof(stacks));
    wi_sites_words(&out);
    wi_out_finish(&out);
    job->stacks = stacks[0] ? stacks : NULL;
    job->level = wi_process.level;
    job->level_reason = wi_process.level == 'A' ? wi_blind_reason() : wi_process.reason;
    job->end_ns = wi_now_ns();
    job->virtual_gpu = is_virtual();
    job->helper_cpu_ns = wi_helper_cpu_ns();
    job->memory_bytes =
        (int64_t)result->engine_bytes + wi_buffers_bytes() + wi_thread_bytes() + wi_sites_bytes();
    wi_sampling_tell(job);
    job->flush_ns = wi_process.activity ? wi_feed_own_ns() : WI_UNKNOWN;
}

static void demangle(struct wi_result *result)
{
    if (wi_demangler())
        wi_pretty_names(result, wi_feed_names(), wi_demangler());
}

static int write_json(const struct wi_report *report)
{
    struct wi_out out;
    int err = wi_outfile_begin(&out, buffer, sizeof(buffer));
    if (err)
        return err;
    wi_report_json(&out, report);
    return wi_outfile_commit(&out);
}

/* Once: a job that is killed cannot say it, and a disk that is full fails again and again. */
static void say_unwritten(int err)
{
    static int said;
    if (err && !said++)
        wi_log(WI_LOG_FAULT, "the report could not be written: %s", wi_err_str(err));
}

void wi_publish_rolling(void)
{
    struct wi_arena arena;
    struct wi_result result;
    struct wi_job job;
    wi_trace_flush();
    if (!wi_feed_any())
        return;
    wi_arena_init(&arena, RESULT_BYTES);
    if (wi_engine_result(wi_feed_engine(), &arena, &result) == 0) {
        struct wi_report report = {&job, &result, wi_feed_names()};
        describe(&job, &result);
        demangle(&result);
        say_unwritten(write_json(&report));
    } else {
        say_unwritten(WI_ERR_NOMEM);
    }
    wi_arena_free(&arena);
}

static int may_print(const struct wi_job *job)
{
    const char *who = wi_process.settings.print;
    if (wi_process.settings.wrapper || !strcmp(who, "none"))
        return 0;
    return !strcmp(who, "all") || job->rank == WI_UNKNOWN || job->rank == 0;
}

static int width_of(int is_terminal)
{
    struct winsize size = {0};
    if (!is_terminal || ioctl(2, TIOCGWINSZ, &size) != 0)
        size.ws_col = 0;
    return wi_layout_width((int)wi_process.settings.width, getenv("COLUMNS"), size.ws_col);
}

static void print_text(const struct wi_report *report)
{
    int is_terminal = isatty(2);
    const char *color = wi_process.settings.color, *no_color = getenv("NO_COLOR");
    struct wi_text_options options = {
        .width = width_of(is_terminal),
        .color = !strcmp(color, "always") ||
                 (!strcmp(color, "auto") && is_terminal && !(no_color && *no_color)),
        .verdict_line = !is_terminal,
        .hints = wi_outfile_is_fallback() ? wi_outfile_path() : "",
    };
    struct wi_out out;
    wi_out_fd(&out, 2, buffer, sizeof(buffer));
    wi_report_text(&out, report, &options);
    wi_out_finish(&out);
}

static void print(const struct wi_report *report, int written)
{
    const struct wi_job *job = report->job;
    if (wi_outfile_is_fallback() && written == 0)
        wi_log(WI_LOG_FAULT,
               "the folder for reports cannot be written (WHYIDLE_OUT names one); "
               "the report is %s",
               wi_outfile_path());
    if (job->level == 'D')
        wi_log(WI_LOG_FAULT, "level D, nothing was recorded: %s", wi_process.reason);
    else if (job->status != 0 && job->end == WI_JOB_EXITED)
        wi_log(WI_LOG_FAULT, "the job ended with status %d; its report is %s", job->status,
               wi_outfile_path());
    else
        print_text(report);
}

static void publish_last(int status, int flush, int64_t timeout_ms)
{
    struct wi_arena arena;
    struct wi_result result;
    struct wi_job job;
    int stopped = wi_helper_stop(flush, timeout_ms);
    if (stopped == WI_ERR_BUSY) {
        const char *before = wi_outfile_path();
        wi_log(WI_LOG_FAULT, "no time for a last report%s%s",
               *before ? "; the one before it is " : "", before);
        return;
    }
    wi_drain(INT_MAX);
    if (!wi_feed_any() && wi_process.level != 'D')
        return;
    wi_feed_finish();
    wi_arena_init(&arena, RESULT_BYTES);
    if (wi_engine_result(wi_feed_engine(), &arena, &result) == 0) {
        struct wi_report report = {&job, &result, wi_feed_names()};
        describe(&job, &result);
        job.end = WI_JOB_EXITED;
        job.status = status & 0xff; /* what the parent gets */
        job.final_flush_timed_out = stopped == WI_ERR_TIMEOUT;
        wi_trace_finish(&job);
        if (flush) /* an end by _exit may be one inside the allocator */
            demangle(&result);
        int written = write_json(&report);
        say_unwritten(written);
        if (may_print(&job))
            print(&report, written);
    } else {
        say_unwritten(WI_ERR_NOMEM);
    }
    wi_arena_free(&arena);
}

/* The helper has all signals blocked; here the job's own thread writes. */
void wi_publish_final(int status, int flush, int64_t timeout_ms)
{
    struct wi_quiet_write quiet;
    wi_quiet_write_begin(&quiet);
    publish_last(status, flush, timeout_ms);
    wi_quiet_write_end(&quiet);
}
