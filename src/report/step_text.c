/* Steps in words and in the document, see step_text.h.
 * Threads: the owner of the writer. May not: allocate, use stdio. */
#include "report/step_text.h"

#include "report/human.h"

const struct wi_device_result *wi_report_device(const struct wi_report *report, int32_t id)
{
    const struct wi_result *result = report->result;
    for (int i = 0; i < result->device_count; i++)
        if (result->devices[i].used && result->devices[i].info.device == id)
            return &result->devices[i];
    return NULL;
}

const struct wi_device_result *wi_first_device(const struct wi_report *report)
{
    const struct wi_result *result = report->result;
    for (int i = 0; i < result->device_count; i++)
        if (result->devices[i].used)
            return &result->devices[i];
    return NULL;
}

int64_t wi_step_mean_ns(const struct wi_device_result *device)
{
    const struct wi_steps *steps = device ? &device->steps : NULL;
    if (!steps || steps->count < 2 || steps->last_ns <= steps->start_ns)
        return WI_UNKNOWN;
    return (steps->last_ns - steps->start_ns) / (int64_t)(steps->count - 1);
}

double wi_step_scale(const struct wi_device_result *device)
{
    int64_t step_ns = wi_step_mean_ns(device);
    int64_t time_ns = device ? device->window_end_ns - device->window_start_ns -
                                   device->class_ns[WI_CLASS_WARM_UP]
                             : 0;
    return step_ns == WI_UNKNOWN || time_ns <= 0 ? 0 : (double)step_ns / (double)time_ns;
}

int64_t wi_per_step_ns(const struct wi_device_result *device, int64_t ns)
{
    double scale = wi_step_scale(device);
    return scale <= 0 || ns < 0 ? WI_UNKNOWN : (int64_t)((double)ns * scale + 0.5);
}

int wi_put_of_every(struct wi_out *out, const struct wi_device_result *device, int64_t ns)
{
    int64_t each = wi_per_step_ns(device, ns);
    int64_t step = wi_step_mean_ns(device);
    if (each == WI_UNKNOWN || step <= 0 || each > step || each < step / 1000)
        return 0;
    wi_human_part(out, each, step);
    wi_out_str(out, " of every ");
    wi_human_ns(out, step);
    return 1;
}

int wi_put_a_step(struct wi_out *out, const struct wi_device_result *device, uint64_t count)
{
    if (!device || !device->steps.count || count * 20 < device->steps.count)
        return 0;
    double each = (double)count / (double)device->steps.count;
    double rest = each - (double)(int64_t)(each + 0.05);
    wi_out_fixed(out, each, each < 9.95 && rest >= 0.05 ? 1 : 0);
    wi_out_str(out, " a step");
    return 1;
}

static const char *ordinal_end(uint64_t n)
{
    if (n % 100 / 10 == 1)
        return "th";
    return n % 10 == 1 ? "st" : n % 10 == 2 ? "nd" : n % 10 == 3 ? "rd" : "th";
}

/* "every 100th step takes 1.2 s longer"; without a fixed distance "12 take 1.2 s longer each". */
static void put_outliers(struct wi_out *out, const struct wi_steps *steps)
{
    /* a distance that would make another number of them is none */
    uint64_t made = steps->outlier_every * steps->outliers;
    int every = made * 4 >= steps->count * 3 && made * 4 <= steps->count * 5;
    if (!steps->outliers)
        return;
    if (every)
        wi_out_f(out, "; every %llu%s step takes ", (unsigned long long)steps->outlier_every,
                 ordinal_end(steps->outlier_every));
    else
        wi_out_f(out, steps->outliers == 1 ? "; %llu takes " : "; %llu take ",
                 (unsigned long long)steps->outliers);
    wi_human_ns(out, steps->outlier_extra_ns / (int64_t)steps->outliers);
    wi_out_str(out, " longer");
    if (steps->outliers > 1) {
        wi_out_f(out, every ? ", %llu\u00a0times, " : " each, ",
                 (unsigned long long)steps->outliers);
        wi_human_ns(out, steps->outlier_extra_ns);
        wi_out_str(out, " in all");
    }
}

void wi_text_steps(struct wi_layout *layout, const struct wi_device_result *device)
{
    const struct wi_steps *steps = &device->steps;
    struct wi_phrase phrase;
    struct wi_out *out = wi_phrase_begin(&phrase);
    if (!steps->count)
        return;
    wi_out_f(out, "%llu %s; median ", (unsigned long long)steps->count,
             steps->marked ? "as the job marks them" : "found by their pattern");
    wi_human_ns(out, steps->median_ns);
    wi_out_str(out, ", p95 ");
    wi_human_ns(out, steps->p95_ns);
    wi_out_str(out, ", mean ");
    wi_human_ns(out, wi_step_mean_ns(device));
    put_outliers(out, steps);
    wi_layout_line(layout, "  steps", wi_phrase_end(&phrase));
}

static void put_member(struct wi_out *out, const char *name, int64_t value)
{
    wi_out_f(out, ",\"%s\":", name);
    if (value == WI_UNKNOWN)
        wi_out_str(out, "null");
    else
        wi_out_i64(out, value);
}

void wi_steps_json(struct wi_out *out, const struct wi_device_result *device)
{
    const struct wi_steps *steps = device ? &device->steps : NULL;
    if (!steps || !steps->count) {
        wi_out_str(out, "null");
        return;
    }
    wi_out_f(out, "{\"count\":%llu,\"marked\":%s", (unsigned long long)steps->count,
             steps->marked ? "true" : "false");
    put_member(out, "start_ns", steps->start_ns);
    put_member(out, "last_ns", steps->last_ns);
    put_member(out, "median_ns", steps->median_ns);
    put_member(out, "p95_ns", steps->p95_ns);
    put_member(out, "outliers", (int64_t)steps->outliers);
    put_member(out, "outlier_every",
               steps->outlier_every ? (int64_t)steps->outlier_every : WI_UNKNOWN);
    put_member(out, "outlier_extra_ns", steps->outlier_extra_ns);
    wi_out_char(out, '}');
}
