/* Units, placeholders and word wrap of the text report. Expected values are worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/attr.h"
#include "analyze/advice.h"
#include "analyze/remedies.h"
#include "analyze/change.h"
#include "analyze/rules.h"
#include "report/because.h"
#include "report/expand.h"
#include "report/human.h"
#include "report/layout.h"
#include "report/predict_text.h"
#include "report/ruled_out.h"
#include "report/step_text.h"
#include "report_fixtures.h"

static struct wi_phrase phrase;

static struct wi_out *fresh(void)
{
    return wi_phrase_begin(&phrase);
}

static void shows(const char *expected)
{
    assert_string_equal(wi_phrase_end(&phrase), expected);
}

static void test_time(void **state)
{
    static const struct {
        int64_t ns;
        const char *text;
    } ROWS[] = {
        {0, "0 ns"},
        {999, "999 ns"},
        {1000, "1 us"},
        {4321, "4.32 us"},
        {43210, "43.2 us"},
        {432100, "432 us"},
        {999499, "999 us"},
        {999500, "1 ms"},
        {214000000, "214 ms"},
        {9994999999, "9.99 s"},
        {9995000000, "10 s"},
        {312000000000, "312 s"},
        {3138000000000, "52.3 min"},
        {51120000000000, "14.2 h"},
        {-1, "-"},
        {WI_UNKNOWN, "-"},
    };
    (void)state;
    for (size_t i = 0; i < WI_ARRAY_LEN(ROWS); i++) {
        wi_human_ns(fresh(), ROWS[i].ns);
        shows(ROWS[i].text);
    }
}

static void test_bytes_and_shares(void **state)
{
    (void)state;
    wi_human_bytes(fresh(), 512);
    shows("512 B");
    wi_human_bytes(fresh(), 19267584); /* 32 x 3 x 224 x 224 floats */
    shows("19.3 MB");
    wi_human_bytes(fresh(), WI_UNKNOWN);
    shows("-");
    wi_human_rate(fresh(), 6100000, 1000000); /* 6.1 MB in 1 ms */
    shows("6.1 GB/s");
    wi_human_rate(fresh(), 6100000, 0);
    shows("-");
    wi_human_share(fresh(), 1, 3, 1);
    shows("33.3 %");
    wi_human_share(fresh(), 1, 0, 1);
    shows("-");
    wi_human_share(fresh(), WI_UNKNOWN, 10, 1);
    shows("-");
}

static void test_per_step(void **state)
{
    struct wi_device_result d = {.used = 1,
                                 .window_end_ns = 312000000000,
                                 .steps = {.count = 1020, .last_ns = 1019 * 306000000LL}};
    struct wi_layout layout = {.width = 100};
    (void)state;
    assert_int_equal(wi_per_step_ns(&d, 219000000000), 214788462); /* 219 / 312 x 306 ms */
    assert_int_equal(wi_per_step_ns(&d, 312000000000), 306000000); /* all of it is the mean step */
    assert_int_equal(wi_put_of_every(fresh(), &d, 219000000000), 1);
    shows("215 of every 306 ms");
    assert_int_equal(wi_put_of_every(fresh(), &d, 510000), 0); /* 500 ns: below 0.1 % */
    /* Start-up is no part of a step: 219 / 292 x 306 ms, and what takes more than all the rest has
     * no figure per step. */
    d.class_ns[WI_CLASS_WARM_UP] = 20000000000;
    assert_int_equal(wi_per_step_ns(&d, 219000000000), 229500000);
    assert_int_equal(wi_put_of_every(fresh(), &d, 300000000000), 0);
    assert_int_equal(wi_put_a_step(fresh(), &d, 4040), 1);
    shows("4 a step"); /* 3.96 */
    assert_int_equal(wi_put_a_step(fresh(), &d, 1530), 1);
    shows("1.5 a step");
    assert_int_equal(wi_put_a_step(fresh(), &d, 969), 1);
    shows("1 a step"); /* 0.95 */
    assert_int_equal(wi_put_a_step(fresh(), &d, 102), 1);
    shows("0.1 a step");
    assert_int_equal(wi_put_a_step(fresh(), &d, 50), 0);
    d.steps = (struct wi_steps){.count = 300, .marked = 1, .median_ns = 9000, .p95_ns = 10000};
    d.steps.last_ns = 299 * 12000;
    d.steps.outliers = 12;
    d.steps.outlier_every = 23;
    d.steps.outlier_extra_ns = 12000000;
    layout.out = fresh();
    wi_text_steps(&layout, &d);
    wi_out_finish(&phrase.out);
    assert_string_equal(phrase.text,
                        "  steps       300 as the job marks them; median 9 us, p95 10 us, mean 12 "
                        "us; every 23rd step takes\n              1 ms longer, 12 times, 12 ms "
                        "in all\n");
    d.steps.outlier_every = 10; /* would make 30 of them */
    layout.out = fresh();
    wi_text_steps(&layout, &d);
    wi_out_finish(&phrase.out);
    assert_non_null(strstr(phrase.text, "; 12 take 1 ms"));
    d.steps.count = 0;
    assert_int_equal(wi_per_step_ns(&d, 5), WI_UNKNOWN);
    assert_int_equal(wi_put_of_every(fresh(), &d, 5), 0);
    wi_steps_json(fresh(), &d);
    shows("null");
}

static int told(const struct fixture *f, const char *id)
{
    static char text[4096], key[80];
    struct wi_out out;
    wi_out_mem(&out, text, sizeof(text));
    wi_ruled_out_json(&out, &f->report);
    assert_int_equal(wi_out_finish(&out), 0);
    wi_out_mem(&out, key, sizeof(key));
    wi_out_f(&out, "\"id\":\"%s\"", id);
    wi_out_finish(&out);
    return strstr(text, key) != NULL;
}

/* The evidence that each row rests on; without it the row must not be told. */
static void test_ruled_out(void **state)
{
    static struct fixture f;
    static const char *const BY_LOOKS[] = {"data-loading/slow-storage", "data-loading/cpu-quota",
                                           "data-loading/single-producer", "host/cpu-contention"};
    int64_t *const LOOKS[] = {&f.result.host.child_disk_permille, &f.result.host.throttled_ns,
                              &f.result.host.busiest_permille,
                              &f.result.host.issuer_runnable_permille};
    (void)state;
    for (int i = 0; i < wi_ruled_out_count(); i++)
        assert_true(wi_class_find(wi_ruled_out_id(i)) >= 0 ||
                    wi_subcause_find(wi_ruled_out_id(i)) >= 0);
    assert_true(fixture_make(&f, "loader"));
    for (size_t i = 0; i < WI_ARRAY_LEN(BY_LOOKS); i++) {
        int64_t kept = *LOOKS[i];
        assert_true(told(&f, BY_LOOKS[i]));
        *LOOKS[i] = WI_UNKNOWN;
        assert_false(told(&f, BY_LOOKS[i]));
        *LOOKS[i] = 700000000; /* far above any bound */
        assert_false(told(&f, BY_LOOKS[i]));
        *LOOKS[i] = kept;
    }
    assert_false(told(&f, "data-loading/cpu-affinity")); /* 16 of 64 cores */
    f.result.host.cores_machine = 16;
    assert_true(told(&f, "data-loading/cpu-affinity"));
    assert_true(told(&f, "transfer"));
    f.result.coverage.lost[WI_LOSS_DEVICE_RECORDS] = 3600; /* of 359040: more than 1 % */
    assert_false(told(&f, "transfer"));
    f.result.coverage.samples = 0;
    assert_false(told(&f, "data-loading/slow-storage"));
    f.result.coverage.samples = 3100;
    /* The account charges 2 % to it: looks that say otherwise do not matter. */
    f.devices[0].subcause_ns[WI_SUB_SLOW_STORAGE] = 6240000000;
    assert_false(told(&f, "data-loading/slow-storage"));
    f.result.verdict.finding = -1;
    assert_false(told(&f, "data-loading/cpu-quota"));
    fixture_free(&f);
}

static const char *because(const struct fixture *f)
{
    wi_put_because(fresh(), &f->report, &f->findings[0]);
    return wi_phrase_end(&phrase);
}

/* Workers that wait for cores which other programs have are busy, but use what is left: 0.56 of 2
 * cores in 306 ms = 0.17 CPU-s; 0.171 / 0.0911 = 1.9. */
static void test_because_of_others(void **state)
{
    static struct fixture f;
    struct wi_finding *first = &f.findings[0];
    (void)state;
    assert_true(fixture_make(&f, "loader"));
    first->cores_idle_permille = 0;
    first->cores_allowed = 2;
    first->cores_others_permille = 1440;
    assert_string_equal(
        because(&f), "other programs leave 0.56 of the 2\u00a0cores, in which the input of a step "
                     "costs 0.17\u00a0CPU-s (0.56 x 306 ms); the GPU could take one every "
                     "91.1 ms: with cores of their own 2 workers are enough");
    first->child_cpu_permille = 250; /* and one that rests more than it waits needs no more */
    first->cores_others_permille = 1800;
    assert_non_null(strstr(because(&f), ": with cores of their own 1 worker is enough"));
    first->child_cpu_permille = 980;
    first->children = 4;
    first->cores_others_permille = 1000; /* 1 x 306 / 91.1 = 3.4 */
    assert_non_null(strstr(because(&f), "own 4 workers are enough, but this job may use only 2"));
    first->children = 2;
    first->cores_others_permille = 30; /* 1.97 are left, and used */
    assert_non_null(strstr(because(&f), "(2\u00a0x\u00a098 % x 306 ms)"));
    first->cores_others_permille = 400; /* 1.6 are left, 1.96 wanted: less than a fifth waited */
    assert_non_null(strstr(because(&f), "(2\u00a0x\u00a098 % x 306 ms)"));
    fixture_free(&f);
}

/* 2 processes x 0.98 x 306 ms = 0.60 CPU-s; 306 - 219 / 311.8 x 306 = 91.1 ms; 0.60 / 0.0911 = 6.6
 */
static void test_because(void **state)
{
    static struct fixture f;
    struct wi_finding *first = &f.findings[0];
    (void)state;
    assert_true(fixture_make(&f, "loader"));
    assert_string_equal(because(&f),
                        "the input of a step costs 0.60\u00a0CPU-s (2\u00a0x\u00a098 % x "
                        "306 ms), the GPU could take one every 91.1 ms: 7 workers; "
                        "this job may use 16 cores, 12 of them are idle");
    first->cores_idle_permille = 400;
    assert_non_null(strstr(because(&f), ": 7 workers, but no core is idle: more workers will not"));
    first->cores_allowed = 4;
    assert_non_null(strstr(because(&f), ": 7 workers, but this job may use only 4 cores: a batch"));
    f.devices[0].steps.count = 0;
    assert_string_equal(because(&f),
                        "no core is idle: more workers would take time from those there are");
    first->cores_idle_permille = WI_UNKNOWN;
    assert_string_equal(because(&f), "");
    fixture_free(&f);
}

/* The engine's own text gives way to the framework's; one that was read from a file does not. */
static void test_dialect(void **state)
{
    static struct fixture f;
    struct wi_finding *first = &f.findings[0];
    (void)state;
    assert_true(fixture_make(&f, "loader"));
    const char *kept = first->fix, *general = wi_advice_for(WI_SUB_TOO_FEW_WORKERS).fix;
    assert_ptr_equal(wi_fix_of(&f.report, first), kept);
    first->fix = general;
    assert_ptr_equal(wi_fix_of(&f.report, first), general);
    f.result.kernel_count = 1;
    f.kernels[0].name = wi_names_str(f.names, "void at::native::vectorized_elementwise_kernel<4>");
    assert_int_equal(wi_report_dialect(&f.report), WI_DIALECT_PYTORCH);
    assert_non_null(strstr(wi_fix_of(&f.report, first), "DataLoader with num_workers"));
    f.kernels[0].name = wi_names_str(f.names, "_ZN4vllm15rms_norm_kernelIfEEvPT_");
    assert_int_equal(wi_report_dialect(&f.report), WI_DIALECT_VLLM);
    f.job.program = "tritonserver";
    assert_int_equal(wi_report_dialect(&f.report), WI_DIALECT_TRITON);
    f.job.dialect = WI_DIALECT_JAX; /* what the job says itself is surer */
    assert_non_null(strstr(wi_fix_of(&f.report, first), "grain.DataLoader"));
    first->cores_idle_permille = 0;
    first->cores_allowed = 2;
    first->cores_others_permille = 999;
    assert_non_null(strstr(wi_fix_of(&f.report, first), "more workers will not help"));
    first->cores_others_permille = 1000; /* half of them */
    assert_non_null(strstr(wi_fix_of(&f.report, first), "run it when other programs are done"));
    first->cores_idle_permille = 1000; /* one is there all the same */
    assert_null(strstr(wi_fix_of(&f.report, first), "other programs"));
    fixture_free(&f);
}

/* What other programs take is told, and no change of the job offered against it. */
static void test_others(void **state)
{
    struct wi_finding f = {.subcause = WI_SUB_CPU_CONTENTION,
                           .exposed_by = -1,
                           .count = 9,
                           .median_ns = 1000000,
                           .cores_allowed = 2,
                           .cores_others_permille = 999};
    (void)state;
    assert_non_null(strstr(wi_advice_fix(&f, WI_DIALECT_PYTORCH), "OMP_NUM_THREADS"));
    f.cores_others_permille = 1600;
    const char *fix = wi_advice_fix(&f, WI_DIALECT_PYTORCH);
    assert_null(strstr(fix, "OMP_NUM_THREADS"));
    wi_expand(fresh(), fix, &f, NULL);
    shows("nothing in the job: other programs take 1.6 of the 2 cores it may use; run it when they "
          "are "
          "done, or give it cores of its own");
    wi_expand(fresh(), wi_advice_for(f.subcause).seen, &f, NULL);
    shows("the launching thread was ready to run but got no core: 9 times, median 1 ms; programs "
          "other "
          "than this process and its children take 1.6 cores");
    f.cores_others_permille = WI_UNKNOWN;
    wi_expand(fresh(), wi_advice_for(f.subcause).seen, &f, NULL);
    shows("the launching thread was ready to run but got no core: 9 times, median 1 ms");
}

static struct wi_finding sample(struct wi_names *names)
{
    return (struct wi_finding){.subcause = WI_SUB_TOO_FEW_WORKERS,
                               .ns = 2000000000,
                               .share = 0.4,
                               .count = 10,
                               .median_ns = 200000000,
                               .p95_ns = WI_UNKNOWN,
                               .longest_ns = WI_UNKNOWN,
                               .exposed_by = -1,
                               .site_after = wi_names_str(names, "train.py:58 in main"),
                               .bytes = 4000000000,
                               .copies = 8,
                               .children = 2,
                               .child_cpu_permille = 976,
                               .cores_idle_permille = 12900,
                               .cores_allowed = 16};
}

static void test_placeholders(void **state)
{
    struct wi_names *names = wi_names_create(1 << 20);
    struct wi_finding f = sample(names);
    (void)state;
    assert_int_equal(wi_expand(fresh(),
                               "{count} x {median} p95 {p95} / {share} / {ns} / {site_after} / "
                               "{site_before} / {site} / {children} of {child_cpu} / {cores_idle}+"
                               "{cores_busy}={cores_allowed} / {bytes} / {mean_bytes} / {gbps} / "
                               "{per_second} / {exposed_cause} / {kernel} / {id}",
                               &f, names),
                     0);
    shows(
        "10 x 200 ms p95 - / 40.0 % / 2 s / train.py:58 / - / train.py:58 / 2 of 98 % / 12+4=16 / "
        "4 GB / 500 MB / 2 GB/s / 5 / - / - / data-loading/too-few-workers");
    f.copies = 0;
    f.children = f.cores_idle_permille = WI_UNKNOWN;
    wi_expand(fresh(), "{count} {bytes} {mean_bytes} {gbps} {children} {cores_idle} {cores_busy}",
              &f, names);
    shows("10 - - - - - -");
    f.api_before = wi_names_str(names, "cudaMemcpy");
    f.api_after = wi_names_str(names, "cudaFree");
    wi_expand(fresh(), "look {between}", &f, names);
    shows("look between cudaMemcpy and cudaFree");
    f.api_before = WI_NO_NAME;
    wi_expand(fresh(), "look {between}", &f, names);
    shows("look before cudaFree");
    f.api_before = f.api_after;
    f.api_after = WI_NO_NAME;
    wi_expand(fresh(), "look {between}", &f, names);
    shows("look after cudaFree");
    f.api_before = WI_NO_NAME;
    wi_expand(fresh(), "look {between}; or not", &f, names);
    shows("or not");
    f.count = f.copies = f.children = 1;
    wi_expand(fresh(),
              "{count} times, {copies} copies; {children} loader processes of {count} timesteps",
              &f, names);
    shows("1 time, 1 copy; 1 loader process of 1 timesteps");
    f.cores_allowed = 1;
    wi_expand(fresh(), "of the {cores_allowed} cores it may use", &f, names);
    shows("of the 1 core it may use");
    f.count = 11;
    wi_expand(fresh(), "{count} times", &f, names);
    shows("11 times");
    wi_names_free(names);
}

static void test_unknown_placeholder(void **state)
{
    struct wi_finding f = {.exposed_by = -1};
    (void)state;
    assert_int_equal(wi_expand(fresh(), "{coun} {{count} {", &f, NULL), 2);
    shows("{coun} {count} {");
    assert_int_equal(wi_expand_check("{count} {median}"), 0);
    assert_int_equal(wi_expand_check("{count} {medium}"), 1);
    assert_int_equal(wi_expand_check(NULL), 0);
}

static void test_clauses(void **state)
{
    struct wi_finding f = {.exposed_by = -1,
                           .count = 3,
                           .children = WI_UNKNOWN,
                           .cores_idle_permille = WI_UNKNOWN,
                           .cores_allowed = WI_UNKNOWN};
    (void)state;
    wi_expand(fresh(), "{count} waits, {children} workers; {cores_idle} of {cores_allowed} idle",
              &f, NULL);
    shows("3 waits"); /* a part without a known figure is left out, as a whole clause is */
    wi_expand(fresh(),
              "{children} workers, {count} waits ({children} workers, {count}), all of them", &f,
              NULL);
    shows("- workers, 3 waits (- workers, 3), all of them");
    f.median_ns = WI_UNKNOWN;
    wi_expand(fresh(), "it waits {count} times, median {median}, before it goes on", &f, NULL);
    shows("it waits 3 times, before it goes on");
    wi_expand(fresh(), "{children} workers; no figure; {count}", &f, NULL);
    shows("no figure; 3");
    wi_expand(fresh(), "{children} workers", &f, NULL);
    shows("");
}

/* The texts of the engine's findings use only placeholders that exist. */
static void test_advice(void **state)
{
    static const char *const TEXTS[] = {
#define ADVICE(subcause, seen, fix) seen, fix,
#include "analyze/advice.def"
#undef ADVICE
#define DIALECT_FIX(subcause, dialect, fix) fix,
#include "analyze/advice_dialects.def"
#undef DIALECT_FIX
#define FIX_IF(subcause, condition, fix) fix,
#include "analyze/advice_cases.def"
#undef FIX_IF
#define SEEN_IF(subcause, rule, seen) seen,
#include "analyze/advice_seen.def"
#undef SEEN_IF
    };
    (void)state;
    for (size_t i = 0; i < WI_ARRAY_LEN(TEXTS); i++)
        assert_int_equal(wi_expand_check(TEXTS[i]), 0);
}

static void wrapped(const char *text, int width, int indent, const char *expected)
{
    struct wi_layout layout = {fresh(), width, 0};
    char kept[400];
    strncpy(kept, text, sizeof(kept) - 1);
    kept[sizeof(kept) - 1] = 0;
    wi_layout_wrap(&layout, kept, indent);
    wi_out_finish(&phrase.out);
    assert_string_equal(phrase.text, expected);
}

static void test_wrap(void **state)
{
    (void)state;
    wrapped("one two three", 40, 2, "one two three");
    wrapped("one two three", 8, 2, "one two\n  three");
    wrapped("abcdefghijkl", 5, 2, "abcde\n  fgh\n  ijk\n  l");
    wrapped("it is 12.5 % now", 10, 0, "it is\n12.5 % now");
    wrapped("so 9 ms, yes", 8, 0, "so 9 ms,\nyes");
    wrapped("äöü äöü", 7, 0, "äöü äöü"); /* characters, not bytes */
    wrapped("x a\xc2\xa0"
            "b",
            4, 0, "x\na b");
}

static void test_cut(void **state)
{
    (void)state;
    wi_layout_cut(fresh(), "short", 5);
    shows("short");
    wi_layout_cut(fresh(), "shorter", 5);
    shows("shor…");
    wi_layout_cut(fresh(), "\xff\xff\xff\033[m", 4);
    shows("???…");
}

/* Every text of a report must be written in full whatever the size of the writer's buffer. */
static void test_small_buffer(void **state)
{
    static struct fixture f;
    char small[64], text[512];
    struct wi_out out;
    (void)state;
    assert_true(fixture_make(&f, "loader"));
    wi_out_mem(&out, small, sizeof(small));
    wi_report_json(&out, &f.report);
    assert_int_not_equal(wi_out_finish(&out), 0);
    assert_int_equal(strlen(small), sizeof(small) - 1);
    wi_out_mem(&out, text, sizeof(text));
    wi_report_json(&out, &f.report);
    wi_out_finish(&out);
    assert_memory_equal(small, text, sizeof(small) - 1);
    fixture_free(&f);
}

static void test_times(void **state)
{
    static const struct {
        double times;
        const char *text;
    } ROWS[] = {
        {0.877, "0.88x"}, {1, "1.00x"},    {1.994, "1.99x"}, {1.996, "2.0x"},
        {3.24, "3.2x"},   {9.949, "9.9x"}, {9.96, "10x"},    {18.69, "19x"},
    };
    (void)state;
    for (size_t i = 0; i < WI_ARRAY_LEN(ROWS); i++) {
        wi_put_times(fresh(), ROWS[i].times);
        shows(ROWS[i].text);
    }
}

static void says(const struct wi_prediction *prediction, const char *expected)
{
    wi_put_prediction(fresh(), prediction);
    shows(expected);
}

#define B "\u00a0" /* keeps a figure in one line */

static const char *gives(const struct wi_finding *finding)
{
    struct wi_layout layout = {.out = fresh(), .width = 1000};
    wi_text_gives(&layout, finding);
    return wi_phrase_end(&phrase);
}

/* The words say what was changed: workers on idle cores, or input that is there; not "several times
 * as fast" beside a gain of nothing. */
static void test_what_a_fix_changes(void **state)
{
    struct wi_finding f = {.subcause = WI_SUB_TOO_FEW_WORKERS,
                           .children = 2,
                           .cores_idle_permille = 0,
                           .predicted = {.universe = WI_UNIVERSE_PRODUCER_RATE,
                                         .speedup = 1,
                                         .low = 0.99,
                                         .high = 2.8,
                                         .before_ns = 1000,
                                         .after_ns = 1000,
                                         .step_before_ns = WI_UNKNOWN,
                                         .step_after_ns = WI_UNKNOWN}};
    (void)state;
    assert_non_null(strstr(gives(&f), " in the stretches replayed, 2.8x, at most: by a "
                                      "batch so cheap that it always lies ready; nothing as long "
                                      "as a batch costs what it does, as no core was seen idle"));
    f.cores_idle_permille = 999; /* not a whole one */
    assert_non_null(strstr(gives(&f), "at most: by a batch so cheap"));
    f.cores_allowed = 2; /* half of which others have */
    f.cores_others_permille = 1000;
    assert_non_null(
        strstr(gives(&f), "cannot be told from a run in which other programs had them"));
    f.cores_others_permille = 999;
    assert_non_null(strstr(gives(&f), "at most: by a batch so cheap"));
    f.subcause = WI_SUB_DECODE_IN_MAIN_THREAD;
    f.predicted.universe = wi_remedy_of(f.subcause)->universe;
    assert_non_null(strstr(gives(&f), "nothing is promised of workers, as no core was seen idle"));
    f.cores_idle_permille = 1000;
    assert_non_null(strstr(gives(&f), "workers on the idle cores; at most, the next input"));
    f.subcause = WI_SUB_TOO_FEW_WORKERS;
    f.predicted.universe = WI_UNIVERSE_PRODUCER_RATE;
    f.cores_idle_permille = 1000;
    f.predicted.speedup = 1.5;
    assert_non_null(strstr(gives(&f), ": more workers on the idle cores; at most, the next"));
    f.cores_idle_permille = WI_UNKNOWN;
    assert_non_null(strstr(gives(&f), ": the next input lies ready when it is asked for"));
    f.subcause = WI_SUB_SLOW_STORAGE;
    assert_non_null(strstr(gives(&f), ": storage delivers twice as fast; at most, the next"));
    f.predicted.universe = WI_UNIVERSE_INPUT_READY; /* asked for by hand: its own words */
    assert_null(strstr(gives(&f), "storage"));
}

/* What is not known is told with the job's own range that it lies in; of several devices, that
 * waits between them leave a trace only where an event tells them. */
static void test_not_known(void **state)
{
    static struct fixture f;
    static char text[16000];
    struct wi_text_options options = {.width = 100};
    struct wi_out out;
    (void)state;
    assert_true(fixture_make(&f, "two_devices"));
    f.devices[1].subcause_ns[WI_SUB_DEVICE_DEPENDENCY] = 2000000000;
    f.findings[f.result.finding_count++] =
        (struct wi_finding){.subcause = WI_SUB_DEVICE_DEPENDENCY,
                            .device = 1,
                            .range = wi_names_str(f.names, "halo"),
                            .exposed_by = -1,
                            .fix = "look for events"};
    wi_out_mem(&out, text, sizeof(text));
    wi_report_text(&out, &f.report, &options);
    assert_int_equal(wi_out_finish(&out), 0);
    assert_non_null(strstr(text,
                           "(unknown/device-dependency), in NVTX range 'halo'; that one device "
                           "waits for another\n              is seen only where it was told by "
                           "an event; look for events"));
    fixture_free(&f);
}

/* The lines under NEXT work as they are printed, wherever the report lies. */
static void test_next(void **state)
{
    static struct fixture f;
    static char text[16000];
    struct wi_text_options options = {.width = 100, .hints = "/tmp/of me/it's.json"};
    struct wi_out out;
    (void)state;
    assert_true(fixture_make(&f, "healthy"));
    wi_out_mem(&out, text, sizeof(text));
    wi_report_text(&out, &f.report, &options);
    assert_int_equal(wi_out_finish(&out), 0);
    assert_non_null(strstr(text, "NEXT          whyidle report --format json "
                                 "'/tmp/of me/it'\\''s.json' \u00b7 whyidle check"));
    assert_non_null(strstr(text, " -- PROGRAM\n"));
    options.hints = "";
    wi_out_mem(&out, text, sizeof(text));
    wi_report_text(&out, &f.report, &options);
    assert_int_equal(wi_out_finish(&out), 0);
    assert_non_null(strstr(text, "whyidle report --format json \u00b7 whyidle check"));
    options.hints = NULL;
    wi_out_mem(&out, text, sizeof(text));
    wi_report_text(&out, &f.report, &options);
    assert_int_equal(wi_out_finish(&out), 0);
    assert_null(strstr(text, "NEXT"));
    fixture_free(&f);
}

static void test_prediction(void **state)
{
    struct wi_prediction p = {.speedup = 3.2,
                              .low = 2.9,
                              .high = 3.4,
                              .before_ns = 32000000000,
                              .after_ns = 10000000000,
                              .step_before_ns = 306000000,
                              .step_after_ns = 96000000};
    (void)state;
    says(&p, "306" B "->" B "96" B "ms/step, 3.2x (range" B "2.9x to" B "3.4x)");
    p.step_after_ns = 103000000; /* 2.97 times: the long steps gain more */
    says(&p, "32" B "->" B "10" B "s in the stretches replayed, 3.2x (range" B "2.9x to" B "3.4x)");
    p.step_before_ns = p.step_after_ns = WI_UNKNOWN;
    p.low = 3.16;
    p.high = 3.24; /* shown alike */
    says(&p, "32" B "->" B "10" B "s in the stretches replayed, 3.2x");
    p = (struct wi_prediction){.universe = 1,
                               .speedup = 1.001,
                               .low = 0.99,
                               .high = 1.011,
                               .before_ns = 500000,
                               .after_ns = 499000,
                               .step_before_ns = WI_UNKNOWN,
                               .step_after_ns = WI_UNKNOWN};
    says(&p, "500" B "->" B "499" B "us in the stretches replayed (1.00x)");
    p.high = 1.2; /* something may come of it after all */
    says(&p, "500" B "->" B "499" B "us in the stretches replayed, 1.00x (range" B "0.99x to" B
             "1.20x)");
    p.withheld = "it was not seen";
    says(&p, "not predicted: it was not seen");
}

static void test_replay(void **state)
{
    struct wi_result result = {.prediction_count = 0};
    (void)state;
    wi_put_replay(fresh(), &result);
    shows(""); /* nobody tried */
    result.replay = (struct wi_replay){.error = 0.0101, .calls = 1};
    wi_put_replay(fresh(), &result);
    shows("; replaying this run lands within 1.1 % of its real time");
    result.replay.unexplained = 0.031;
    wi_put_replay(fresh(), &result);
    shows(
        "; replaying this run lands within 1.1 % of its real time, 3.1 % of it in delays that are "
        "kept as they were");
    result.replay.withheld = "no step was kept";
    wi_put_replay(fresh(), &result);
    shows("; nothing is predicted: no step was kept");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_time),
        cmocka_unit_test(test_bytes_and_shares),
        cmocka_unit_test(test_placeholders),
        cmocka_unit_test(test_unknown_placeholder),
        cmocka_unit_test(test_clauses),
        cmocka_unit_test(test_advice),
        cmocka_unit_test(test_wrap),
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_small_buffer),
        cmocka_unit_test(test_per_step),
        cmocka_unit_test(test_ruled_out),
        cmocka_unit_test(test_because_of_others),
        cmocka_unit_test(test_because),
        cmocka_unit_test(test_dialect),
        cmocka_unit_test(test_others),
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_what_a_fix_changes),
        cmocka_unit_test(test_not_known),
        cmocka_unit_test(test_next),
        cmocka_unit_test(test_prediction),
        cmocka_unit_test(test_replay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
