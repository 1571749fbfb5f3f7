/* Events come out in order, however many runs they were spread over.
 * Threads: one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdint.h>
#include <string.h>

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

#define MIXED 1999 /* a prime: the times below are all different */

static struct wi_event mixed(uint32_t i)
{
    static const enum wi_event_kind KINDS[] = {WI_EVENT_CALL,   WI_EVENT_OP,   WI_EVENT_SPAN,
                                               WI_EVENT_SAMPLE, WI_EVENT_CALL, WI_EVENT_DEVICE,
                                               WI_EVENT_LOSS,   WI_EVENT_OP,   WI_EVENT_PLACE};
    struct wi_event event;
    memset(&event, (int)(i % 251), sizeof(event));
    event.kind = KINDS[i % (sizeof(KINDS) / sizeof(KINDS[0]))];
    int64_t at_ns = (int64_t)i * 701 % MIXED;
    if (event.kind == WI_EVENT_CALL)
        event.u.call.enter_ns = event.u.call.exit_ns = at_ns;
    else if (event.kind == WI_EVENT_OP)
        event.u.op.start_ns = event.u.op.end_ns = at_ns;
    else if (event.kind == WI_EVENT_SPAN)
        event.u.span.start_ns = event.u.span.end_ns = at_ns;
    else if (event.kind == WI_EVENT_SAMPLE)
        event.u.sample.at_ns = at_ns;
    return event;
}

static size_t body_of(enum wi_event_kind kind)
{
    static const size_t BODIES[] = {[WI_EVENT_CALL] = sizeof(struct wi_host_call),
                                    [WI_EVENT_OP] = sizeof(struct wi_device_op),
                                    [WI_EVENT_SPAN] = sizeof(struct wi_host_span),
                                    [WI_EVENT_SAMPLE] = sizeof(struct wi_host_sample),
                                    [WI_EVENT_DEVICE] = sizeof(struct wi_device_info),
                                    [WI_EVENT_LOSS] = sizeof(struct wi_loss),
                                    [WI_EVENT_PLACE] = sizeof(struct wi_code_place)};
    return BODIES[kind];
}

struct given {
    int64_t last_ns;    /* INT64_MIN as long as what has no time comes */
    uint32_t count, at; /* at: how many of mixed() were looked through for the last timeless one */
};

/* First what has no time, as given; then every time once. */
static int is_next(void *user, const struct wi_event *event)
{
    struct given *given = user;
    struct wi_event one = {0};
    int64_t now_ns = wi_event_time(event);
    if (now_ns == INT64_MIN) {
        assert_true(given->last_ns == INT64_MIN);
        do
            one = mixed(given->at++);
        while (wi_event_time(&one) != INT64_MIN);
    } else {
        assert_true(now_ns > given->last_ns);
        for (uint32_t i = 0; i < MIXED && (!i || wi_event_time(&one) != now_ns); i++)
            one = mixed(i);
    }
    assert_int_equal(event->kind, one.kind);
    assert_memory_equal(&event->u, &one.u, body_of(one.kind));
    given->last_ns = now_ns;
    given->count++;
    return 0;
}

/* Kinds of different length lie behind each other, in memory, in the file and across its parts. */
static void keeps_what_every_kind_says(void **state)
{
    (void)state;
    const uint32_t run_events[] = {7, 100, 700, 0};
    for (size_t r = 0; r < sizeof(run_events) / sizeof(run_events[0]); r++) {
        struct wi_sorter *sorter = wi_sorter_create(run_events[r]);
        struct given given = {.last_ns = INT64_MIN};
        for (uint32_t i = 0; i < MIXED; i++) {
            struct wi_event event = mixed(i);
            assert_int_equal(wi_sorter_add(sorter, &event), 0);
        }
        assert_int_equal(wi_sorter_drain(sorter, is_next, &given), 0);
        assert_int_equal(given.count, MIXED);
        wi_sorter_free(sorter);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sorts_in_memory_and_through_the_file),
        cmocka_unit_test(stops_when_the_receiver_says_so),
        cmocka_unit_test(orders_what_begins_together),
        cmocka_unit_test(keeps_what_every_kind_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
