/* The sentence that answers the question, see headline.h.
 * Threads: the owner of the writer. May not: allocate, use stdio. */
#include "report/headline.h"

#include <string.h>

#include "analyze/fixes.h"
#include "analyze/limits.h"
#include "report/layout.h"
#include "report/human.h"
#include "report/step_text.h"

static const char *const WAITS[] = {
#define HEADLINE(id, sentence) [WI_CLASS_##id] = sentence,
#include "report/headlines.def"
#undef HEADLINE
};
_Static_assert(sizeof(WAITS) / sizeof(WAITS[0]) == WI_CLASS_COUNT, "one headline per class");

const struct wi_finding *wi_verdict_finding(const struct wi_report *report)
{
    int i = report->result->verdict.finding;
    return i >= 0 && i < report->result->finding_count ? &report->result->findings[i] : NULL;
}

const struct wi_device_result *wi_verdict_device(const struct wi_report *report)
{
    const struct wi_finding *finding = wi_verdict_finding(report);
    const struct wi_result *result = report->result;
    for (int i = 0; i < result->device_count; i++) {
        const struct wi_device_result *device = &result->devices[i];
        if (device->used && (!finding || device->info.device == finding->device))
            return device;
    }
    return NULL;
}

int wi_used_devices(const struct wi_report *report)
{
    int used = 0;
    for (int i = 0; i < report->result->device_count; i++)
        used += report->result->devices[i].used != 0;
    return used;
}

int64_t wi_window_ns(const struct wi_device_result *device)
{
    return device->used ? device->window_end_ns - device->window_start_ns : 0;
}

static void put_gpu(struct wi_out *out, const struct wi_report *report,
                    const struct wi_device_result *device)
{
    wi_out_str(out, "THE GPU");
    if (wi_used_devices(report) > 1)
        wi_out_f(out, " #%d", device->info.device);
}

/* "215 of every 306 ms, 219 s", without steps "70.2 % of the time, 219 s" */
static void put_amount(struct wi_out *out, const struct wi_device_result *device, int64_t ns)
{
    int each = wi_put_of_every(out, device, ns);
    if (!each) {
        wi_human_share(out, ns, wi_window_ns(device), 1);
        wi_out_str(out, " of the time");
    }
    wi_out_str(out, ", ");
    wi_human_ns(out, ns);
    wi_out_str(out, each ? " in all" : "");
}

/* Idle time that nobody can save: without it the two figures of the headline would not add up. That
 * of `told` stands there already. */
static void put_no_stall(struct wi_out *out, const struct wi_device_result *device,
                         enum wi_class told)
{
    static const enum wi_class CLASSES[] = {WI_CLASS_WARM_UP, WI_CLASS_NO_WORK};
    for (size_t i = 0; i < sizeof(CLASSES) / sizeof(CLASSES[0]); i++) {
        int64_t ns = device->class_ns[CLASSES[i]];
        if (ns < wi_window_ns(device) / 20 || CLASSES[i] == told)
            continue;
        wi_out_f(out, "; %s ", wi_class_people(CLASSES[i]));
        wi_human_share(out, ns, wi_window_ns(device), 1);
    }
}

/* Copies that nothing covers keep the device busy: then it does not idle, it copies. */
static int mostly_copying(const struct wi_device_result *device, const struct wi_finding *finding)
{
    return wi_subcause_class(finding->subcause) == WI_CLASS_TRANSFER &&
           device->timeline.exposed_ns * 2 > finding->ns;
}

static void stall(const struct wi_report *report, const struct wi_device_result *device,
                  const struct wi_finding *finding, struct wi_out *shout, struct wi_out *rest)
{
    int64_t window_ns = wi_window_ns(device);
    enum wi_class class_id = wi_subcause_class(finding->subcause);
    const char *said;
    put_gpu(shout, report, device);
    if (finding->subcause == WI_SUB_UNDER_FILLED) {
        wi_out_str(shout, " IS BUSY BUT NOT FILLED ");
        said = "Its kernels are too small";
    } else if (class_id == WI_CLASS_COMMUNICATION) {
        wi_out_str(shout, " IS BUSY WITH COLLECTIVES ALONE ");
        said = "It exchanges data with other devices, or waits for them";
    } else if (mostly_copying(device, finding)) {
        wi_out_str(shout, " COPIES INSTEAD OF COMPUTING ");
        said = "No kernel runs beside the copies";
    } else {
        wi_out_str(shout, " IDLES ");
        wi_human_share(shout, device->idle_ns, window_ns, 0);
        wi_out_str(shout, " OF THE TIME.");
        wi_out_f(rest, "%s: ", WAITS[class_id]);
        put_amount(rest, device, finding->ns);
        put_no_stall(rest, device, class_id);
        wi_out_char(rest, '.');
        return;
    }
    wi_human_share(shout, finding->ns, window_ns, 0);
    wi_out_str(shout, " OF THE TIME.");
    wi_out_f(rest, "%s: ", said);
    put_amount(rest, device, finding->ns);
    wi_out_str(rest, "; it idles ");
    wi_human_share(rest, device->idle_ns, window_ns, 1);
    wi_out_char(rest, '.');
}

static void limit(const struct wi_report *report, const struct wi_device_result *device,
                  struct wi_out *shout, struct wi_out *rest)
{
    int told[WI_FIXES], fixes = wi_fixes_of(report->result, told);
    put_gpu(shout, report, device);
    wi_out_str(shout, " IS THE LIMIT.");
    wi_out_str(rest, "Kernels that fill it run ");
    wi_human_share(rest, device->class_ns[WI_CLASS_COMPUTE], wi_window_ns(device), 1);
    wi_out_str(rest, " of the time; it idles ");
    wi_human_share(rest, device->idle_ns, wi_window_ns(device), 1);
    wi_out_str(rest, fixes ? ". Faster kernels or a faster device will help most."
                           : ". Only faster kernels or a faster device will help.");
}

/* The largest stall of one device, NULL if it has none: what is not known is no stall. */
static const struct wi_finding *largest_stall(const struct wi_result *result, int32_t device)
{
    for (int i = 0; i < result->finding_count; i++) {
        const struct wi_finding *finding = &result->findings[i];
        if (finding->device == device && wi_class_is_stall(wi_subcause_class(finding->subcause)))
            return finding;
    }
    return NULL;
}

static void none(const struct wi_report *report, const struct wi_device_result *device,
                 struct wi_out *shout, struct wi_out *rest)
{
    const struct wi_result *result = report->result;
    wi_out_str(shout, "NO SINGLE STALL IS WORTH A VERDICT.");
    wi_out_str(rest, "The device");
    if (wi_used_devices(report) > 1)
        wi_out_f(rest, " #%d", device->info.device);
    wi_out_str(rest, " computes ");
    wi_human_share(rest, device->class_ns[WI_CLASS_COMPUTE], wi_window_ns(device), 1);
    wi_out_str(rest, " of the time and idles ");
    wi_human_share(rest, device->idle_ns, wi_window_ns(device), 1);
    put_no_stall(rest, device, WI_CLASS_COMPUTE);
    const struct wi_finding *stall = largest_stall(result, device->info.device);
    if (stall) {
        wi_out_f(rest, "; its largest stall, %s, takes ", wi_subcause_id(stall->subcause));
        wi_out_fixed(rest, stall->share * 100, 1);
        wi_out_str(rest, " %");
    }
    wi_out_char(rest, '.');
}

/* Level C: all that is known is how long the host spent in its calls. */
static void host_side(const struct wi_report *report, struct wi_out *shout, struct wi_out *rest)
{
    const struct wi_call_row *calls = report->result->calls;
    int64_t whole = report->result->end_ns - report->result->start_ns;
    wi_out_str(shout, "INCONCLUSIVE: DEVICE TIME IS NOT KNOWN.");
    wi_out_str(rest, "Only host calls were recorded: ");
    wi_human_share(rest, calls[WI_API_SYNC].total_ns, whole, 1);
    wi_out_str(rest, " of the time in synchronisation calls, ");
    wi_human_share(rest, calls[WI_API_COPY].total_ns, whole, 1);
    wi_out_str(rest, " in copies, ");
    wi_human_share(rest, calls[WI_API_LAUNCH].total_ns + calls[WI_API_GRAPH_LAUNCH].total_ns, whole,
                   1);
    wi_out_str(rest, " in launches.");
}

static void open_question(const struct wi_report *report, const struct wi_device_result *device,
                          struct wi_out *shout, struct wi_out *rest)
{
    const char *reason = report->result->verdict.reason;
    wi_out_str(shout, "INCONCLUSIVE:");
    wi_out_clean(rest, reason ? reason : "the evidence does not decide");
    wi_out_str(rest, ". The device idles ");
    wi_human_share(rest, device->idle_ns, wi_window_ns(device), 1);
    wi_out_str(rest, " of the time.");
}

static void no_work(const struct wi_report *report, struct wi_out *shout, struct wi_out *rest)
{
    const struct wi_coverage *coverage = &report->result->coverage;
    if (coverage->calls_owing > 0) {
        wi_out_str(shout, "NO DEVICE TIMES HAVE ARRIVED.");
        wi_out_f(rest, "%llu calls handed work to the GPU, and no record of it came in time.",
                 (unsigned long long)coverage->calls_owing);
        return;
    }
    wi_out_str(shout, "NO DEVICE WORK WAS SEEN.");
    if (coverage->calls > 0)
        wi_out_f(rest, "The job made %llu CUDA calls, but no kernel, copy or memset was recorded.",
                 (unsigned long long)coverage->calls);
    else if (report->job->end == WI_JOB_IMPORTED)
        wi_out_str(rest, "The recording holds no device operation.");
    else
        wi_out_str(rest, "The job made no CUDA call that does work.");
}

/* Level D: neither calls nor device records were to be had. */
static void nothing_seen(const struct wi_report *report, struct wi_out *shout, struct wi_out *rest)
{
    const char *reason = report->job->level_reason;
    wi_out_str(shout, "INCONCLUSIVE: NOTHING OF THE GPU'S WORK WAS RECORDED.");
    wi_out_str(rest, "Why: ");
    wi_out_clean(rest, reason ? reason : "not known");
    wi_out_char(rest, '.');
}

static enum wi_tone answer(const struct wi_report *report, struct wi_out *shout,
                           struct wi_out *rest)
{
    const struct wi_device_result *device = wi_verdict_device(report);
    const struct wi_finding *finding = wi_verdict_finding(report);
    const char *id = report->result->verdict.id ? report->result->verdict.id : "inconclusive";
    if (report->result->host_only && report->result->coverage.calls > 0) {
        host_side(report, shout, rest);
        return WI_TONE_OPEN;
    }
    if (!device && report->job->level == 'D') {
        nothing_seen(report, shout, rest);
        return WI_TONE_OPEN;
    }
    if (!device) {
        no_work(report, shout, rest);
        return WI_TONE_OPEN;
    }
    if (!strcmp(id, "compute")) {
        limit(report, device, shout, rest);
        return WI_TONE_GOOD;
    }
    if (!strcmp(id, "none")) {
        none(report, device, shout, rest);
        return WI_TONE_GOOD;
    }
    if (!finding) {
        open_question(report, device, shout, rest);
        return WI_TONE_OPEN;
    }
    stall(report, device, finding, shout, rest);
    return WI_TONE_BAD;
}

/* What of a run the verdict is not about. */
struct away {
    int64_t before_ns, warm_ns, after_ns; /* ahead of the window, start-up in it, behind it */
    int64_t run_ns;
};

/* 0 if `to` is not known or not later; a document may hold any numbers, and sums of these fit. */
static int64_t apart(int64_t from, int64_t to)
{
    if (from == WI_UNKNOWN || to == WI_UNKNOWN || to <= from)
        return 0;
    return (double)to - (double)from < (double)(INT64_MAX / 4) ? to - from : INT64_MAX / 4;
}

static struct away away_of(const struct wi_report *report, const struct wi_device_result *device)
{
    const struct wi_job *job = report->job;
    struct away away = {.before_ns = apart(job->start_ns, device->window_start_ns),
                        .warm_ns = device->class_ns[WI_CLASS_WARM_UP],
                        .after_ns = apart(device->window_end_ns, job->end_ns)};
    away.run_ns =
        away.before_ns + apart(device->window_start_ns, device->window_end_ns) + away.after_ns;
    return away;
}

static int is_most(int64_t ns, const struct away *away)
{
    return away->run_ns > 0 &&
           (double)ns * 1000 >= (double)away->run_ns * WI_LIMIT_OUTSIDE_PERMILLE;
}

/* "START-UP TAKES 95 % OF THE RUN. " where that is most of it, or what lies around its steady work.
 * What a recording holds before the first work of the device need not be a start. */
static int shout_away(struct wi_out *out, const struct wi_report *report, const struct away *away)
{
    int imported = report->job->end == WI_JOB_IMPORTED;
    int64_t start_ns = apart(0, away->warm_ns) + (imported ? 0 : away->before_ns);
    int64_t all_ns = apart(0, away->warm_ns) + away->before_ns + away->after_ns;
    const char *run = imported ? "RECORDING" : "RUN";
    if (is_most(start_ns, away)) {
        wi_out_str(out, "START-UP TAKES ");
        wi_human_share(out, start_ns, away->run_ns, 0);
        wi_out_f(out, " OF THE %s. ", run);
    } else if (is_most(all_ns, away)) {
        wi_human_share(out, all_ns, away->run_ns, 0);
        wi_out_f(out, " OF THE %s LIES OUTSIDE OF ITS STEADY GPU WORK. ", run);
    } else {
        return 0;
    }
    return 1;
}

/* Too little to shout about, but the account of the window does not hold it. */
static int is_missed(const struct away *away)
{
    return away->run_ns > 0 && (double)(away->before_ns + away->after_ns) * 1000 >=
                                   (double)away->run_ns * WI_LIMIT_OUTSIDE_TOLD_PERMILLE;
}

/* Parts of less than a hundredth of the run are left out. */
static int put_part(struct wi_out *out, const struct away *away, int64_t ns, int others,
                    const char *what)
{
    if (ns < away->run_ns / 100)
        return others;
    wi_out_str(out, others ? ", " : ": ");
    wi_human_ns(out, ns);
    wi_out_f(out, " %s", what);
    return 1;
}

/* " Of the recording's 43.4 s: 30.4 s lie before the first GPU work, 12.2 s of the window are
 * start-up; all other shares are of the window, 12.9 s." */
static void put_away(struct wi_out *out, const struct wi_report *report,
                     const struct wi_device_result *device, const struct away *away)
{
    int imported = report->job->end == WI_JOB_IMPORTED, others = 0;
    wi_out_str(out, imported ? " Of the recording's " : " Of the run's ");
    wi_human_ns(out, away->run_ns);
    others =
        put_part(out, away, away->before_ns, others,
                 imported ? "lie before the first GPU work" : "lie before the first CUDA call");
    others = put_part(out, away, away->warm_ns, others, "of the window are start-up");
    put_part(out, away, away->after_ns, others, "lie behind the last GPU work");
    wi_out_str(out, "; all other shares are of the window, ");
    wi_human_ns(out, wi_window_ns(device));
    wi_out_char(out, '.');
}

enum wi_tone wi_headline(const struct wi_report *report, struct wi_out *shout, struct wi_out *rest)
{
    const struct wi_device_result *device = wi_verdict_device(report);
    struct away away = {0};
    if (device)
        away = away_of(report, device);
    int told = device && shout_away(shout, report, &away);
    enum wi_tone tone = answer(report, shout, rest);
    if (told || is_missed(&away))
        put_away(rest, report, device, &away);
    return told && tone == WI_TONE_GOOD ? WI_TONE_OPEN : tone; /* of the run it is not all good */
}

void wi_headline_text(struct wi_out *out, const struct wi_report *report)
{
    struct wi_phrase shout, rest;
    wi_headline(report, wi_phrase_begin(&shout), wi_phrase_begin(&rest));
    wi_out_f(out, "%s %s", wi_phrase_end(&shout), wi_phrase_end(&rest));
}
