/* Events come out in order, however many runs they were spread over.
 * Threads: one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdint.h>

#include "import/sorter.h"

struct seen {
    uint64_t count, sum;
    int64_t last_ns;
    uint64_t last_corr;
    int stop_at; /* 0: never */
};

/* Equal times in the order in which they were given: corr counts them. */
static int check(void *user, const struct wi_event *event)
{
    struct seen *seen = user;
    const struct wi_device_op *op = &event->u.op;
    assert_int_equal(event->kind, WI_EVENT_OP);
    assert_true(op->start_ns > seen->last_ns ||
                (op->start_ns == seen->last_ns && op->corr > seen->last_corr));
    seen->last_ns = op->start_ns;
    seen->last_corr = op->corr;
    seen->count++;
    seen->sum += op->corr;
    return seen->stop_at && seen->count == (uint64_t)seen->stop_at ? -42 : 0;
}

/* n operations with scattered times, about four of each time. */
static struct seen sort(uint32_t n, uint32_t run_events, int stop_at, int expected)
{
    struct wi_sorter *sorter = wi_sorter_create(run_events);
    struct seen seen = {.last_ns = INT64_MIN, .stop_at = stop_at};
    uint32_t random = 1;
    assert_non_null(sorter);
    for (uint32_t i = 1; i <= n; i++) {
        random = random * 1664525u + 1013904223u;
        struct wi_event event = {.kind = WI_EVENT_OP};
        event.u.op.start_ns = random % (n / 4 + 1);
        event.u.op.end_ns = event.u.op.start_ns + 1;
        event.u.op.corr = i;
        assert_int_equal(wi_sorter_add(sorter, &event), 0);
    }
    assert_int_equal(wi_sorter_drain(sorter, check, &seen), expected);
    wi_sorter_free(sorter);
    return seen;
}

static void sorts_in_memory_and_through_the_file(void **state)
{
    (void)state;
    const uint32_t sizes[] = {0, 1, 9, 10, 11, 1000, 1280, 1281, 1290, 4003};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        uint64_t n = sizes[i];
        struct seen seen = sort(sizes[i], 10, 0, 0);
        assert_int_equal(seen.count, n);
        assert_int_equal(seen.sum, n * (n + 1) / 2);
    }
    assert_int_equal(sort(50000, 0, 0, 0).count, 50000);
}

static void stops_when_the_receiver_says_so(void **state)
{
    (void)state;
    assert_int_equal(sort(8, 10, 5, -42).count, 5);
    assert_int_equal(sort(800, 10, 5, -42).count, 5);
}

static int note_kinds(void *user, const struct wi_event *event)
{
    char **at = user;
    *(*at)++ = "?COD..LA"[event->kind == WI_EVENT_SPAN ? 0 : event->kind];
    return 0;
}

/* What encloses comes before what is nested, a call before the work that it queues. */
static void orders_what_begins_together(void **state)
{
    (void)state;
    char text[8] = "", *at = text;
    struct wi_sorter *sorter = wi_sorter_create(0);
    struct wi_event op = {.kind = WI_EVENT_OP, .u.op = {.start_ns = 5, .end_ns = 99}};
    struct wi_event call = {.kind = WI_EVENT_CALL, .u.call = {.enter_ns = 5, .exit_ns = 6}};
    struct wi_event span = {.kind = WI_EVENT_SPAN, .u.span = {.start_ns = 5, .end_ns = 6}};
    struct wi_event device = {.kind = WI_EVENT_DEVICE};
    wi_sorter_add(sorter, &op);
    wi_sorter_add(sorter, &call);
    wi_sorter_add(sorter, &span);
    wi_sorter_add(sorter, &device);
    assert_int_equal(wi_sorter_drain(sorter, note_kinds, &at), 0);
    assert_string_equal(text, "D?CO");
    wi_sorter_free(sorter);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sorts_in_memory_and_through_the_file),
        cmocka_unit_test(stops_when_the_receiver_says_so),
        cmocka_unit_test(orders_what_begins_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
