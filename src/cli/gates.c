/* The gates of `whyidle check`, see gates.h.
 * Threads: main. */
#include "cli/gates.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/headline.h"

/* Below these a share of the window says nothing about the job. */
#define LEAST_WINDOW_NS  100000000 /* 100 ms: start-up alone takes longer */
#define LEAST_OPERATIONS 20
/* Time that nothing is known about may be ignored below this share, percent. */
#define LEAST_UNKNOWN 1.0

const char *wi_outcome_word(enum wi_outcome outcome)
{
    static const char *const WORDS[] = {"PASS", "SKIPPED", "INCONCLUSIVE", "FAIL"};
    return WORDS[outcome];
}

static void make_max(struct wi_gate *gate, const char *value)
{
    size_t len = strcspn(value, "=");
    snprintf(gate->what, sizeof(gate->what), "%.*s", (int)len, value);
    wi_percent_parse(value + len + 1, &gate->bound);
    gate->class_id = wi_class_find(gate->what);
    gate->subcause = gate->class_id < 0 ? wi_subcause_find(gate->what) : -1;
}

int wi_gates_make(struct wi_gates *gates, const struct wi_args *args)
{
    memset(gates, 0, sizeof(*gates));
    for (int i = 0; i < args->use_count; i++) {
        const struct wi_option_use *use = &args->uses[i];
        if (use->option != WI_OPT_MAX && use->option != WI_OPT_MAX_STALL &&
            use->option != WI_OPT_MIN_COMPUTE)
            continue;
        struct wi_gate *gate = &gates->gates[gates->count++];
        *gate = (struct wi_gate){.option = use->option,
                                 .class_id = -1,
                                 .subcause = -1,
                                 .value = -1,
                                 .rank = WI_UNKNOWN,
                                 .device = -1,
                                 .at_least = use->option == WI_OPT_MIN_COMPUTE};
        snprintf(gate->name, sizeof(gate->name), "%s %.60s", wi_option_name(use->option),
                 use->value);
        if (use->option == WI_OPT_MAX) {
            make_max(gate, use->value);
            continue;
        }
        snprintf(gate->what, sizeof(gate->what), "%s", gate->at_least ? "compute" : "all stalls");
        wi_percent_parse(use->value, &gate->bound);
    }
    return gates->count;
}

/* The time that the gate is about. */
static int64_t subject_ns(const struct wi_gate *gate, const struct wi_device_result *device)
{
    int64_t sum = 0;
    if (gate->at_least)
        return device->class_ns[WI_CLASS_COMPUTE];
    if (gate->subcause >= 0)
        return device->subcause_ns[gate->subcause];
    if (gate->class_id >= 0)
        return device->class_ns[gate->class_id];
    for (int i = 0; i < WI_CLASS_COUNT; i++)
        sum += wi_class_is_stall((enum wi_class)i) ? device->class_ns[i] : 0;
    return sum;
}

/* Keeps the outcome if it is worse than what other devices and reports gave. */
static void keep(struct wi_gate *gate, const struct wi_gate *candidate)
{
    int first = gate->value < 0 && !gate->reason;
    int farther =
        candidate->outcome == gate->outcome &&
        (gate->at_least ? candidate->value < gate->value : candidate->value > gate->value);
    if (first || candidate->outcome > gate->outcome || farther)
        *gate = *candidate;
}

/* What is not known could be what the gate is about: then it may decide neither way. */
static void judge_device(struct wi_gate *gate, const struct wi_report *report,
                         const struct wi_device_result *device)
{
    struct wi_gate seen = *gate;
    double window = (double)wi_window_ns(device);
    int about_unknown = gate->class_id == WI_CLASS_UNKNOWN ||
                        (gate->subcause >= 0 &&
                         wi_subcause_class((enum wi_subcause)gate->subcause) == WI_CLASS_UNKNOWN);
    seen.value = (double)subject_ns(gate, device) * 100 / window;
    seen.unknown = about_unknown ? 0 : (double)device->class_ns[WI_CLASS_UNKNOWN] * 100 / window;
    seen.rank = report->job->world == 1 ? WI_UNKNOWN : report->job->rank;
    seen.device = device->info.device;
    seen.reason = NULL;
    double doubt = seen.unknown < LEAST_UNKNOWN ? 0 : seen.unknown;
    if (gate->at_least) {
        seen.outcome = seen.value >= gate->bound           ? WI_PASS
                       : seen.value + doubt >= gate->bound ? WI_UNSURE
                                                           : WI_FAIL;
    } else {
        seen.outcome = seen.value > gate->bound           ? WI_FAIL
                       : seen.value + doubt > gate->bound ? WI_UNSURE
                                                          : WI_PASS;
    }
    if (seen.outcome == WI_UNSURE)
        seen.reason = "too much of the window is not known";
    keep(gate, &seen);
}

/* Why a device's shares mean nothing, NULL if they do mean something. */
static const char *no_basis(const struct wi_report *report, const struct wi_device_result *device)
{
    if (report->job->end == WI_JOB_RUNNING)
        return "the report is of a job that had not ended";
    if (wi_window_ns(device) < LEAST_WINDOW_NS)
        return "the window is shorter than 0.1 s";
    if (device->kernels + device->copies + device->memsets + device->graphs < LEAST_OPERATIONS)
        return "the device ran fewer than 20 operations";
    return NULL;
}

static void unsure(struct wi_gates *gates, const struct wi_report *report, int device,
                   const char *reason)
{
    for (int i = 0; i < gates->count; i++) {
        struct wi_gate seen = gates->gates[i];
        seen.outcome = WI_UNSURE;
        seen.value = -1;
        seen.reason = reason;
        seen.rank = report->job->world == 1 ? WI_UNKNOWN : report->job->rank;
        seen.device = device;
        keep(&gates->gates[i], &seen);
    }
}

void wi_gates_judge(struct wi_gates *gates, const struct wi_report *report)
{
    const struct wi_result *result = report->result;
    if (result->host_only || report->job->level == 'C' || report->job->level == 'D') {
        unsure(gates, report, -1, "device times were not recorded");
        return;
    }
    for (int i = 0; i < result->device_count; i++) {
        const struct wi_device_result *device = &result->devices[i];
        if (!device->used)
            continue;
        const char *reason = no_basis(report, device);
        if (reason)
            unsure(gates, report, device->info.device, reason);
        for (int k = 0; k < gates->count && !reason; k++)
            judge_device(&gates->gates[k], report, device);
    }
    if (wi_used_devices(report) == 0)
        unsure(gates, report, -1, "no device did anything");
}

void wi_gates_set(struct wi_gates *gates, enum wi_outcome outcome, const char *reason)
{
    for (int i = 0; i < gates->count; i++) {
        gates->gates[i].outcome = outcome;
        gates->gates[i].reason = reason;
        gates->gates[i].value = -1;
    }
}

enum wi_outcome wi_gates_outcome(const struct wi_gates *gates)
{
    enum wi_outcome worst = WI_PASS;
    for (int i = 0; i < gates->count; i++)
        if (gates->gates[i].outcome > worst)
            worst = gates->gates[i].outcome;
    return worst;
}

void wi_gate_sentence(const struct wi_gate *gate, char *text, int size)
{
    char value[32] = "not known", place[64] = "";
    if (gate->value >= 0)
        snprintf(value, sizeof(value), "%.1f %% of the time", gate->value);
    if (gate->value >= 0 && gate->rank != WI_UNKNOWN)
        snprintf(place, sizeof(place), " on GPU #%d of rank %lld", gate->device, gate->rank);
    else if (gate->value >= 0)
        snprintf(place, sizeof(place), " on GPU #%d", gate->device);
    snprintf(text, (size_t)size, "%s %s%s, allowed %s %g %%%s%s", gate->what, value, place,
             gate->at_least ? "at least" : "at most", gate->bound, gate->reason ? "; " : "",
             gate->reason ? gate->reason : "");
}
