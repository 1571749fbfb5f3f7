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

static struct wi_evidence evidence(int portion)
{
    return (struct wi_evidence){
        .portion = portion, .mean_ns = 5 * MS, .children = -1, .child_cpu = -1, .child_disk = -1};
}

struct expectation {
    const char *rule;
    struct wi_evidence evidence;
};

/* One evidence per rule, written from the sentence of its row. */
static void test_every_rule_can_match(void **state)
{
    (void)state;
    struct expectation rows[] = {
        {"ANNOTATED_BUSY_WORKERS", evidence(WI_PORTION_INPUT_WAIT)},
        {"ANNOTATED_DISK", evidence(WI_PORTION_INPUT_WAIT)},
        {"ANNOTATED_WAIT", evidence(WI_PORTION_INPUT_WAIT)},
        {"ANNOTATED_INLINE", evidence(WI_PORTION_INPUT_INLINE)},
        {"BUSY_WORKERS", evidence(WI_PORTION_WAITING)},
        {"DISK", evidence(WI_PORTION_WAITING)},
        {"INPUT", evidence(WI_PORTION_WAITING)},
        {"NO_CORE", evidence(WI_PORTION_RUNNABLE)},
        {"ASLEEP", evidence(WI_PORTION_WAITING)},
        {"START_UP", evidence(WI_PORTION_RUNNING)},
        {"OWN_INPUT", evidence(WI_PORTION_RUNNING)},
        {"OPTIMIZER", evidence(WI_PORTION_UNSEEN)},
        {"COMPUTES", evidence(WI_PORTION_RUNNING)},
        {"OPERATORS", evidence(WI_PORTION_UNSEEN)},
        {"SHORT", evidence(WI_PORTION_UNSEEN)},
        {"UNDECIDED", evidence(WI_PORTION_UNSEEN)},
    };
    rows[0].evidence.children = rows[4].evidence.children = 2;
    rows[0].evidence.child_cpu = rows[4].evidence.child_cpu = 0.8;
    rows[1].evidence.children = rows[5].evidence.children = 2;
    rows[1].evidence.child_disk = rows[5].evidence.child_disk = 0.5;
    rows[4].evidence.before_copy = rows[5].evidence.before_copy = rows[6].evidence.before_copy = 1;
    rows[9].evidence.before_first_op = 1;
    rows[10].evidence.before_input = 1;
    rows[11].evidence.span[WI_SPAN_OPTIMIZER] = 0.5;
    rows[13].evidence.span[WI_SPAN_CPU_OP] = 0.5;
    rows[14].evidence.mean_ns = MS - 1;
    for (size_t i = 0; i < WI_ARRAY_LEN(rows); i++)
        assert_string_equal(wi_rule_match(&rows[i].evidence)->id, rows[i].rule);
}

/* Just below a threshold the row before must not match. */
static void test_thresholds(void **state)
{
    (void)state;
    struct wi_evidence e = evidence(WI_PORTION_WAITING);
    e.before_copy = 1;
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
#define COPY_CAUSE(sub, condition, sentence) WI_SUB_##sub,
#include "analyze/copy_causes.def"
#undef COPY_CAUSE
        WI_SUB_LAUNCH_BOUND,  WI_SUB_UNDER_FILLED,   WI_SUB_EXPOSED_COLLECTIVE,
        WI_SUB_ALLOCATOR,     WI_SUB_PIN_PER_COPY,   WI_SUB_MODULE_LOAD,
        WI_SUB_EXPLICIT_SYNC, WI_SUB_BLIND_INTERVAL, WI_SUB_UNTRACED,
        WI_SUB_FIRST_TOUCH,   WI_SUB_BLOCKING_COPY,  WI_SUB_DEVICE_DEPENDENCY};
    for (size_t i = 0; i < WI_ARRAY_LEN(GIVEN); i++) {
        const struct wi_advice *advice = wi_advice_for(GIVEN[i]);
        if (!advice)
            fail_msg("no advice for %s", wi_subcause_id(GIVEN[i]));
        assert_true(strlen(advice->seen) > 20 && strlen(advice->fix) > 20);
    }
}

/* The {placeholders} in the advice are all known to the writers. */
static void test_placeholders_are_known(void **state)
{
    (void)state;
    struct wi_names *names = wi_names_create((size_t)1 << 20);
    struct wi_finding finding = {.exposed_by = -1};
    for (int i = 0; i < WI_SUB_COUNT; i++) {
        const struct wi_advice *advice = wi_advice_for((enum wi_subcause)i);
        const char *texts[2] = {advice ? advice->seen : "", advice ? advice->fix : ""};
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
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ids_belong_to_their_class),
        cmocka_unit_test(test_every_rule_can_match),
        cmocka_unit_test(test_thresholds),
        cmocka_unit_test(test_advice_is_complete),
        cmocka_unit_test(test_placeholders_are_known),
        cmocka_unit_test(test_copy_causes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
