/* The texts that describe a change (--what-if): every universe, every key, and where a text cannot
 * be read.
 * Threads: one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analyze/change_text.h"
#include "base/err.h"

#define MS 1000000

static struct wi_change read_text(const char *text)
{
    struct wi_change change;
    struct wi_change_problem problem;
    if (wi_change_parse(&change, text, &problem) != 0)
        fail_msg("\"%s\": %s", text, problem.text);
    return change;
}

static void cannot_read(const char *text, int at)
{
    struct wi_change change;
    struct wi_change_problem problem = {.at = -1};
    assert_int_equal(wi_change_parse(&change, text, &problem), WI_ERR_FORMAT);
    if (problem.at != at)
        fail_msg("\"%s\": unreadable at %d, not at %d", text, problem.at, at);
    assert_non_null(strstr(
        problem.text,
        problem.universe < 0 ? "gpu-2x" : wi_universe_word((enum wi_universe)problem.universe)));
}

static void is_told(const char *text, const char *expected)
{
    struct wi_change change;
    struct wi_change_problem problem = {.at = -1};
    assert_int_equal(wi_change_parse(&change, text, &problem), WI_ERR_FORMAT);
    assert_string_equal(problem.text, expected);
}

/* A word alone is the universe with the figures it has by itself. */
static void test_every_universe(void **state)
{
    (void)state;
    for (int i = 0; i < WI_UNIVERSE_COUNT; i++) {
        if (i == WI_UNIVERSE_BATCHED)
            continue; /* says nothing by itself: a factor of kernels has to be given */
        struct wi_change change = read_text(wi_universe_word((enum wi_universe)i)), alone;
        wi_change_none(&alone);
        assert_int_equal(alone.universes, 0);
        wi_change_add(&alone, (enum wi_universe)i);
        assert_int_equal(change.universes, 1u << i);
        assert_memory_equal(&change, &alone, sizeof(change));
        assert_true(strlen(wi_universe_sentence((enum wi_universe)i)) > 10);
    }
}

static void test_what_they_are_by_themselves(void **state)
{
    (void)state;
    assert_true(read_text("gpu-2x").kernel_scale == 0.5);
    assert_true(read_text("graph-replay").host[WI_SUB_LAUNCH_BOUND].scale == 0.1);
    assert_true(read_text("graph-replay").host[WI_SUB_ALLOCATOR].scale == 1);
    assert_true(read_text("no-allocator").host[WI_SUB_ALLOCATOR].scale == 0);
    assert_true(read_text("no-allocator").host[WI_SUB_PIN_PER_COPY].scale == 0);
    assert_true(read_text("input-ready").host[WI_SUB_TOO_FEW_WORKERS].scale == 0);
    assert_true(read_text("input-ready").host[WI_SUB_DECODE_IN_MAIN_THREAD].scale == 0);
    assert_true(read_text("input-ready").host[WI_SUB_CPU_COMPUTE].scale == 1);
    assert_true(read_text("host-other-free").host[WI_SUB_CPU_COMPUTE].scale == 0);
    assert_true(read_text("host-other-free").host[WI_SUB_ALLOCATOR].scale == 1);
    assert_true(read_text("pinned-async").async_copies);
    assert_true(read_text("coalesced-copies").coalesce);
    assert_true(read_text("balanced-ranks").least_collectives);
    assert_int_equal(read_text("balanced-ranks").least_collective_ns, 0);
}

static void test_every_key(void **state)
{
    (void)state;
    assert_int_equal(read_text("input-ready:stay=4").host[WI_SUB_TOO_FEW_WORKERS].stay_ns, 4 * MS);
    assert_true(read_text("producer-rate:x=3").host[WI_SUB_TOO_FEW_WORKERS].rate == 3);
    assert_true(read_text("gpu-2x:x=4").any_kernel_scale == 0.25);
    assert_true(read_text("filled-grids:x=0.39").underfilled_scale == 0.39);
    assert_true(read_text("pinned-async:x=2").link_factor == 2);
    assert_true(read_text("pinned-async:rate=18.6").copy_rate == 18.6);
    assert_true(read_text("requests:x=3").host[WI_SUB_NO_REQUESTS].rate == 3);
    assert_int_equal(read_text("no-readback-sync:every=20").readback_every, 20);
    assert_int_equal(read_text("no-readback-sync:stay=1").host[WI_SUB_READ_BACK_SYNC].stay_ns, MS);
    assert_int_equal(read_text("coalesced-copies:pack=1.5").pack_ns, 1.5 * MS);
    assert_true(read_text("graph-replay:divide=4").host[WI_SUB_LAUNCH_BOUND].scale == 0.25);
    assert_int_equal(read_text("graph-replay:spacing=0.0015").spacing_ns, 1500);
    assert_true(read_text("batched:n=16,kernels=5.7").requests == 16);
    assert_true(read_text("batched:n=16,kernels=5.7").any_kernel_scale == 5.7);
    assert_int_equal(read_text("balanced-ranks:least=4").least_collective_ns, 4 * MS);
}

/* More workers do not help a disk, a faster disk does not help what computes. */
static void test_by_what(void **state)
{
    (void)state;
    struct wi_change change = read_text("producer-rate:x=4,by=workers");
    assert_true(change.host[WI_SUB_TOO_FEW_WORKERS].rate == 4);
    assert_true(change.host[WI_SUB_SLOW_STORAGE].rate == 1);
    change = read_text("producer-rate:by=storage,x=4");
    assert_true(change.host[WI_SUB_TOO_FEW_WORKERS].rate == 1);
    assert_true(change.host[WI_SUB_SLOW_STORAGE].rate == 4);
    change = read_text("producer-rate");
    assert_true(change.host[WI_SUB_TOO_FEW_WORKERS].rate == 2);
    assert_true(change.host[WI_SUB_SLOW_STORAGE].rate == 2);
    assert_true(change.host[WI_SUB_SINGLE_PRODUCER].rate == 1);
}

/* One sub-cause, by its id or its last part, or those of a class that the universe answers. */
static void test_of_one_cause(void **state)
{
    (void)state;
    struct wi_change change = read_text("host-other-free:cause=host/checkpoint,divide=50");
    assert_true(change.host[WI_SUB_CHECKPOINT].scale == 0.02);
    assert_true(change.host[WI_SUB_LOGGING].scale == 1);
    change = read_text("host-other-free:cause=garbage-collection,stay=0.3");
    assert_true(change.host[WI_SUB_GARBAGE_COLLECTION].scale == 0);
    assert_int_equal(change.host[WI_SUB_GARBAGE_COLLECTION].stay_ns, 300000);
    assert_true(change.host[WI_SUB_CPU_COMPUTE].scale == 1);
    change = read_text("host-other-free:cause=host");
    assert_true(change.host[WI_SUB_CPU_COMPUTE].scale == 0);
    assert_true(change.host[WI_SUB_CPU_OVERSUBSCRIPTION].scale == 1); /* input */
}

static void test_several_at_once(void **state)
{
    (void)state;
    struct wi_change change = read_text("input-ready:stay=4+pinned-async:rate=12.3+gpu-2x");
    assert_int_equal(change.universes, 1u << WI_UNIVERSE_INPUT_READY |
                                           1u << WI_UNIVERSE_PINNED_ASYNC |
                                           1u << WI_UNIVERSE_GPU_2X);
    assert_int_equal(change.host[WI_SUB_TOO_FEW_WORKERS].stay_ns, 4 * MS);
    assert_true(change.copy_rate == 12.3 && change.kernel_scale == 0.5);
    /* what is said of one is not said of the next */
    change = read_text("graph-replay:divide=5+host-other-free");
    assert_true(change.host[WI_SUB_LAUNCH_BOUND].scale == 0.2);
    assert_true(change.host[WI_SUB_CPU_COMPUTE].scale == 0);
}

static void test_where_a_text_cannot_be_read(void **state)
{
    (void)state;
    cannot_read("", 0);
    cannot_read("warp-drive", 0);
    cannot_read("gpu", 0);
    cannot_read("GPU-2X", 0);
    cannot_read(" gpu-2x", 0);
    cannot_read("+gpu-2x", 0);
    cannot_read("gpu-2x+", 7);
    cannot_read("gpu-2x+warp-drive", 7);
    cannot_read("gpu-2x+input-ready:stay=x", 19);
    cannot_read("gpu-2x:", 7);
    cannot_read("gpu-2x:x", 8);
    cannot_read("gpu-2x:x=", 7);
    cannot_read("gpu-2x:x=2,", 11);
    cannot_read("gpu-2x:speed=2", 7);
    cannot_read("gpu-2x:x=fast", 7);
    cannot_read("gpu-2x:x=2x", 7);
    cannot_read("gpu-2x:x=-2", 7);
    cannot_read("gpu-2x:x=nan", 7);
    cannot_read("gpu-2x:x=inf", 7);
    cannot_read("gpu-2x:x=1e99", 7);
    cannot_read("producer-rate:by=magic", 14);
    cannot_read("host-other-free:cause=nothing-known", 16);
    cannot_read("host-other-free:divide=2,cause=nothing-known", 25);
    /* longer than any word or value: no room is written past */
    char text[400];
    memset(text, 'a', sizeof(text));
    text[sizeof(text) - 1] = 0;
    cannot_read(text, 0);
    memcpy(text, "gpu-2x:x=", 9);
    cannot_read(text, 7);
    memcpy(text, "gpu-2x:", 7);
    text[7] = text[8] = 'a';
    cannot_read(text, 7);
}

/* A key that means nothing for its universe is refused, not passed over. */
static void test_keys_of_other_universes(void **state)
{
    (void)state;
    cannot_read("gpu-2x:divide=2", 7);
    cannot_read("input-ready:rate=12", 12);
    cannot_read("graph-replay:every=4", 13);
    cannot_read("batched:by=workers", 8);
    cannot_read("batched", 0); /* how much longer kernels get decides everything */
    cannot_read("batched:n=1000", 0);
    cannot_read("gpu-2x+batched:n=4", 7);
    cannot_read("gpu-2x:x=0", 7);
    cannot_read("host-other-free:divide=0", 16);
    cannot_read("pinned-async:rate=0", 13);
    cannot_read("pinned-async:pack=1", 13);
    cannot_read("balanced-ranks:n=4", 15);
    cannot_read("gpu-2x:x=2+graph-replay:divide=5,rate=3", 33);
}

/* The last of two words does not win in silence. */
static void test_what_is_said_twice(void **state)
{
    (void)state;
    is_told("gpu-2x:x=2,x=4", "'x=2' and 'x=4' are both said of gpu-2x: leave one of them out");
    cannot_read("gpu-2x:x=2,x=2", 11);
    cannot_read("producer-rate:by=workers,x=2,by=storage", 29);
    is_told("gpu-2x+pinned-async+gpu-2x:x=4",
            "'gpu-2x' and 'gpu-2x:x=4' are both said of gpu-2x: leave one of them out");
    cannot_read("gpu-2x+pinned-async+gpu-2x:x=4", 20);
    cannot_read("producer-rate:x=4+producer-rate:x=2,by=workers", 18);
    cannot_read("host-other-free+host-other-free:cause=logging", 16);
    cannot_read("host-other-free:cause=host+host-other-free:cause=logging,divide=2", 27);
    struct wi_change change =
        read_text("host-other-free:cause=checkpoint+host-other-free:cause=logging,divide=2");
    assert_true(change.host[WI_SUB_CHECKPOINT].scale == 0);
    assert_true(change.host[WI_SUB_LOGGING].scale == 0.5);
    change = read_text("producer-rate:x=4,by=workers+producer-rate:x=3,by=storage");
    assert_true(change.host[WI_SUB_TOO_FEW_WORKERS].rate == 4);
    assert_true(change.host[WI_SUB_SLOW_STORAGE].rate == 3);
}

/* Each refusal says what is allowed instead, with a text that can be read. */
static void test_what_is_allowed(void **state)
{
    (void)state;
    is_told("gpu-3x", "'gpu-3x' is no change that is known, such as gpu-2x");
    is_told("gpu-2x+", "a change is missing here, such as gpu-2x");
    is_told("gpu-2x:speed=2",
            "'speed=2' is no KEY=VALUE of gpu-2x, whose keys are x, such as gpu-2x:x=1.5");
    is_told("batched:n=4", "kernels is missing: batched needs the factor of the duration of every "
                           "kernel, such as batched:n=8,kernels=2.5");
    is_told("producer-rate:x=0.5", "x of producer-rate takes a number from 1 to 1000000000, such "
                                   "as producer-rate:x=2");
    is_told("filled-grids:x=1.2",
            "x of filled-grids takes a number above 0, at most 1, such as filled-grids:x=0.5");
    is_told("no-readback-sync:every=2.5", "every of no-readback-sync takes a whole number from 1 "
                                          "to 1000000000, such as no-readback-sync:every=20");
    is_told("producer-rate:by=magic",
            "by of producer-rate takes workers or storage, such as producer-rate:by=workers");
    is_told("no-allocator:cause=checkpoin",
            "cause of no-allocator takes a sub-cause, or a class with causes that it is about "
            "(whyidle explain lists them), such as no-allocator:cause=pin-per-copy");
    cannot_read("no-allocator:cause=no-work", 13); /* a class, but nothing that it is about */
    cannot_read("host-other-free:cause=compute", 16);
    cannot_read("host-other-free:divide=0.5", 16);
    read_text("gpu-2x:x=0.5"); /* would a slower one do? */
    read_text("requests:x=0.5");
    read_text("producer-rate:x=1");
    read_text("host-other-free:cause=data-loading");
}

/* The example beside each key is one that is read. */
static void test_every_example(void **state)
{
    (void)state;
    static const struct {
        enum wi_universe universe;
        const char *key, *example;
    } ROWS[] = {
#define UNIVERSE_USES(id, key, value, example, sentence) {WI_UNIVERSE_##id, key, example},
#include "analyze/universe_uses.def"
#undef UNIVERSE_USES
    };
    for (size_t i = 0; i < sizeof(ROWS) / sizeof(*ROWS); i++) {
        char text[200] = "";
        if (ROWS[i].universe == WI_UNIVERSE_BATCHED)
            continue; /* needs two: above */
        strcat(strcat(text, wi_universe_word(ROWS[i].universe)), ":");
        strcat(strcat(strcat(text, ROWS[i].key), "="), ROWS[i].example);
        read_text(text);
        assert_true(wi_universe_uses(ROWS[i].universe, ROWS[i].key));
    }
    read_text("batched:n=8,kernels=2.5");
    read_text("batched:n=8,kernels=2.5,stay=1.5");
}

/* There is room for 32 at once: sub-causes each. */
static void test_too_many(void **state)
{
    (void)state;
    char text[4000] = "";
    int count = 0;
    for (int i = 0; i < WI_SUB_COUNT; i++) {
        if (i == WI_SUB_COMPUTE)
            continue;
        strcat(strcat(text, count++ ? "+" : ""), "host-other-free:cause=");
        strcat(text, wi_subcause_id((enum wi_subcause)i));
    }
    assert_true(count > 32);
    is_told(text, "at most 32 changes fit into one text");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_universe),
        cmocka_unit_test(test_what_they_are_by_themselves),
        cmocka_unit_test(test_every_key),
        cmocka_unit_test(test_by_what),
        cmocka_unit_test(test_of_one_cause),
        cmocka_unit_test(test_several_at_once),
        cmocka_unit_test(test_where_a_text_cannot_be_read),
        cmocka_unit_test(test_keys_of_other_universes),
        cmocka_unit_test(test_what_is_said_twice),
        cmocka_unit_test(test_what_is_allowed),
        cmocka_unit_test(test_every_example),
        cmocka_unit_test(test_too_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
