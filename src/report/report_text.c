/* The report for people: the answer first, then what to change, then the account.
 * Threads: one at a time, in the job or in the command. May not: allocate, use stdio.
 * What is not known is "-" or left out; nothing is printed that was not measured. */
#include <string.h>

#include "analyze/fixes.h"
#include "report/columns.h"
#include "report/because.h"
#include "report/expand.h"
#include "report/finding_text.h"
#include "report/headline.h"
#include "report/human.h"
#include "report/layout.h"
#include "report/predict_text.h"
#include "report/report.h"
#include "report/ruled_out.h"
#include "report/step_text.h"
#include "report/text_parts.h"

#define FINDING_SHARE 0.01 /* what takes less of the time is not told at all */
#define MOST_OTHERS   5
#define RANGE_COLUMNS 70 /* of the name of a range in a line */

static void separator(struct wi_out *out)
{
    wi_out_str(out, " · ");
}

static void put_rank(struct wi_out *out, const struct wi_job *job)
{
    if (job->rank == WI_UNKNOWN)
        return;
    wi_out_f(out, ", rank %lld", (long long)job->rank);
    if (job->world != WI_UNKNOWN)
        wi_out_f(out, " of %lld", (long long)job->world);
}

static void put_device(struct wi_out *out, const struct wi_report *report,
                       const struct wi_device_result *device)
{
    const char *name = wi_names_text(report->names, device->info.name);
    wi_out_clean(out, name[0] ? name : "GPU");
    wi_out_f(out, " #%d", device->info.device);
}

/* What ran; of a recording that does not say it, the file. */
static void put_program(struct wi_out *out, const struct wi_job *job)
{
    const char *slash = job->source ? strrchr(job->source, '/') : NULL;
    if (job->program)
        wi_out_clean(out, job->program);
    else if (job->source)
        wi_out_clean(out, slash ? slash + 1 : job->source);
    else
        wi_out_str(out, "job");
}

/* 1 if the job gave the GPU work, of which nothing is known. */
static int device_time_missing(const struct wi_report *report)
{
    return report->result->host_only || report->result->coverage.calls_owing > 0;
}

/* The devices that did something, or why there are none. */
static void put_devices(struct wi_out *out, const struct wi_report *report)
{
    const struct wi_device_result *device = wi_verdict_device(report);
    int used = wi_used_devices(report);
    separator(out);
    if (report->job->virtual_gpu)
        wi_out_str(out, "virtual GPU (modelled)");
    else if (device)
        put_device(out, report, device);
    else
        wi_out_str(out, device_time_missing(report) ? "device time not recorded" : "no GPU work");
    if (used > 1)
        wi_out_f(out, " and %d more", used - 1);
}

static void put_end(struct wi_out *out, const struct wi_job *job)
{
    separator(out);
    switch (job->end) {
    case WI_JOB_RUNNING:
        wi_out_str(out, "job still running at the last record");
        break;
    case WI_JOB_EXITED:
        wi_out_str(out, "job ended");
        if (job->status != WI_UNKNOWN_STATUS)
            wi_out_f(out, ", status %d", job->status);
        break;
    case WI_JOB_SIGNALED:
        wi_out_str(out, "job killed");
        if (job->status != WI_UNKNOWN_STATUS)
            wi_out_f(out, " by signal %d", job->status);
        break;
    case WI_JOB_IMPORTED:
        wi_out_str(out, "read from a recording");
        break;
    }
}

static void put_header(struct wi_layout *layout, const struct wi_report *report)
{
    const struct wi_result *result = report->result;
    const struct wi_device_result *device = wi_verdict_device(report);
    struct wi_phrase phrase;
    struct wi_out *out = wi_phrase_begin(&phrase);
    wi_out_str(out, "whyidle " WHYIDLE_VERSION);
    separator(out);
    put_program(out, report->job);
    put_rank(out, report->job);
    put_devices(out, report);
    separator(out);
    wi_human_ns(out,
                result->start_ns == WI_UNKNOWN ? WI_UNKNOWN : result->end_ns - result->start_ns);
    if (device && device->steps.count)
        wi_out_f(out, ", %llu\u00a0steps", (unsigned long long)device->steps.count);
    put_end(out, report->job);
    wi_layout_wrap(layout, wi_phrase_end(&phrase), 2);
    wi_out_char(layout->out, '\n');
}

/* For scripts: VERDICT <id> confidence=<word> idle=<percent>. */
static void put_verdict_line(struct wi_out *out, const struct wi_report *report)
{
    const struct wi_device_result *device = wi_verdict_device(report);
    const struct wi_verdict *verdict = &report->result->verdict;
    wi_out_str(out, "VERDICT ");
    wi_out_clean(out, verdict->id ? verdict->id : "inconclusive");
    wi_out_f(out, " confidence=%s idle=", wi_confidence_word(verdict->confidence));
    if (device && wi_window_ns(device) > 0)
        wi_out_fixed(out, (double)device->idle_ns * 100 / (double)wi_window_ns(device), 1);
    else
        wi_out_char(out, '-');
    wi_out_char(out, '\n');
}

static void put_headline(struct wi_layout *layout, const struct wi_report *report)
{
    static const enum wi_style STYLES[] = {WI_STYLE_ALARM, WI_STYLE_GOOD, WI_STYLE_STRONG};
    const struct wi_verdict *verdict = &report->result->verdict;
    struct wi_phrase shout, rest;
    struct wi_out *rest_out = wi_phrase_begin(&rest);
    enum wi_tone tone = wi_headline(report, wi_phrase_begin(&shout), rest_out);
    if (verdict->confidence != WI_CONF_INCONCLUSIVE)
        wi_out_f(rest_out, " (confidence\u00a0%s)", wi_confidence_word(verdict->confidence));
    wi_out_char(layout->out, '\n');
    wi_layout_style(layout, STYLES[tone]);
    wi_layout_wrap(layout, wi_phrase_end(&shout), 0);
    wi_layout_style(layout, WI_STYLE_PLAIN);
    wi_layout_wrap(layout, wi_phrase_end(&rest), 0);
    wi_out_char(layout->out, '\n');
}

/* The verdict's own cause, where its end alone would gain nothing. */
static void put_no_fix(struct wi_layout *layout, const struct wi_report *report)
{
    int first = report->result->verdict.finding;
    struct wi_phrase phrase;
    struct wi_out *out = wi_phrase_begin(&phrase);
    if (!wi_verdict_finding(report) || wi_fix_helps(report->result, first))
        return;
    wi_out_char(layout->out, '\n');
    wi_out_str(out, "helps: the end of this cause alone gains nothing, ");
    wi_put_prediction(out, &report->result->findings[first].predicted);
    wi_layout_line(layout, "NO FIX", wi_phrase_end(&phrase));
}

static void put_fixes(struct wi_layout *layout, const struct wi_report *report)
{
    int fixes[WI_FIXES], count = wi_fixes_of(report->result, fixes);
    put_no_fix(layout, report);
    if (count)
        wi_out_char(layout->out, '\n');
    for (int i = 0; i < count; i++)
        wi_text_fix(layout, report, &report->result->findings[fixes[i]], i + 1);
}

/* 1 if the finding has been told already: as the verdict, or by its FIX block. */
static int is_told(const struct wi_report *report, int finding)
{
    int fixes[WI_FIXES], count = wi_fixes_of(report->result, fixes);
    for (int i = 0; i < count; i++)
        if (fixes[i] == finding)
            return 1;
    return finding == report->result->verdict.finding;
}

/* What has no FIX block: smaller stalls, and causes that there is nothing to fix about. */
static void put_others(struct wi_layout *layout, const struct wi_report *report)
{
    int others = 0;
    for (int i = 0; i < report->result->finding_count && others < MOST_OTHERS; i++) {
        const struct wi_finding *f = &report->result->findings[i];
        if (is_told(report, i) || f->share < FINDING_SHARE ||
            wi_subcause_class(f->subcause) == WI_CLASS_UNKNOWN)
            continue;
        struct wi_phrase phrase;
        struct wi_out *out = wi_phrase_begin(&phrase);
        wi_out_fixed(out, f->share * 100, 1);
        wi_out_str(out, " % ");
        wi_put_cause(out, f);
        if (wi_used_devices(report) > 1)
            wi_out_f(out, ", GPU #%d", f->device);
        const char *fix = wi_fix_of(report, f);
        if (wi_fix_is_left_out(report->result, i)) {
            wi_out_str(out, ": its end alone gains nothing");
        } else if (fix && fix[0]) {
            wi_out_str(out, ": ");
            wi_expand(out, fix, f, report->names);
        }
        if (others == 0)
            wi_out_char(layout->out, '\n');
        wi_layout_line(layout, others++ == 0 ? "ALSO SEEN" : "", wi_phrase_end(&phrase));
    }
}

static const struct wi_finding *finding_of(const struct wi_report *report, int device, int subcause)
{
    for (int i = 0; i < report->result->finding_count; i++) {
        const struct wi_finding *f = &report->result->findings[i];
        if ((int)f->subcause == subcause && f->device == device)
            return f;
    }
    return NULL;
}

/* What would make it known, if the engine says so. */
static void put_advice(struct wi_out *out, const struct wi_report *report,
                       const struct wi_finding *f)
{
    const char *fix = wi_fix_of(report, f), *range = wi_names_text(report->names, f->range);
    if (range[0]) {
        wi_out_str(out, ", in NVTX range '");
        wi_layout_cut(out, range, RANGE_COLUMNS);
        wi_out_char(out, '\'');
    }
    if (f->subcause == WI_SUB_DEVICE_DEPENDENCY && wi_used_devices(report) > 1)
        wi_out_str(out, "; that one device waits for another is seen only where it was told by "
                        "an event");
    if (!fix || !fix[0])
        return;
    wi_out_str(out, "; ");
    wi_expand(out, fix, f, report->names);
}

static int not_recorded(enum wi_subcause subcause)
{
    return subcause == WI_SUB_UNTRACED || subcause == WI_SUB_BLIND_INTERVAL;
}

/* Time that was not recorded is told beside the verdict, never as a part of it. Of the rest, what
 * was seen all the same. */
static void put_unknown(struct wi_layout *layout, const struct wi_report *report)
{
    const struct wi_device_result *device = wi_verdict_device(report);
    int64_t window_ns = device ? wi_window_ns(device) : 0;
    for (int i = 0; i < WI_SUB_COUNT && window_ns > 0; i++) {
        enum wi_subcause subcause = (enum wi_subcause)i;
        int64_t ns = device->subcause_ns[i];
        if (wi_subcause_class(subcause) != WI_CLASS_UNKNOWN ||
            (double)ns < FINDING_SHARE * (double)window_ns)
            continue;
        struct wi_phrase phrase;
        struct wi_out *out = wi_phrase_begin(&phrase);
        const struct wi_finding *f = finding_of(report, device->info.device, i);
        wi_human_share(out, ns, window_ns, 1);
        wi_out_str(out, " of the time, ");
        wi_human_ns(out, ns);
        wi_out_f(out, ": %s (%s)", wi_subcause_people(subcause), wi_subcause_id(subcause));
        if (not_recorded(subcause))
            wi_out_str(out, "; the device may have worked then, so it is not called idle");
        if (f)
            put_advice(out, report, f);
        wi_layout_line(layout, "  not known", wi_phrase_end(&phrase));
        if (f && !not_recorded(subcause))
            wi_text_evidence(layout, report, f);
    }
}

/* As a shell wants it. */
static void put_path(struct wi_out *out, const char *path)
{
    int plain = !path[strspn(path, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                   "/._-+,:@%")];
    wi_out_str(out, plain ? " " : " '");
    for (; *path; path++) {
        char part[2] = {*path, 0};
        wi_out_str(out, *path == '\'' ? "'\\''" : part);
    }
    wi_out_str(out, plain ? "" : "'");
}

static void put_next(struct wi_layout *layout, const struct wi_report *report, const char *path)
{
    struct wi_phrase phrase;
    struct wi_out *out = wi_phrase_begin(&phrase);
    const struct wi_finding *first = wi_verdict_finding(report);
    const char *id = first ? wi_subcause_id(first->subcause) : "";
    if (first) /* an id by itself, but that of "why is not known", which several classes have */
        wi_out_f(out, "whyidle explain %s", strstr(id, "/undetermined") ? id : strchr(id, '/') + 1);
    else
        wi_out_str(out, "whyidle report --format json");
    if (!first && path[0])
        put_path(out, path);
    separator(out);
    wi_out_str(out, "whyidle check --max-stall 20 -- PROGRAM");
    if (report->job->level == 'C' || report->job->level == 'D') {
        separator(out);
        wi_out_str(out, "whyidle doctor (why device times are missing)");
    }
    wi_out_char(layout->out, '\n');
    wi_layout_line(layout, "NEXT", wi_phrase_end(&phrase));
}

void wi_report_text(struct wi_out *out, const struct wi_report *report,
                    const struct wi_text_options *options)
{
    struct wi_layout layout = {out, wi_layout_width(options->width, NULL, 0), options->color};
    const struct wi_finding *first = wi_verdict_finding(report);
    if (options->verdict_line)
        put_verdict_line(out, report);
    put_header(&layout, report);
    put_headline(&layout, report);
    if (first)
        wi_text_first(&layout, report, first);
    wi_text_ruled_out(&layout, report);
    put_unknown(&layout, report);
    put_fixes(&layout, report);
    wi_text_faster_gpu(&layout, report);
    put_others(&layout, report);
    wi_text_account(&layout, report);
    wi_text_trust(&layout, report);
    if (options->hints)
        put_next(&layout, report, options->hints);
}
