/* The one answer: which cause, or that there is none, or that it is not known.
 * Threads: the engine's. Pure. */
#include "analyze/engine_state.h"
#include "analyze/limits.h"

struct totals {
    int64_t window_ns, compute_ns, unknown_ns;
};

static struct totals add_up(const struct wi_result *result)
{
    struct totals totals = {0};
    for (int i = 0; i < result->device_count; i++) {
        const struct wi_device_result *device = &result->devices[i];
        if (!device->used)
            continue;
        totals.window_ns += device->window_end_ns - device->window_start_ns;
        totals.compute_ns += device->class_ns[WI_CLASS_COMPUTE];
        totals.unknown_ns += device->class_ns[WI_CLASS_UNKNOWN];
    }
    return totals;
}

static int reaches(int64_t part, int64_t whole, int64_t permille)
{
    return part / permille >= whole / 1000 && part > 0;
}

/* The first finding that stands for something to do, or for there being nothing to do: where most
 * idle time is that nobody asks, that is the answer, and what happens within a request comes
 * second.
 */
static int leading_finding(const struct wi_result *result)
{
    for (int i = 0; i < result->finding_count; i++) {
        enum wi_class class = wi_subcause_class(result->findings[i].subcause);
        if (wi_class_is_stall(class) || class == WI_CLASS_NO_WORK)
            return i;
    }
    return -1;
}

/* Kernels too small to fill the device are what serving one request at a time looks like on the
 * device: where that is seen, it is the cause to tell. */
static int behind_small_kernels(const struct wi_result *result, int at)
{
    if (at < 0 || result->findings[at].subcause != WI_SUB_UNDER_FILLED)
        return at;
    for (int i = 0; i < result->finding_count; i++)
        if (result->findings[i].subcause == WI_SUB_UNBATCHED_SERVING &&
            result->findings[i].share * 1000 >= (double)WI_LIMIT_VERDICT_PERMILLE)
            return i;
    return at;
}

static const char *why_not_high(enum wi_subcause subcause, enum wi_confidence confidence)
{
    if (!wi_subcause_is_known(subcause) && confidence != WI_CONF_LOW)
        return "where the time goes is known, what causes it could not be seen";
    if (confidence == WI_CONF_LOW)
        return "seen only once";
    return confidence == WI_CONF_MEDIUM ? "seen fewer than 20 times, or not every operation could "
                                          "be matched to its call"
                                        : NULL;
}

struct wi_verdict wi_verdict_of(const struct wi_result *result)
{
    struct totals totals = add_up(result);
    struct wi_verdict verdict = {"inconclusive", -1, WI_CONF_INCONCLUSIVE, NULL};
    if (result->host_only) {
        verdict.reason = "device times were not recorded, only host calls";
        return verdict;
    }
    if (!totals.window_ns) {
        verdict.reason = "no device operation was recorded";
        return verdict;
    }
    int at = behind_small_kernels(result, leading_finding(result));
    if (reaches(totals.compute_ns, totals.window_ns, WI_LIMIT_LIMITED_BY_GPU_PERMILLE))
        return (struct wi_verdict){"compute", -1, WI_CONF_HIGH, NULL};
    if (reaches(totals.unknown_ns, totals.window_ns, WI_LIMIT_UNDECIDED_PERMILLE)) {
        verdict.reason = "more than half of the time could not be explained";
        return verdict;
    }
    if (at < 0 || !reaches(result->findings[at].ns, totals.window_ns, WI_LIMIT_VERDICT_PERMILLE))
        return (struct wi_verdict){"none", -1, WI_CONF_MEDIUM, NULL};
    const struct wi_finding *finding = &result->findings[at];
    return (struct wi_verdict){wi_subcause_id(finding->subcause), at, finding->confidence,
                               why_not_high(finding->subcause, finding->confidence)};
}
