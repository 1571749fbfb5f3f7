/* Hand-made results for the tests of the writers, see report_fixtures.h.
 * Threads: one. Figures are chosen so that a reader can check shares and sums in the head. */
#include "report_fixtures.h"

#include <string.h>

#include "analyze/advice.h"
#include "analyze/change.h"
#include "analyze/rules.h"

#define MS   1000000LL
#define SEC  1000000000LL
#define MOST (INT64_MAX / 2)

static uint32_t name(struct fixture *f, const char *text)
{
    return wi_names_str(f->names, text);
}

/* A used device with a window of `seconds`, nothing charged yet. */
static struct wi_device_result *device(struct fixture *f, int id, const char *model, int seconds)
{
    struct wi_device_result *d = &f->devices[f->result.device_count++];
    d->info.device = id;
    d->info.name = name(f, model);
    d->info.sms = 132;
    d->info.uuid[0] = 0xab;
    d->info.uuid[15] = (uint8_t)id;
    d->used = 1;
    d->window_start_ns = f->result.start_ns;
    d->window_end_ns = f->result.start_ns + seconds * SEC;
    if (f->result.end_ns < d->window_end_ns)
        f->result.end_ns = d->window_end_ns;
    d->timeline.start_ns = d->window_start_ns;
    d->timeline.end_ns = d->window_end_ns;
    d->timeline.span_ns = seconds * SEC;
    return d;
}

static void charge(struct wi_device_result *d, enum wi_subcause subcause, int64_t ns, int idle)
{
    d->subcause_ns[subcause] += ns;
    d->class_ns[wi_subcause_class(subcause)] += ns;
    if (subcause == WI_SUB_COMPUTE)
        d->timeline.kernel_ns += ns;
    if (idle) {
        d->timeline.idle_ns += ns;
        d->timeline.gaps += 10;
        d->timeline.longest_gap_ns = ns / 10;
        d->idle_ns += subcause == WI_SUB_UNTRACED || subcause == WI_SUB_BLIND_INTERVAL ? 0 : ns;
    }
}

static struct wi_finding *finding(struct fixture *f, const struct wi_device_result *d,
                                  enum wi_subcause subcause, enum wi_confidence confidence)
{
    struct wi_finding *found = &f->findings[f->result.finding_count++];
    found->subcause = subcause;
    found->device = d->info.device;
    found->ns = d->subcause_ns[subcause];
    found->share = (double)found->ns / (double)(d->window_end_ns - d->window_start_ns);
    found->confidence = confidence;
    found->exposed_by = -1;
    found->children = found->child_cpu_permille = WI_UNKNOWN;
    found->cores_idle_permille = found->cores_allowed = WI_UNKNOWN;
    found->cores_others_permille = WI_UNKNOWN;
    found->median_ns = found->p95_ns = found->longest_ns = WI_UNKNOWN;
    found->rule = "hand-made";
    return found;
}

static void times(struct wi_finding *found, uint64_t count, int64_t median, int64_t p95,
                  int64_t longest)
{
    found->count = found->place_count = count;
    found->median_ns = median;
    found->p95_ns = p95;
    found->longest_ns = longest;
}

static void verdict(struct fixture *f, const char *id, int index, enum wi_confidence confidence,
                    const char *reason)
{
    f->result.verdict = (struct wi_verdict){id, index, confidence, reason};
}

/* ops operations, all matched, shared out over the devices used. */
static void covered(struct fixture *f, uint64_t ops)
{
    uint64_t used = 0;
    for (int i = 0; i < f->result.device_count; i++)
        used += f->devices[i].used != 0;
    for (int i = 0; i < f->result.device_count; i++)
        if (f->devices[i].used)
            f->devices[i].kernels = ops / used - f->devices[i].copies;
    f->result.coverage.ops = f->result.coverage.ops_matched = ops;
    f->result.coverage.calls = ops + 20;
}

/* The range is the figure itself, the steps are not known: the callers say more. */
static struct wi_prediction *predict(struct fixture *f, enum wi_universe universe,
                                     int64_t before_ns, int64_t after_ns)
{
    struct wi_prediction *p = &f->predictions[f->result.prediction_count++];
    p->universe = (int)universe;
    p->before_ns = before_ns;
    p->after_ns = after_ns;
    p->speedup = p->low = p->high = (double)before_ns / (double)after_ns;
    p->step_before_ns = p->step_after_ns = WI_UNKNOWN;
    f->result.predictions = f->predictions;
    f->result.replay = (struct wi_replay){
        .error = 0.01149, .unexplained = 0.004, .calls = 20000, .covered_ns = before_ns};
    return p;
}

/* Of 200 steps of 306 ms: 96 ms each once the loader keeps up, and nothing without it. */
static void predict_loader(struct fixture *f)
{
    struct wi_prediction *ready = predict(f, WI_UNIVERSE_INPUT_READY, 61200 * MS, 19200 * MS);
    ready->speedup = 3.1875;
    ready->low = 2.875;
    ready->high = 3.375;
    ready->step_before_ns = 306 * MS;
    ready->step_after_ns = 96 * MS;
    struct wi_prediction *pinned = predict(f, WI_UNIVERSE_PINNED_ASYNC, 61200 * MS, 61200 * MS);
    pinned->step_before_ns = pinned->step_after_ns = 306 * MS;
    struct wi_prediction *gpu = predict(f, WI_UNIVERSE_GPU_2X, 61200 * MS, 61200 * MS);
    gpu->step_before_ns = gpu->step_after_ns = 306 * MS;
    f->findings[0].predicted = *ready;
    f->findings[1].predicted = *pinned;
}

static void make_loader(struct fixture *f)
{
    struct wi_device_result *d = device(f, 0, "NVIDIA H200", 312);
    charge(d, WI_SUB_COMPUTE, 88 * SEC, 0);
    charge(d, WI_SUB_TOO_FEW_WORKERS, 219 * SEC, 1);
    charge(d, WI_SUB_PAGEABLE_COPY, 4400 * MS, 0);
    charge(d, WI_SUB_LAUNCH_BOUND, 400 * MS, 1);
    charge(d, WI_SUB_FIRST_TOUCH, 200 * MS, 1);
    d->timeline.copy_ns = d->timeline.exposed_ns = 4400 * MS;
    d->copies = 4040;
    /* 10 of 1020 steps took 12 s longer in all: 306 ms a step in the mean. */
    d->steps = (struct wi_steps){.count = 1020,
                                 .start_ns = d->window_start_ns,
                                 .last_ns = d->window_start_ns + 1019 * 306 * MS,
                                 .median_ns = 294 * MS,
                                 .p95_ns = 331 * MS,
                                 .outliers = 10,
                                 .outlier_every = 100,
                                 .outlier_extra_ns = 12 * SEC};
    struct wi_finding *first = finding(f, d, WI_SUB_TOO_FEW_WORKERS, WI_CONF_HIGH);
    times(first, 1020, 214 * MS, 231 * MS, 1200 * MS);
    first->site_after = name(f, "train.py:59");
    first->site_before = name(f, "train.py:71");
    first->seen_in = name(f, "torch/utils/data/dataloader.py:_try_get_data");
    first->waits_at = name(f, "train.py:58 in main");
    first->seen_ns = 208050 * MS;
    first->api_after = name(f, "cudaMemcpyAsync");
    first->api_before = name(f, "cudaStreamSynchronize");
    first->children = 2;
    first->child_cpu_permille = 980;
    first->cores_idle_permille = 12300;
    first->cores_allowed = 16;
    first->seen = "{children} workers, each {child_cpu} busy; {cores_idle} of the {cores_allowed} "
                  "cores this job may use are idle";
    first->fix = "more workers: raise num_workers of the DataLoader that {site_after} loops over";
    struct wi_finding *second = finding(f, d, WI_SUB_PAGEABLE_COPY, WI_CONF_MEDIUM);
    times(second, 4040, 1 * MS, 2 * MS, 9 * MS);
    second->bytes = 19686000000ULL;
    second->copies = 1020;
    second->fix = "pin_memory=True ({mean_bytes} a copy at {gbps}, {bytes} in {copies} copies)";
    verdict(f, "data-loading/too-few-workers", 0, WI_CONF_HIGH, NULL);
    f->copies[0] = (struct wi_copy_row){WI_COPY_H2D,    WI_MEM_PAGEABLE, 0,         1020,
                                        19686000000ULL, 4300 * MS,       4200 * MS, 5100 * MS};
    f->copies[1] = (struct wi_copy_row){WI_COPY_D2H, WI_MEM_PINNED, 0,       3020,
                                        12080,       100 * MS,      90 * MS, WI_UNKNOWN};
    f->result.copy_count = 2;
    f->gaps[0] = (struct wi_gap_row){0, f->result.start_ns + SEC, f->result.start_ns + 2 * SEC,
                                     WI_SUB_TOO_FEW_WORKERS};
    f->result.gap_count = 1;
    f->job.rank = 0;
    f->job.world = 1;
    predict_loader(f);
    covered(f, 359040);
    f->result.coverage.samples = 3100;
    wi_host_sample_clear(&f->result.host);
    f->result.host.at_ns = f->result.end_ns;
    f->result.host.interval_ns = 100 * MS;
    f->result.host.children = 2;
    f->result.host.child_cpu_permille = 980;
    f->result.host.child_disk_permille = 0;
    f->result.host.cores_allowed = 16;
    f->result.host.cores_idle_permille = 12300;
    f->result.host.gpu_util_permille = 310;
    f->result.host.throttled_ns = 0;
    f->result.host.busiest_permille = 30;
    f->result.host.issuer_run_permille = 250;
    f->result.host.issuer_runnable_permille = 3;
    f->result.host.cores_machine = 64;
    f->result.host.gpu_memory_free_bytes = 60000000000;
}

static void make_pageable(struct fixture *f)
{
    struct wi_device_result *d = device(f, 0, "NVIDIA H200", 10);
    charge(d, WI_SUB_COMPUTE, 4 * SEC, 0);
    charge(d, WI_SUB_PAGEABLE_COPY, 5 * SEC, 0);
    charge(d, WI_SUB_CPU_COMPUTE, 1 * SEC, 1);
    d->timeline.copy_ns = d->timeline.exposed_ns = 5 * SEC;
    d->steps = (struct wi_steps){.count = 99,
                                 .marked = 1,
                                 .start_ns = d->window_start_ns,
                                 .last_ns = d->window_start_ns + 98 * 101 * MS,
                                 .median_ns = 100 * MS,
                                 .p95_ns = WI_UNKNOWN,
                                 .outliers = 1,
                                 .outlier_extra_ns = 900 * MS};
    struct wi_finding *first = finding(f, d, WI_SUB_PAGEABLE_COPY, WI_CONF_HIGH);
    times(first, 100, 50 * MS, 51 * MS, 60 * MS);
    first->bytes = 25000000000ULL;
    first->copies = 100;
    first->fix = "page-lock the buffers that {site} copies";
    first->api_after = name(f, "cudaMemcpy");
    struct wi_finding *second = finding(f, d, WI_SUB_CPU_COMPUTE, WI_CONF_MEDIUM);
    times(second, 100, 10 * MS, 10 * MS, 11 * MS);
    second->exposed_by = WI_SUB_READ_BACK_SYNC;
    second->exposed_api = name(f, "cudaMemcpy");
    second->exposed_site = name(f, "solve.c:120");
    second->fix = "prepare the next step while the device works";
    verdict(f, "transfer/pageable-copy", 0, WI_CONF_HIGH, NULL);
    /* Too far from the run to predict anything. */
    predict(f, WI_UNIVERSE_GPU_2X, 2 * SEC, 2 * SEC)->withheld = "the replay misses the run by 7 %";
    f->result.replay.error = 0.07;
    f->result.replay.withheld = first->predicted.withheld = f->predictions[0].withheld;
    f->job.virtual_gpu = 1;
    covered(f, 300);
}

static void make_underfilled(struct fixture *f)
{
    struct wi_device_result *d = device(f, 0, "NVIDIA H200", 20);
    charge(d, WI_SUB_COMPUTE, 8 * SEC, 0);
    charge(d, WI_SUB_UNDER_FILLED, 11 * SEC, 0);
    charge(d, WI_SUB_LAUNCH_BOUND, 1 * SEC, 1);
    d->timeline.kernel_ns = 19 * SEC;
    struct wi_finding *first = finding(f, d, WI_SUB_UNDER_FILLED, WI_CONF_HIGH);
    times(first, 110000, 100000, 110000, 200000);
    first->kernel = name(f, "void rnn_step<float, 4>(float const*, float*, int)");
    first->fix = "more work a launch: a larger batch for {kernel}";
    /* 5 s of it: 2.75 in kernels that are too small, 2 in others. Half of 2 is 1: 5 -> 4 s. */
    struct wi_prediction *gpu = predict(f, WI_UNIVERSE_GPU_2X, 5 * SEC, 4 * SEC);
    gpu->high = 1.375;
    struct wi_prediction *filled = predict(f, WI_UNIVERSE_FILLED_GRIDS, 5 * SEC, 4 * SEC);
    filled->low = 1;
    filled->high = 2.125;
    first->predicted = *filled;
    verdict(f, "small-batch/under-filled", 0, WI_CONF_HIGH, NULL);
    f->kernels[0] = (struct wi_kernel_row){first->kernel, 0,         110000,     11 * SEC,
                                           11 * SEC,      {4, 1, 1}, {128, 1, 1}};
    f->kernels[1] =
        (struct wi_kernel_row){name(f, "gemm"), 0, 1000, 8 * SEC, 0, {0, 0, 0}, {0, 0, 0}};
    f->result.kernel_count = 2;
    covered(f, 111000);
}

static void make_healthy(struct fixture *f)
{
    struct wi_device_result *d = device(f, 0, "NVIDIA H200", 60);
    charge(d, WI_SUB_COMPUTE, 57 * SEC, 0);
    charge(d, WI_SUB_LAUNCH_BOUND, 2 * SEC, 1);
    charge(d, WI_SUB_MODULE_LOAD, 1 * SEC, 1);
    struct wi_finding *first = finding(f, d, WI_SUB_LAUNCH_BOUND, WI_CONF_MEDIUM);
    times(first, 900000, 2200, 4000, 9000);
    first->fix = "CUDA graphs";
    verdict(f, "compute", -1, WI_CONF_HIGH, NULL);
    /* The median step gains, and the long steps do not: then it does not stand for all. */
    struct wi_prediction *gpu = predict(f, WI_UNIVERSE_GPU_2X, 10 * SEC, 5500 * MS);
    gpu->speedup = gpu->low = 1.8125;
    gpu->high = 1.9375;
    gpu->step_before_ns = 100 * MS;
    gpu->step_after_ns = 50 * MS;
    covered(f, 900000);
}

static void make_none(struct fixture *f)
{
    struct wi_device_result *d = device(f, 0, "NVIDIA H200", 100);
    charge(d, WI_SUB_COMPUTE, 78 * SEC, 0);
    charge(d, WI_SUB_AUTOTUNE, 10 * SEC, 0); /* trial kernels: the device is busy, and no stall */
    charge(d, WI_SUB_LAUNCH_BOUND, 4 * SEC, 1);
    charge(d, WI_SUB_ALLOCATOR, 4 * SEC, 1);
    charge(d, WI_SUB_CPU_COMPUTE, 4 * SEC, 1);
    finding(f, d, WI_SUB_LAUNCH_BOUND, WI_CONF_MEDIUM);
    finding(f, d, WI_SUB_ALLOCATOR, WI_CONF_MEDIUM);
    verdict(f, "none", -1, WI_CONF_MEDIUM, NULL);
    covered(f, 1000);
}

static void make_host_only(struct fixture *f)
{
    f->result.host_only = 1;
    f->result.end_ns = f->result.start_ns + 10 * SEC;
    f->job.level = 'C';
    f->job.level_reason = "another profiler uses CUPTI";
    f->result.calls[WI_API_LAUNCH] = (struct wi_call_row){50000, 0, 400 * MS, 30 * MS};
    f->result.calls[WI_API_COPY] = (struct wi_call_row){100, 1, 2 * SEC, 25 * MS};
    f->result.calls[WI_API_SYNC] = (struct wi_call_row){100, 0, 6 * SEC, 70 * MS};
    f->result.coverage.calls = 50200;
    f->result.coverage.samples = 10;
    wi_host_sample_clear(&f->result.host);
    f->result.host.at_ns = f->result.end_ns;
    f->result.host.interval_ns = 100 * MS;
    f->result.host.gpu_util_permille = 870;
    verdict(f, "inconclusive", -1, WI_CONF_INCONCLUSIVE, "device times were not recorded");
}

static void make_nothing(struct fixture *f)
{
    f->result.end_ns = f->result.start_ns;
    verdict(f, "inconclusive", -1, WI_CONF_INCONCLUSIVE, "no device operation was seen");
}

/* Buckets of 10 s and a collective of which every second run was kept. */
static void add_series(struct fixture *f, struct wi_device_result *d)
{
    f->series = (struct wi_series){.start_ns = d->window_start_ns, .width_ns = 10 * SEC, .used = 4};
    for (int i = 0; i < 4; i++) {
        f->series.ns[i][WI_SERIES_COMPUTE] = 9 * SEC;
        f->series.ns[i][WI_SERIES_IDLE] = 1 * SEC;
    }
    d->series = &f->series;
    f->collective = (struct wi_collective_row){.name = name(f, "ncclDevKernel_AllReduce"),
                                               .device = d->info.device,
                                               .stream = UINT64_MAX,
                                               .count = 4,
                                               .total_ns = 400 * MS,
                                               .step = 2,
                                               .kept = 2,
                                               .duration_ns = {90 * MS, 110 * MS}};
    f->result.collectives = &f->collective;
    f->result.collective_count = 1;
}

/* Level D: not even calls were seen. */
static void make_outside(struct fixture *f)
{
    f->result.host_only = 1;
    f->result.start_ns = f->result.end_ns = WI_UNKNOWN;
    f->job.level = 'D';
    f->job.level_reason = "the CUDA runtime is linked in and CUPTI was not found";
    verdict(f, "inconclusive", -1, WI_CONF_INCONCLUSIVE, NULL);
}

/* Killed before the first device record was delivered. */
static void make_undelivered(struct fixture *f)
{
    make_nothing(f);
    f->result.coverage.calls = 1057;
    f->result.coverage.calls_owing = 1054;
    f->result.calls[WI_API_LAUNCH] = (struct wi_call_row){1054, 0, 12 * MS, 1 * MS};
    f->result.end_ns += 2 * SEC;
    f->job.end = WI_JOB_SIGNALED;
    f->job.status = 15;
}

static void make_two_devices(struct fixture *f)
{
    struct wi_device_result *a = device(f, 0, "NVIDIA H200", 40);
    struct wi_device_result *b = device(f, 1, "NVIDIA H200", 40);
    add_series(f, a);
    charge(a, WI_SUB_COMPUTE, 36 * SEC, 0);
    charge(a, WI_SUB_LAUNCH_BOUND, 4 * SEC, 1);
    charge(b, WI_SUB_COMPUTE, 20 * SEC, 0);
    charge(b, WI_SUB_LAUNCH_BOUND, 20 * SEC, 1);
    struct wi_finding *first = finding(f, b, WI_SUB_LAUNCH_BOUND, WI_CONF_HIGH);
    times(first, 4000000, 5000, 8000, 90000);
    first->fix = "CUDA graphs: {count} gaps of {median}";
    struct wi_finding *second = finding(f, a, WI_SUB_LAUNCH_BOUND, WI_CONF_MEDIUM);
    times(second, 800000, 5000, 8000, 90000);
    second->fix = "CUDA graphs";
    f->result.device_count = 4;
    f->devices[2].info.device = 2;
    f->devices[3].info.device = 3;
    verdict(f, "small-batch/launch-bound", 0, WI_CONF_HIGH, NULL);
    covered(f, 5000000);
}

static void make_untraced(struct fixture *f)
{
    struct wi_device_result *d = device(f, 0, "NVIDIA A100", 2);
    charge(d, WI_SUB_COMPUTE, 600 * MS, 0);
    charge(d, WI_SUB_UNTRACED, 1000 * MS, 1);
    charge(d, WI_SUB_CPU_COMPUTE, 400 * MS, 1);
    struct wi_finding *first = finding(f, d, WI_SUB_CPU_COMPUTE, WI_CONF_LOW);
    times(first, 20, 20 * MS, 22 * MS, 25 * MS);
    f->job.level = 'I';
    f->job.end = WI_JOB_IMPORTED;
    f->job.source = "torchrec.json.gz";
    f->job.status = WI_UNKNOWN_STATUS;
    verdict(f, "host/cpu-compute", 0, WI_CONF_LOW, "half of the window was not recorded");
    covered(f, 900);
    f->result.coverage.ops_matched = 850;
    f->result.coverage.lost[WI_LOSS_IMPORT] = 3;
    f->result.coverage.lost[WI_LOSS_LATE] = 2;
    f->result.coverage.lost[WI_LOSS_BLIND] = 1;
    f->result.coverage.blind_ns = 30 * MS;
    f->result.coverage.calls_owing = 7;
    f->result.coverage.negative_latency = 4;
    f->result.coverage.unknown_fill = 10; /* of 900 kernels: more than 1 % */
}

/* Names as a hostile or merely odd job can make them. */
static void make_hostile(struct fixture *f)
{
    char kernel[900];
    memset(kernel, 'x', sizeof(kernel) - 1);
    kernel[sizeof(kernel) - 1] = 0;
    memcpy(kernel, "a\033[2J\007\x9b\xff\xfe{count}\xe2\x80", 17);
    struct wi_device_result *d = device(f, 0, "GPU\033]0;owned\007", 4);
    charge(d, WI_SUB_COMPUTE, 1 * SEC, 0);
    charge(d, WI_SUB_UNDER_FILLED, 3 * SEC, 0);
    d->timeline.kernel_ns = 4 * SEC;
    struct wi_finding *first = finding(f, d, WI_SUB_UNDER_FILLED, WI_CONF_HIGH);
    times(first, 30, 100 * MS, 100 * MS, 100 * MS);
    first->kernel = name(f, kernel);
    first->fix = "larger grids for {kernel}; {no_such_name} and {{literal}";
    struct wi_finding *second = finding(f, d, WI_SUB_COMPUTE, WI_CONF_HIGH);
    second->site_after = name(f, kernel);
    second->subcause = WI_SUB_CPU_COMPUTE;
    second->fix = "a\nb\033[0m";
    verdict(f, "small-batch/under-filled", 0, WI_CONF_HIGH, NULL);
    f->kernels[0] = (struct wi_kernel_row){
        first->kernel, 0, 30, 3 * SEC, 3 * SEC, {4294967295U, 65535, 65535}, {1024, 1, 1}};
    f->result.kernel_count = 1;
    first->predicted.withheld = "because\033[31m\nof \"it\"";
    predict(f, WI_UNIVERSE_GPU_2X, SEC, SEC)->withheld = first->predicted.withheld;
    f->result.replay.withheld = first->predicted.withheld;
    f->job.program = "tr\033[31main\n.py";
    f->job.command = "python \"train\\\n.py\"";
    f->job.level_reason = "tab\there";
    covered(f, 40);
}

/* A rolling report of a job that was killed, with figures at the ends of their ranges. */
static void make_extreme(struct fixture *f)
{
    struct wi_device_result *d = device(f, 7, "", 1);
    d->window_start_ns = 0;
    d->window_end_ns = MOST;
    d->timeline.span_ns = MOST;
    d->timeline.end_ns = MOST;
    charge(d, WI_SUB_COMPUTE, 7, 0);
    charge(d, WI_SUB_UNDETERMINED, MOST - 7, 1);
    d->timeline.gaps = MOST;
    f->result.start_ns = 0;
    f->result.end_ns = MOST;
    f->job.end = WI_JOB_RUNNING;
    f->job.end_ns = MOST;
    f->job.program = NULL;
    f->job.host = NULL;
    f->job.pid = 0;
    f->job.final_flush_timed_out = 1;
    /* Several together; the run ends at once. */
    struct wi_prediction *all = predict(f, WI_UNIVERSE_GPU_2X, MOST, 1);
    all->universe = -1;
    all->speedup = all->low = all->high = 1e9;
    f->result.replay.unexplained = f->result.replay.error = 0;
    f->result.replay.covered_ns = WI_UNKNOWN;
    verdict(f, "inconclusive", -1, WI_CONF_INCONCLUSIVE, NULL);
    covered(f, MOST - 20);
}

/* Steps of 200 ms: 60 once the loader keeps up, which the gaps between launches then hide behind;
 * 180 with launches that cost nothing, and 60 with both. */
static void predict_crowded(struct fixture *f)
{
    struct wi_prediction *ready = predict(f, WI_UNIVERSE_INPUT_READY, 100 * SEC, 30 * SEC);
    ready->step_before_ns = 200 * MS;
    ready->step_after_ns = 60 * MS;
    struct wi_prediction *graph = predict(f, WI_UNIVERSE_GRAPH_REPLAY, 100 * SEC, 90 * SEC);
    graph->step_before_ns = 200 * MS;
    graph->step_after_ns = 180 * MS;
    f->findings[0].predicted = *ready;
    f->findings[0].predicted.own_ns = 62 * SEC; /* and 8 of another cause: 70 of 100 */
    f->findings[0].predicted.also_count = 1;
    f->findings[0].predicted.also[0] = (struct wi_also){WI_SUB_LAUNCH_BOUND, 8 * SEC};
    f->findings[1].predicted = *graph;
    f->result.together_count = 1;
    f->result.together[0] = (struct wi_together){2, {0, 1, 0}, *ready};
    f->result.together[0].predicted.universe = -1;
}

/* The engine's own texts in a job whose kernels show its framework: a case of its own for the first
 * finding (no core is idle), the framework's words for the second. */
static void make_crowded(struct fixture *f)
{
    struct wi_device_result *d = device(f, 0, "NVIDIA L4", 100);
    charge(d, WI_SUB_COMPUTE, 30 * SEC, 0);
    charge(d, WI_SUB_TOO_FEW_WORKERS, 60 * SEC, 1);
    charge(d, WI_SUB_LAUNCH_BOUND, 10 * SEC, 1);
    /* The first one begins after 10 s: they are 90 of the 100 s. */
    d->steps = (struct wi_steps){.count = 450,
                                 .start_ns = d->window_start_ns + 10 * SEC,
                                 .last_ns = d->window_start_ns + 10 * SEC + 449 * 200 * MS,
                                 .median_ns = 200 * MS,
                                 .p95_ns = 210 * MS};
    struct wi_finding *first = finding(f, d, WI_SUB_TOO_FEW_WORKERS, WI_CONF_HIGH);
    times(first, 500, 120 * MS, 130 * MS, 140 * MS);
    first->children = 4;
    first->child_cpu_permille = 950;
    first->cores_idle_permille = 100;
    first->cores_allowed = 16;
    struct wi_finding *second = finding(f, d, WI_SUB_LAUNCH_BOUND, WI_CONF_HIGH);
    times(second, 100000, 100000, 110000, 200000);
    second->api_after = name(f, "cudaLaunchKernel");
    for (int i = 0; i < 2; i++) {
        f->findings[i].seen = wi_advice_for(f->findings[i].subcause).seen;
        f->findings[i].fix = wi_advice_for(f->findings[i].subcause).fix;
    }
    verdict(f, "data-loading/too-few-workers", 0, WI_CONF_HIGH, NULL);
    f->kernels[0] =
        (struct wi_kernel_row){name(f, "_ZN2at6native29vectorized_elementwise_kernelILi4E"),
                               0,
                               100000,
                               30 * SEC,
                               0,
                               {4096, 1, 1},
                               {128, 1, 1}};
    f->result.kernel_count = 1;
    predict_crowded(f);
    covered(f, 100000);
    f->job.looks_apart = 4;
    f->job.looks_halvings = 3;
    f->job.looks_spared_ns = 12500 * MS;
}

/* Half of the time in sleeps of the launching thread, for which no rule has a cause. */
static void make_sleeper(struct fixture *f)
{
    struct wi_device_result *d = device(f, 0, "NVIDIA L4", 10);
    charge(d, WI_SUB_COMPUTE, 3500 * MS, 0);
    charge(d, WI_SUB_UNDETERMINED, 5500 * MS, 1);
    charge(d, WI_SUB_UNTRACED, 500 * MS, 1);
    charge(d, WI_SUB_DEVICE_DEPENDENCY, 500 * MS, 1);
    struct wi_finding *first = finding(f, d, WI_SUB_UNDETERMINED, WI_CONF_MEDIUM);
    times(first, 55, 100 * MS, 110 * MS, 120 * MS);
    first->rule = "OWN_SLEEP";
    first->api_before = name(f, "cudaStreamSynchronize");
    first->api_after = name(f, "cudaMemcpyAsync");
    times(finding(f, d, WI_SUB_UNTRACED, WI_CONF_MEDIUM), 5, 100 * MS, 110 * MS, 120 * MS);
    times(finding(f, d, WI_SUB_DEVICE_DEPENDENCY, WI_CONF_MEDIUM), 1, 500 * MS, 500 * MS, 500 * MS);
    for (int i = 0; i < f->result.finding_count; i++) {
        f->findings[i].seen = wi_advice_seen(&f->findings[i]);
        f->findings[i].fix = wi_advice_for(f->findings[i].subcause).fix;
    }
    verdict(f, "inconclusive", -1, WI_CONF_INCONCLUSIVE,
            "more than half of the time could not be explained");
    covered(f, 900);
}

/* The verdict's cause takes most, and the end of another one saves more than its own share. */
static void make_overtaken(struct fixture *f)
{
    struct wi_device_result *d = device(f, 0, "NVIDIA L4", 100);
    charge(d, WI_SUB_COMPUTE, 58 * SEC, 0);
    charge(d, WI_SUB_LAUNCH_BOUND, 30 * SEC, 1);
    charge(d, WI_SUB_READ_BACK_SYNC, 12 * SEC, 1);
    times(finding(f, d, WI_SUB_LAUNCH_BOUND, WI_CONF_HIGH), 100000, 300000, 310000, 400000);
    times(finding(f, d, WI_SUB_READ_BACK_SYNC, WI_CONF_HIGH), 500, 24 * MS, 25 * MS, 26 * MS);
    f->findings[0].api_after = name(f, "cudaLaunchKernel");
    f->findings[1].api_after = name(f, "cudaMemcpy");
    f->findings[0].place_count = 70000; /* the others lie elsewhere */
    f->findings[1].place_count = 0;     /* not known */
    for (int i = 0; i < 2; i++) {
        f->findings[i].seen = wi_advice_seen(&f->findings[i]);
        f->findings[i].fix = wi_advice_for(f->findings[i].subcause).fix;
    }
    struct wi_prediction *graph = predict(f, WI_UNIVERSE_GRAPH_REPLAY, 100 * SEC, 75 * SEC);
    struct wi_prediction *value = predict(f, WI_UNIVERSE_NO_READBACK_SYNC, 100 * SEC, 62 * SEC);
    f->findings[0].predicted = *graph;
    f->findings[1].predicted = *value;
    f->findings[1].predicted.own_ns = 12 * SEC;
    f->findings[1].predicted.also_count = 1;
    f->findings[1].predicted.also[0] = (struct wi_also){WI_SUB_LAUNCH_BOUND, 26 * SEC};
    f->result.together_count = 1;
    f->result.together[0] = (struct wi_together){2, {1, 0, 0}, *value};
    f->result.together[0].predicted.universe = -1;
    verdict(f, "small-batch/launch-bound", 0, WI_CONF_HIGH, NULL);
    covered(f, 200000);
}

/* 20 s of imports, 6 of 10 s with CUDA loading code, and 10 s in which results are written. */
static void make_short_run(struct fixture *f)
{
    struct wi_device_result *d = device(f, 0, "NVIDIA L4", 10);
    charge(d, WI_SUB_COMPUTE, 2 * SEC, 0);
    charge(d, WI_SUB_LAUNCH_BOUND, 2 * SEC, 1);
    charge(d, WI_SUB_MODULE_LOAD, 6 * SEC, 1);
    f->job.start_ns = d->window_start_ns - 20 * SEC;
    f->job.end_ns = d->window_end_ns + 10 * SEC;
    struct wi_finding *first = finding(f, d, WI_SUB_LAUNCH_BOUND, WI_CONF_HIGH);
    times(first, 100000, 20000, 21000, 40000);
    first->fix = "larger batches";
    verdict(f, "small-batch/launch-bound", 0, WI_CONF_HIGH, NULL);
    covered(f, 200000);
}

/* Kernels that fill the device nearly all of the time, and something to mend all the same;
 * and 15 s behind the last of them. */
static void make_nearly_full(struct fixture *f)
{
    struct wi_device_result *d = device(f, 0, "NVIDIA L4", 100);
    charge(d, WI_SUB_COMPUTE, 92 * SEC, 0);
    charge(d, WI_SUB_ALLOCATOR, 8 * SEC, 1);
    f->job.start_ns = d->window_start_ns;
    f->job.end_ns = d->window_end_ns + 15 * SEC;
    struct wi_finding *first = finding(f, d, WI_SUB_ALLOCATOR, WI_CONF_HIGH);
    times(first, 4000, 2 * MS, 3 * MS, 4 * MS);
    first->fix = "allocate once and reuse";
    struct wi_prediction *once = predict(f, WI_UNIVERSE_NO_ALLOCATOR, 100 * SEC, 92 * SEC);
    first->predicted = *once;
    verdict(f, "compute", -1, WI_CONF_HIGH, NULL);
    covered(f, 200000);
}

/* A server that is asked now and then, its storage read by the thread that launches. */
static void make_unasked(struct fixture *f)
{
    struct wi_device_result *d = device(f, 0, "NVIDIA L4", 100);
    charge(d, WI_SUB_COMPUTE, 10 * SEC, 0);
    charge(d, WI_SUB_NO_REQUESTS, 70 * SEC, 1);
    charge(d, WI_SUB_FIRST_TOUCH, 6 * SEC, 1);
    charge(d, WI_SUB_SLOW_STORAGE, 14 * SEC, 1);
    struct wi_finding *first = finding(f, d, WI_SUB_NO_REQUESTS, WI_CONF_HIGH);
    times(first, 500, 140 * MS, 150 * MS, 160 * MS);
    struct wi_finding *second = finding(f, d, WI_SUB_SLOW_STORAGE, WI_CONF_HIGH);
    times(second, 500, 28 * MS, 30 * MS, 36 * MS);
    second->rule = "OWN_READ";
    second->children = 0;
    second->api_after = name(f, "cudaMemcpyAsync");
    for (int i = 0; i < 2; i++) {
        f->findings[i].seen = wi_advice_seen(&f->findings[i]);
        f->findings[i].fix = wi_advice_for(f->findings[i].subcause).fix;
    }
    verdict(f, "no-work/no-requests", 0, WI_CONF_HIGH, NULL);
    covered(f, 200000);
}

/* The short run with less before it, recorded by another tool: what came first need not be a start.
 */
static void make_short_recording(struct fixture *f)
{
    make_short_run(f);
    f->job.level = 'I';
    f->job.end = WI_JOB_IMPORTED;
    f->job.source = "trace.json";
    f->job.status = WI_UNKNOWN_STATUS;
    f->job.start_ns = f->devices[0].window_start_ns - 5 * SEC;
    f->job.end_ns = f->devices[0].window_end_ns + 5 * MS;
}

static const struct {
    const char *name;
    void (*make)(struct fixture *);
} MAKERS[] = {
    {"loader", make_loader},           {"crowded", make_crowded},
    {"pageable", make_pageable},       {"underfilled", make_underfilled},
    {"healthy", make_healthy},         {"none", make_none},
    {"host_only", make_host_only},     {"nothing", make_nothing},
    {"outside", make_outside},         {"undelivered", make_undelivered},
    {"two_devices", make_two_devices}, {"untraced", make_untraced},
    {"hostile", make_hostile},         {"extreme", make_extreme},
    {"sleeper", make_sleeper},         {"overtaken", make_overtaken},
    {"short_run", make_short_run},     {"short_recording", make_short_recording},
    {"nearly_full", make_nearly_full}, {"unasked", make_unasked},
};
#define MAKER_COUNT (sizeof(MAKERS) / sizeof(MAKERS[0]))

const char *const *fixture_names(void)
{
    static const char *names[MAKER_COUNT + 1];
    for (size_t i = 0; i < MAKER_COUNT; i++)
        names[i] = MAKERS[i].name;
    return names;
}

static void defaults(struct fixture *f)
{
    f->names = wi_names_create(1 << 20);
    f->job = (struct wi_job){.program = "train.py",
                             .command = "python train.py",
                             .host = "node1",
                             .pid = 4711,
                             .rank = WI_UNKNOWN,
                             .world = WI_UNKNOWN,
                             .start_ns = 1700000001 * SEC - 100 * MS,
                             .end = WI_JOB_EXITED,
                             .level = 'A',
                             .helper_cpu_ns = 900 * MS,
                             .memory_bytes = 41000000,
                             .flush_ns = 12 * MS};
    f->result.start_ns = 1700000001 * SEC;
    f->result.end_ns = f->result.start_ns;
    f->result.watermark_ns = WI_UNKNOWN;
    f->result.devices = f->devices;
    f->result.findings = f->findings;
    f->result.kernels = f->kernels;
    f->result.copies = f->copies;
    f->result.gaps = f->gaps;
    f->result.verdict.finding = -1;
    f->result.threads = 2;
    f->result.engine_bytes = 1 << 20;
    f->report = (struct wi_report){&f->job, &f->result, f->names};
}

int fixture_make(struct fixture *f, const char *wanted)
{
    for (size_t i = 0; i < MAKER_COUNT; i++) {
        if (strcmp(MAKERS[i].name, wanted) != 0)
            continue;
        memset(f, 0, sizeof(*f));
        defaults(f);
        if (!f->names)
            return 0;
        MAKERS[i].make(f);
        if (!f->job
                 .end_ns) /* a tenth of a second behind the last work, where nothing else is said */
            f->job.end_ns = f->result.end_ns == WI_UNKNOWN ? f->job.start_ns + SEC
                                                           : f->result.end_ns + 100 * MS;
        f->report.names = f->names;
        return 1;
    }
    return 0;
}

void fixture_free(struct fixture *f)
{
    wi_names_free(f->names);
    f->names = NULL;
}
