/* Tables of the engine that begin small and grow, and what a report in between touches.
 * Threads: one. */
#include <string.h>
#include <sys/resource.h>

#include "engine_fixture.h"

#include "analyze/calls.h"
#include "analyze/ledger.h"
#include "analyze/op_queue.h"

#define PENDING 3000u

static void push_call(struct wi_calls *calls, uint64_t corr, int64_t at_us)
{
    struct wi_host_call call = {.enter_ns = at_us * US,
                                .exit_ns = at_us * US + 500,
                                .corr = corr,
                                .thread = 1,
                                .api_class = WI_API_LAUNCH,
                                .flags = WI_CALL_OWES};
    assert_non_null(wi_calls_push(calls, &call));
}

/* However far apart the ids of pending calls are, none is forgotten. */
static void test_ids_far_apart(void **state)
{
    (void)state;
    static const uint64_t STEPS[] = {1, 2, 3, 16, 31};
    for (size_t s = 0; s < WI_ARRAY_LEN(STEPS); s++) {
        struct wi_arena arena;
        struct wi_calls calls;
        wi_arena_init(&arena, (size_t)64 << 20);
        assert_int_equal(wi_calls_init(&calls, &arena), 0);
        uint64_t corr = 77;
        for (uint32_t i = 0; i < 4 * PENDING; i++, corr += STEPS[s]) {
            push_call(&calls, corr, i);
            uint64_t oldest = i < PENDING ? 77 : corr - PENDING * STEPS[s];
            assert_int_not_equal(wi_calls_find(&calls, oldest), WI_NO_SLOT);
            if (i >= PENDING)
                wi_calls_settle(&calls, oldest);
        }
        for (uint32_t i = 1; i <= PENDING; i++) {
            uint32_t slot = wi_calls_find(&calls, corr - i * STEPS[s]);
            assert_int_not_equal(slot, WI_NO_SLOT);
            assert_int_equal(calls.slots[slot].call.corr, corr - i * STEPS[s]);
        }
        wi_arena_free(&arena);
    }
}

static void push_op(struct wi_op_queue *queue, int64_t start_ns)
{
    struct wi_device_op op = {.start_ns = start_ns, .end_ns = start_ns + 1};
    assert_int_equal(wi_op_queue_push(queue, &op, WI_NO_SLOT), 0);
}

/* Fills and drains at every phase of its ring, ever fuller, with some that come late. */
static void test_op_queue_grows(void **state)
{
    (void)state;
    struct wi_arena arena;
    struct wi_op_queue queue;
    struct wi_op_entry entry;
    wi_arena_init(&arena, (size_t)64 << 20);
    assert_int_equal(wi_op_queue_init(&queue, &arena), 0);
    int64_t pushed = 0, popped = 0;
    for (int64_t fill = 100; fill <= WI_OP_SLOTS; fill += fill * 3 / 7) {
        while (pushed - popped < fill) {
            if (pushed % 10 == 3) { /* this one comes after the next */
                push_op(&queue, pushed + 1);
                push_op(&queue, pushed);
                pushed += 2;
            } else {
                push_op(&queue, pushed++);
            }
        }
        while (pushed - popped > fill / 3)
            assert_int_equal(wi_op_queue_pop(&queue, &entry)->start_ns, popped++);
    }
    while (popped < pushed)
        assert_int_equal(wi_op_queue_pop(&queue, &entry)->start_ns, popped++);
    assert_int_equal(wi_op_queue_first(&queue), INT64_MAX);
    wi_arena_free(&arena);
}

/* Means are of all that was added, in whichever order samples take turns, and merging keeps them.
 */
static void test_sampled_means(void **state)
{
    (void)state;
    struct wi_sampled sampled = {0}, merged = {0};
    struct wi_host_sample a, b;
    wi_host_sample_clear(&a);
    wi_host_sample_clear(&b);
    a.at_ns = 1;
    a.children = 2;
    b.at_ns = 2;
    b.children = 6;
    b.runnable = 5;
    for (int i = 0; i < 4; i++) {
        wi_sampled_add(&sampled, &a, 1);
        wi_sampled_add(&sampled, i % 2 ? &b : &a, 2);
        wi_sampled_add(&sampled, NULL, 100);
    }
    struct wi_host_sample view = b; /* the same sample, but more happened in the gap */
    view.child_starts = 3;
    wi_sampled_add(&sampled, &view, 4);
    wi_sampled_merge(&merged, &sampled);
    wi_sampled_merge(&merged, &sampled);
    const struct wi_sampled *both[] = {&sampled, &merged};
    for (int i = 0; i < 2; i++) { /* 8 of a, 4 of b, 4 of the view */
        assert_true(wi_sampled_mean(both[i], WI_SAMPLED_CHILDREN, -1) == 4);
        assert_true(wi_sampled_mean(both[i], WI_SAMPLED_RUNNABLE, -1) == 5);
        assert_true(wi_sampled_mean(both[i], WI_SAMPLED_CHILD_STARTS, -1) == 3);
        assert_true(wi_sampled_mean(both[i], WI_SAMPLED_SERVING, -1) == -1);
    }
}

/* One address may hold one text after the other. */
static void test_names_by_address(void **state)
{
    (void)state;
    struct wi_names *names = wi_names_create((size_t)1 << 20);
    char text[8] = "first";
    assert_non_null(names);
    uint32_t first = wi_names_str(names, text);
    assert_int_equal(wi_names_str(names, text), first);
    memcpy(text, "other", 6);
    uint32_t other = wi_names_str(names, text);
    assert_int_not_equal(other, first);
    assert_string_equal(wi_names_text(names, other), "other");
    text[0] = 0;
    assert_int_equal(wi_names_str(names, text), 0);
    memcpy(text, "first", 6);
    assert_int_equal(wi_names_str(names, text), first);
    wi_names_free(names);
}

static long faults(void)
{
    struct rusage usage;
    assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
    return usage.ru_minflt;
}

/* A report in between is made every second at first: it touches what is in use, not the tables'
 * 2.4 MB, which are 600 pages. */
static void test_report_touches_little(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 0, 0);
    for (int i = 0; i < 200; i++)
        launch(&b, i * 100, i * 100 + 5, i * 100 + 10, i * 100 + 40);
    wi_engine_advance(b.engine, (int64_t)1000 * MS);
    long least = 1000000;
    for (int i = 0; i < 3; i++) {
        struct wi_arena arena;
        struct wi_result result;
        wi_arena_init(&arena, (size_t)4 << 20);
        long before = faults();
        assert_int_equal(wi_engine_result(b.engine, &arena, &result), 0);
        long took = faults() - before;
        least = took < least ? took : least;
        assert_int_equal(result.devices[0].kernels, 200);
        wi_arena_free(&arena);
    }
    assert_in_range(least, 0, 200);
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ids_far_apart),         cmocka_unit_test(test_op_queue_grows),
        cmocka_unit_test(test_sampled_means),         cmocka_unit_test(test_names_by_address),
        cmocka_unit_test(test_report_touches_little),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
