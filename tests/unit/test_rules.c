/* The tables of causes, rules and advice hold together; every row of rules.def can be reached.
 * Threads: one. */
#include <string.h>

#include "engine_fixture.h"

#include "analyze/charge.h"
#include "analyze/rules.h"
#include "base/out.h"
#include "report/expand.h"

static void test_ids_belong_to_their_class(void **state)
{
    (void)state;
    for (int i = 0; i < WI_SUB_COUNT; i++) {
        const char *id = wi_subcause_id((enum wi_subcause)i);
        const char *word = wi_class_word(wi_subcause_class((enum wi_subcause)i));
        assert_int_equal(strncmp(id, word, strlen(word)), 0);
        assert_int_equal(id[strlen(word)], '/');
        assert_int_equal(wi_subcause_find(id), i);
        for (int k = 0; k < i; k++)
            assert_string_not_equal(id, wi_subcause_id((enum wi_subcause)k));
    }
    assert_int_equal(wi_subcause_find("transfer/no-such"), -1);
    assert_int_equal(wi_subcause_find("pageable-copy"), WI_SUB_PAGEABLE_COPY);
    assert_int_equal(wi_class_find("data-loading"), WI_CLASS_DATA_LOADING);
    assert_int_equal(wi_class_find("dataloading"), -1);
}

static size_t seen_rules;

static struct wi_evidence evidence(int portion)
{
    return (struct wi_evidence){.portion = portion,
                                .subcause = WI_UNDECIDED,
                                .mean_ns = 5 * MS,
                                .count = 10,
                                .children = -1,
                                .child_cpu = -1,
                                .child_disk = -1,
                                .child_starts = -1,
                                .child_exits = -1,
                                .cores_idle = -1,
                                .cores_allowed = -1,
                                .cores_machine = -1,
                                .cores_others = -1,
                                .recurs = -1,
                                .runnable = -1,
                                .threads_busy = -1,
                                .busiest = -1,
                                .issuer_run = -1,
                                .issuer_runnable = -1,
                                .throttled = -1,
                                .period_deviation = -1,
                                .blocked_launches = -1};
}

static void must_be(const char *rule, const struct wi_evidence *e)
{
    assert_string_equal(wi_rule_match(e)->id, rule);
    seen_rules++;
}

/* Evidence for the rules about waiting, written from the sentence of each row. */
static void match_waiting_rules(void)
{
    struct wi_evidence e = evidence(WI_PORTION_WAITING), none = e;
    e.span[WI_SPAN_WAIT_REQUEST] = 0.5;
    must_be("REQUESTS", &e);
    e = none;
    e.span[WI_SPAN_WAIT_LOCK] = 0.5;
    must_be("LOCK_HELD", &e);
    e = none;
    e.in_step = 1;
    e.span[WI_SPAN_WAIT_FUTEX] = 0.5;
    e.busiest = 0.8;
    must_be("LOCK_IN_STEP", &e);
    e = none;
    e.span[WI_SPAN_WAIT_FSYNC] = 0.5;
    must_be("WRITING", &e);
    e.after_large_copy = 1;
    must_be("SAVING", &e);
    e = none;
    e.frame[WI_FRAME_CHECKPOINT] = 0.5;
    must_be("FRAME_SAVING", &e);
    e = none;
    e.mean_ns = 100 * MS;
    e.child_starts = 1; /* workers that only start are a loader's beginning */
    assert_string_equal(wi_rule_match(&e)->id, "ASLEEP");
    e.child_exits = 1;
    must_be("REBUILT", &e);
    e = none;
    e.span[WI_SPAN_WAIT_FILE] = 0.5;
    must_be("OWN_READ", &e);
    e = none;
    e.span[WI_SPAN_WAIT_SLEEP] = 0.5;
    must_be("OWN_SLEEP", &e);
    e.before_copy = 1; /* whoever sleeps by its own wish does not wait for an input */
    e.children = 2;
    e.child_cpu = 0.3;
    assert_string_equal(wi_rule_match(&e)->id, "OWN_SLEEP");
    e.count = 8;
    e.period_deviation = 0.02;
    must_be("CLOCK", &e);
    e.child_cpu = 0.8; /* but while busy loader processes say what it sleeps for */
    assert_string_equal(wi_rule_match(&e)->id, "BUSY_WORKERS");
    e = none;
    e.span[WI_SPAN_LOADING] = 0.5;
    must_be("LOADS", &e);
    e = none;
    e.span[WI_SPAN_COMPILING] = 0.5;
    must_be("COMPILES", &e);
    must_be("ASLEEP", &none);
}

static void match_input_rules(void)
{
    struct wi_evidence e = evidence(WI_PORTION_INPUT_WAIT);
    must_be("ANNOTATED_WAIT", &e);
    e.children = 2;
    e.child_cpu = 0.3;
    must_be("ANNOTATED_HAND_OFF", &e);
    e.busiest = 0.8;
    must_be("ANNOTATED_PRODUCER", &e);
    e.child_disk = 0.5;
    must_be("ANNOTATED_DISK", &e);
    e.child_cpu = 0.8;
    must_be("ANNOTATED_BUSY_WORKERS", &e);
    e.mean_ns = 100 * MS;
    e.child_starts = e.child_exits = 1;
    must_be("ANNOTATED_REBUILT", &e);
    e = evidence(WI_PORTION_INPUT_INLINE);
    must_be("ANNOTATED_INLINE", &e);
    e.frame[WI_FRAME_TOKENISE] = 0.5;
    must_be("ANNOTATED_TOKENS", &e);
    e = evidence(WI_PORTION_WAITING);
    e.before_copy = 1;
    e.mean_ns = 50 * MS;
    must_be("INPUT", &e);
    e.busiest = 0.8;
    must_be("ONE_PRODUCER", &e);
    e.frame[WI_FRAME_TOKENISE] = 0.5;
    must_be("TOKENS", &e);
    e.children = 2;
    e.child_disk = 0.5;
    must_be("DISK", &e);
    e.child_cpu = 0.8;
    must_be("BUSY_WORKERS", &e);
    e.issuer_runnable = 0.5;
    e.cores_machine = 8;
    e.runnable = 15; /* fewer than two for each core are no crowd */
    assert_string_equal(wi_rule_match(&e)->id, "BUSY_WORKERS");
    e.runnable = 16;
    must_be("CROWDED_INPUT", &e);
    e.cores_allowed = e.cores_others = 8;
    assert_string_equal(wi_rule_match(&e)->id, "BUSY_WORKERS");
    e.cores_allowed = e.cores_others = -1;
    e.issuer_runnable = 0.4; /* who gets its core is not slowed by the crowd */
    assert_string_equal(wi_rule_match(&e)->id, "BUSY_WORKERS");
    e = evidence(WI_PORTION_WAITING);
    e.before_copy = 1;
    e.children = 2;
    e.child_cpu = 0.3;
    must_be("HAND_OFF", &e);
}

static void match_core_rules(void)
{
    struct wi_evidence e = evidence(WI_PORTION_RUNNABLE);
    must_be("NO_CORE", &e);
    e.children = 4;
    e.child_cpu = 0.5;
    e.cores_machine = 8;
    e.runnable = 16;
    must_be("CROWDED", &e);
    e.cores_allowed = 8;
    e.cores_others = 4;
    assert_string_equal(wi_rule_match(&e)->id, "NO_CORE");
    e.cores_others = 3.9;
    assert_string_equal(wi_rule_match(&e)->id, "CROWDED");
    e.cores_allowed = 4;
    e.runnable = 7;
    must_be("FEW_CORES", &e);
    e.throttled = 0.05;
    must_be("STOPPED", &e);
}

static void match_work_rules(void)
{
    struct wi_evidence e = evidence(WI_PORTION_RUNNING), none = e;
    must_be("COMPUTES", &e);
    e.before_input = 1;
    must_be("OWN_INPUT", &e);
    e.waiting = 0.21;
    assert_string_equal(wi_rule_match(&e)->id, "COMPUTES");
    e.waiting = 0;
    e.children = 2;
    assert_string_equal(wi_rule_match(&e)->id, "COMPUTES");
    e.frame[WI_FRAME_INPUT] = 0.5;
    must_be("TAKING_OVER", &e);
    e.frame[WI_FRAME_INPUT] = 0;
    e.children = -1;
    e.after_large_copy = 1;
    e.threads_busy = 4;
    must_be("OPTIMIZER_THREADS", &e);
    static const struct {
        int frame;
        const char *rule;
    } FRAMES[] = {{WI_FRAME_INPUT, "OWN_FRAMES"},
                  {WI_FRAME_TOKENISE, "OWN_TOKENS"},
                  {WI_FRAME_EVALUATION, "FRAME_EVALUATION"},
                  {WI_FRAME_LOGGING, "FRAME_LOGGING"},
                  {WI_FRAME_OPTIMIZER, "OPTIMIZER"},
                  {WI_FRAME_COLLECTOR, "COLLECTS"}};
    for (size_t i = 0; i < WI_ARRAY_LEN(FRAMES); i++) {
        e = none;
        e.frame[FRAMES[i].frame] = 0.5;
        must_be(FRAMES[i].rule, &e);
    }
    e = none;
    e.before_first_op = 1;
    must_be("START_UP", &e);
    e = none;
    e.span[WI_SPAN_WAIT_REQUEST] = 0.001;
    e.waiting = 0.05;
    must_be("SERVING", &e);
    e.waiting = 0.06;
    assert_string_not_equal(wi_rule_match(&e)->id, "SERVING");
    e = none;
    e.serving = 0.95;
    e.waiting = 0.05;
    assert_string_equal(wi_rule_match(&e)->id, "SERVING");
    e.serving = 0.94; /* at one look of twenty and more somebody slept for a request */
    assert_string_not_equal(wi_rule_match(&e)->id, "SERVING");
    e = evidence(WI_PORTION_UNSEEN);
    must_be("UNDECIDED", &e);
    e.mean_ns = MS;
    must_be("SHORT", &e);
    e.span[WI_SPAN_CPU_OP] = 0.5;
    must_be("OPERATORS", &e);
}

static void test_every_rule_can_match(void **state)
{
    (void)state;
    static const char *const ALL[] = {
#define RULE(id, portion, condition, sub, text) #id,
#include "analyze/rules.def"
#undef RULE
    };
    seen_rules = 0;
    match_waiting_rules();
    match_input_rules();
    match_core_rules();
    match_work_rules();
    assert_int_equal(seen_rules, WI_ARRAY_LEN(ALL)); /* each row exactly once */
}

/* The override that matches must be of this id, and replace this part of the time. */
static void overrides(const struct wi_evidence *e, const char *id, double part)
{
    double share = -1;
    const struct wi_rule *rule = wi_override_match(e, &share);
    if (!id)
        assert_null(rule);
    else
        assert_string_equal(rule->id, id);
    assert_true(share > part - 1e-9 && share < part + 1e-9);
}

static void test_every_override_can_match(void **state)
{
    (void)state;
    struct wi_evidence e = evidence(WI_PORTION_UNSEEN);
    e.subcause = WI_SUB_LAUNCH_BOUND;
    overrides(&e, NULL, 0);
    e.issuer_runnable = 0.49;
    overrides(&e, NULL, 0);
    e.issuer_runnable = 0.6; /* of 0.8 in which it wanted a core: the calls' own cost stays */
    e.issuer_run = 0.2;
    overrides(&e, "NO_CORE", 0.75);
    e.issuer_run = -1; /* not known: then there is nothing to set against it */
    overrides(&e, "NO_CORE", 1);
    e.issuer_run = 0.2;
    e.cores_machine = 64;
    e.runnable = 128;
    overrides(&e, "OVERSUBSCRIBED", 1); /* a crowd of one's own slows the calls themselves */
    e.cores_allowed = 64;
    e.cores_others = 31.9;
    overrides(&e, "OVERSUBSCRIBED", 1);
    e.cores_others = 32; /* the crowd is somebody else's */
    overrides(&e, "NO_CORE", 0.75);
    e.cores_others = 0;
    e.runnable = 40;
    e.cores_allowed = 32;
    overrides(&e, "AFFINITY", 0.75);
    e.throttled = 0.05;
    overrides(&e, "QUOTA", 0.75);
    e.blocked_launches = 0.9;
    overrides(&e, "BLOCKED_LAUNCHES", 1);
    e.subcause = WI_SUB_MODULE_LOAD;
    overrides(&e, "SLOW_LAUNCH_NO_CORE", 0.75);
    e.subcause = WI_SUB_UNDETERMINED; /* a wait that is over has no cost of its own */
    overrides(&e, "LATE_WAKE_NO_CORE", 1);
    e.subcause = WI_SUB_PAGEABLE_COPY;
    overrides(&e, NULL, 0);
}

/* What does not recur over the run is of its start, or happened once. */
static void test_once(void **state)
{
    static const struct {
        enum wi_subcause decided;
        const char *id;
    } ROWS[] = {{WI_SUB_ALLOCATOR, "ALLOCATED_ONCE"}, {WI_SUB_PIN_PER_COPY, "PINNED_ONCE"}};
    (void)state;
    for (size_t i = 0; i < WI_ARRAY_LEN(ROWS); i++) {
        struct wi_evidence e = evidence(WI_PORTION_UNSEEN);
        e.subcause = ROWS[i].decided;
        e.recurs = -1;
        overrides(&e, NULL, 0);
        e.recurs = 1;
        overrides(&e, NULL, 0);
        e.recurs = 0.25;
        overrides(&e, ROWS[i].id, 0.75);
        e.recurs = 0;
        overrides(&e, ROWS[i].id, 1);
    }
}

static void test_frames(void **state)
{
    (void)state;
    assert_int_equal(wi_frame_kind_of("lib/torch/utils/data/dataloader.py:_next_data"),
                     WI_FRAME_INPUT);
    assert_int_equal(wi_frame_kind_of("transformers/tokenization_utils.py:encode"),
                     WI_FRAME_TOKENISE);
    assert_int_equal(wi_frame_kind_of("tokenizers.Tokenizer.encode_batch"), WI_FRAME_TOKENISE);
    assert_int_equal(wi_frame_kind_of("gc_collect_main"), WI_FRAME_COLLECTOR);
    assert_int_equal(wi_frame_kind_of("train.py:main"), -1);
}

/* Just below a threshold the row before must not match. */
static void test_thresholds(void **state)
{
    (void)state;
    struct wi_evidence e = evidence(WI_PORTION_WAITING);
    e.before_copy = 1;
    e.mean_ns = 50 * MS;
    e.children = 2;
    e.child_cpu = 0.79;
    assert_string_equal(wi_rule_match(&e)->id, "INPUT");
    e.child_disk = 0.49;
    assert_string_equal(wi_rule_match(&e)->id, "INPUT");
    e.after_read_back_of_it = 1;
    assert_string_equal(wi_rule_match(&e)->id, "ASLEEP");
    e = evidence(WI_PORTION_RUNNING);
    e.before_input = e.after_read_back_of_it = 1;
    assert_string_equal(wi_rule_match(&e)->id, "COMPUTES");
}

/* Every sub-cause that rules.def, copy_causes.def or a direct rule can give has advice. */
static void test_advice_is_complete(void **state)
{
    (void)state;
    static const enum wi_subcause GIVEN[] = {
#define RULE(id, portion, condition, sub, text) WI_SUB_##sub,
#include "analyze/rules.def"
#undef RULE
#define OVERRIDE(id, decided, condition, sub, text, share) WI_SUB_##sub,
#include "analyze/overrides.def"
#undef OVERRIDE
#define COPY_CAUSE(sub, condition, sentence) WI_SUB_##sub,
#include "analyze/copy_causes.def"
#undef COPY_CAUSE
        WI_SUB_LAUNCH_BOUND,  WI_SUB_UNDER_FILLED,   WI_SUB_EXPOSED_COLLECTIVE,
        WI_SUB_ALLOCATOR,     WI_SUB_PIN_PER_COPY,   WI_SUB_MODULE_LOAD,
        WI_SUB_EXPLICIT_SYNC, WI_SUB_BLIND_INTERVAL, WI_SUB_UNTRACED,
        WI_SUB_FIRST_TOUCH,   WI_SUB_BLOCKING_COPY,  WI_SUB_DEVICE_DEPENDENCY};
    for (size_t i = 0; i < WI_ARRAY_LEN(GIVEN); i++) {
        struct wi_advice advice = wi_advice_for(GIVEN[i]);
        if (!advice.seen || !advice.fix)
            fail_msg("no advice for %s", wi_subcause_id(GIVEN[i]));
        assert_true(strlen(advice.seen) > 20 && strlen(advice.fix) > 20);
    }
}

/* The {placeholders} in the advice are all known to the writers. */
static void test_placeholders_are_known(void **state)
{
    (void)state;
    struct wi_names *names = wi_names_create((size_t)1 << 20);
    struct wi_finding finding = {.exposed_by = -1};
    for (int i = 0; i < WI_SUB_COUNT; i++) {
        struct wi_advice advice = wi_advice_for((enum wi_subcause)i);
        const char *texts[2] = {advice.seen ? advice.seen : "", advice.fix ? advice.fix : ""};
        for (int k = 0; k < 2; k++) {
            char text[2000];
            struct wi_out out;
            wi_out_mem(&out, text, sizeof(text));
            assert_int_equal(wi_expand(&out, texts[k], &finding, names), 0);
            assert_int_equal(wi_out_finish(&out), 0);
        }
    }
    wi_names_free(names);
}

static void test_copy_causes(void **state)
{
    (void)state;
    struct wi_copy_facts f = {.bytes = 16 << 20, .run_copies = 1, .direction = WI_COPY_D2H};
    f.pageable = f.blocking = 1;
    assert_int_equal(wi_copy_cause(&f), WI_SUB_PAGEABLE_COPY);
    f.bytes = 1 << 20;
    assert_int_equal(wi_copy_cause(&f), WI_SUB_READ_BACK_SYNC);
    f.direction = WI_COPY_H2D;
    f.bytes = 4096;
    assert_int_equal(wi_copy_cause(&f), WI_SUB_BLOCKING_COPY);
    f.run_copies = 8;
    assert_int_equal(wi_copy_cause(&f), WI_SUB_MANY_TINY_COPIES);
    f.bytes = 65537;
    assert_int_equal(wi_copy_cause(&f), WI_SUB_PAGEABLE_COPY);
    f.pageable = f.blocking = 0;
    assert_int_equal(wi_copy_cause(&f), WI_SUB_TRANSFER_UNDETERMINED);
    f.managed = 1;
    assert_int_equal(wi_copy_cause(&f), WI_SUB_UNIFIED_MEMORY);
    f.managed = 0;
    f.bytes = 2 << 20;
    f.link_share = 0.7;
    assert_int_equal(wi_copy_cause(&f), WI_SUB_LINK_LIMITED);
    f.link_share = 0.69;
    assert_int_equal(wi_copy_cause(&f), WI_SUB_TRANSFER_UNDETERMINED);
}

/* 16 lanes of generation 4 carry 31.5 GB a second; 25.2 MB in 1 ms are 25.2 GB a second, 0.8 of it.
 */
static void test_share_of_the_link(void **state)
{
    (void)state;
    struct wi_host_sample sample;
    wi_host_sample_clear(&sample);
    assert_true(wi_copy_link_share(&sample, 25200000, MS) < 0);
    sample.link_generation = 4;
    sample.link_width = 16;
    double share = wi_copy_link_share(&sample, 25200000, MS);
    assert_true(share > 0.799 && share < 0.801);
    assert_true(wi_copy_link_share(NULL, 25200000, MS) < 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ids_belong_to_their_class),
        cmocka_unit_test(test_every_rule_can_match),
        cmocka_unit_test(test_every_override_can_match),
        cmocka_unit_test(test_once),
        cmocka_unit_test(test_frames),
        cmocka_unit_test(test_thresholds),
        cmocka_unit_test(test_advice_is_complete),
        cmocka_unit_test(test_placeholders_are_known),
        cmocka_unit_test(test_copy_causes),
        cmocka_unit_test(test_share_of_the_link),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
