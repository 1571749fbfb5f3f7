/* Fixes for this job and the arithmetic behind them, see because.h.
 * Threads: the owner of the writer. May not: allocate, use stdio. */
#include "report/because.h"

#include "analyze/advice.h"
#include "analyze/limits.h"
#include "analyze/predict.h"
#include "analyze/rules.h"
#include "report/human.h"
#include "report/layout.h"
#include "report/step_text.h"

#define MOST_WORKERS 100000 /* no machine has more: the figures are wrong */
#define IN_WANT      1.25 /* x what is left of the cores: workers wait for a fifth of their time */

struct subject {
    struct wi_out *out;
    const struct wi_report *report;
    const struct wi_finding *f;
    const struct wi_device_result *device;
};

enum wi_dialect wi_report_dialect(const struct wi_report *report)
{
    const struct wi_result *result = report->result;
    if (report->job->dialect > 0 && report->job->dialect < WI_DIALECT_COUNT)
        return (enum wi_dialect)report->job->dialect;
    int best = wi_dialect_mark_program(report->job->program);
    for (int i = 0; i < result->kernel_count; i++) {
        int mark = wi_dialect_mark_kernel(wi_names_text(report->names, result->kernels[i].name));
        if (mark >= 0 && (best < 0 || mark < best))
            best = mark;
    }
    return wi_dialect_of_mark(best);
}

const char *wi_fix_of(const struct wi_report *report, const struct wi_finding *finding)
{
    const char *general = wi_advice_for(finding->subcause).fix;
    if (!general || finding->fix != general)
        return finding->fix;
    return wi_advice_fix(finding, wi_report_dialect(report));
}

/* 1 if the job has not as many cores; then it is said. */
static int put_too_many(const struct subject *s, int needed)
{
    int64_t allowed = s->f->cores_allowed;
    if (allowed < 0 || needed <= allowed)
        return 0;
    wi_out_f(s->out, ", but this job may use only %lld cores: a batch must get cheaper",
             (long long)allowed);
    return 1;
}

static void put_cores(const struct subject *s, int needed)
{
    int64_t idle = s->f->cores_idle_permille, allowed = s->f->cores_allowed;
    int too_many = put_too_many(s, needed);
    if (!too_many && idle >= 0 && idle < WI_LIMIT_WORKER_CORE_PERMILLE)
        wi_out_str(s->out, ", but no core is idle: more workers will not help");
    else if (!too_many && allowed >= 0)
        wi_out_f(s->out, "; this job may use %lld cores", (long long)allowed);
    if (idle >= WI_LIMIT_WORKER_CORE_PERMILLE)
        wi_out_f(s->out, ", %lld of them are idle", (long long)(idle / 1000));
}

/* Of the cores that the job may use, those that other programs leave it; -1 = not known. */
static double cores_left(const struct wi_finding *f)
{
    if (f->cores_allowed <= 0 || f->cores_others_permille < 0)
        return -1;
    double left = (double)f->cores_allowed - (double)f->cores_others_permille / 1000;
    return left > 0 ? left : 0;
}

static int workers_needed(double exact)
{
    return (int)exact + (exact > (double)(int)exact);
}

/* Workers count as busy also while they wait for a core; what they use is at most what is left. */
static void beside_others(const struct subject *s, double left, double step, double rest)
{
    int needed = workers_needed(left * step / rest);
    wi_out_str(s->out, "other programs leave ");
    wi_out_fixed(s->out, left, 2);
    wi_out_f(s->out, " of the %lld\u00a0cores, in which the input of a step costs ",
             (long long)s->f->cores_allowed);
    wi_out_fixed(s->out, left * step / 1e9, left * step < 1e8 ? 3 : 2);
    wi_out_str(s->out, "\u00a0CPU-s (");
    wi_out_fixed(s->out, left, 2);
    wi_out_str(s->out, " x ");
    wi_human_ns(s->out, (int64_t)step);
    wi_out_str(s->out, "); the GPU could take one every ");
    wi_human_ns(s->out, (int64_t)rest);
    wi_out_f(s->out, ": with cores of their own %d worker%s enough", needed > 1 ? needed : 1,
             needed > 1 ? "s are" : " is");
    put_too_many(s, needed);
}

/* CPU time of one step's input = processes x their CPU use x length of a step; the rest of a step
 * is what the device needs, so that cost / rest workers keep up. */
static void workers(const struct subject *s)
{
    const struct wi_finding *f = s->f;
    double step = (double)wi_step_mean_ns(s->device);
    double rest = step > 0 ? step - (double)wi_per_step_ns(s->device, f->ns) : 0;
    if (f->children <= 0 || f->child_cpu_permille <= 0 || step <= 0 || rest < step / 100) {
        if (f->cores_idle_permille >= 0 && f->cores_idle_permille < WI_LIMIT_WORKER_CORE_PERMILLE)
            wi_out_str(s->out,
                       "no core is idle: more workers would take time from those there are");
        return;
    }
    double used = (double)f->children * (double)f->child_cpu_permille / 1000;
    double left = cores_left(f);
    if (used * step / rest > MOST_WORKERS)
        return;
    if (left >= 0 && left * IN_WANT < used) {
        beside_others(s, left, step, rest);
        return;
    }
    double cost = used * step;
    int needed = workers_needed(cost / rest);
    wi_out_str(s->out, "the input of a step costs ");
    wi_out_fixed(s->out, cost / 1e9, cost < 1e8 ? 3 : 2);
    wi_out_f(s->out, "\u00a0CPU-s (%lld\u00a0x\u00a0", (long long)f->children);
    wi_human_share(s->out, f->child_cpu_permille, 1000, 0);
    wi_out_str(s->out, " x ");
    wi_human_ns(s->out, (int64_t)step);
    wi_out_str(s->out, "), the GPU could take one every ");
    wi_human_ns(s->out, (int64_t)rest);
    wi_out_f(s->out, ": %d workers", needed);
    put_cores(s, needed);
}

/* What storage delivered over the whole run. */
static void storage(const struct subject *s)
{
    const struct wi_host_sample *host = &s->report->result->host;
    if (!s->report->result->coverage.samples || host->read_bytes <= 0 || host->interval_ns <= 0)
        return;
    wi_out_str(s->out, "storage delivered ");
    wi_human_rate(s->out, host->read_bytes, host->interval_ns);
    wi_out_str(s->out, " over the run");
    if (s->device && s->device->steps.count) {
        wi_out_str(s->out, ", ");
        wi_human_bytes(s->out, host->read_bytes / (int64_t)s->device->steps.count);
        wi_out_str(s->out, " a step");
    }
}

static void copied(const struct subject *s)
{
    const struct wi_finding *f = s->f;
    if (!f->copies || !s->device || !s->device->steps.count || f->copies < s->device->steps.count)
        return;
    wi_human_bytes(s->out, (int64_t)(f->bytes / s->device->steps.count));
    wi_out_str(s->out, " a step");
    if (f->copies * 2 >= s->device->steps.count * 3) {
        wi_out_str(s->out, ", in copies of ");
        wi_human_bytes(s->out, (int64_t)(f->bytes / f->copies));
        wi_out_str(s->out, ", ");
        wi_put_a_step(s->out, s->device, f->copies);
    }
}

static void gaps(const struct subject *s)
{
    const struct wi_finding *f = s->f;
    struct wi_phrase a_step;
    if (!f->count || !s->device || !wi_put_a_step(wi_phrase_begin(&a_step), s->device, f->count))
        return;
    wi_out_f(s->out, "waits for a call: %s", wi_phrase_end(&a_step));
    wi_out_str(s->out, ", each ");
    wi_human_ns(s->out, f->ns / (int64_t)f->count);
    wi_out_str(s->out, " on average");
}

/* A larger batch needs device memory. */
static void memory(const struct subject *s)
{
    int64_t free_bytes = s->report->result->host.gpu_memory_free_bytes;
    if (!s->report->result->coverage.samples || free_bytes <= 0)
        return;
    wi_human_bytes(s->out, free_bytes);
    int batch = wi_predict_batch(s->report->result, s->f->device);
    wi_out_str(s->out, " of device memory stayed free: ");
    if (batch > 1)
        wi_out_f(s->out, "room for a batch %d times as large", batch);
    else
        wi_out_str(s->out, batch ? "no room for twice the batch" : "room for a larger batch");
}

void wi_put_because(struct wi_out *out, const struct wi_report *report,
                    const struct wi_finding *finding)
{
    static void (*const FUNCTIONS[WI_SUB_COUNT])(const struct subject *) = {
#define BECAUSE(sub, function) [WI_SUB_##sub] = function,
#include "report/because.def"
#undef BECAUSE
    };
    struct subject s = {out, report, finding, wi_report_device(report, finding->device)};
    if (FUNCTIONS[finding->subcause])
        FUNCTIONS[finding->subcause](&s);
}
