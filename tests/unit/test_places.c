/* How often a cause was seen, and how often at the place that is told. Threads: one. */
#include "engine_fixture.h"

/* A launch at `site` after 10 ms of silence, of which the thread was on a core for run_us and
 * asleep for the rest, with a kernel of 1 ms that is waited for; returns the time after it. */
static int64_t late_launch(struct bench *b, int64_t at, const char *site, int64_t run_us)
{
    struct wi_host_call call = make_call(b, WI_API_LAUNCH, at + 10000, at + 10005);
    call.corr = ++b->corr;
    call.flags = WI_CALL_OWES;
    call.site = wi_names_str(b->names, site);
    call.run_ns = run_us * US;
    call.runnable_ns = 0;
    wi_engine_call(b->engine, &call);
    struct wi_device_op op = make_op(b, WI_OP_KERNEL, at + 10005, at + 11005);
    wi_engine_op(b->engine, &op);
    say(b, WI_API_SYNC, at + 10010, at + 11010);
    return at + 11010;
}

/* 30 times in all, 20 of them at one place. */
static void test_the_place_has_its_own_count(void **state)
{
    (void)state;
    struct bench b;
    int64_t at = 0;
    bench_open(&b, 1, 0);
    for (int i = 0; i < 31; i++) /* the first one is start-up */
        at = late_launch(&b, at, i % 3 ? "train.py:7" : "train.py:9", 10000);
    finish(&b);
    const struct wi_finding *f = finding_of(&b, WI_SUB_CPU_COMPUTE);
    assert_non_null(f);
    assert_string_equal(wi_names_text(b.names, f->site_after), "train.py:7");
    assert_int_equal(f->count, 30);
    assert_int_equal(f->place_count, 20);
    bench_close(&b);
}

/* Half on a core and half asleep, both while device code is loaded: that is one time, not two. */
static void test_two_parts_are_one_time(void **state)
{
    (void)state;
    struct bench b;
    int64_t at = 0;
    bench_open(&b, 1, 0);
    for (int i = 0; i < 31; i++) {
        struct wi_event event = {.kind = WI_EVENT_SPAN};
        event.u.span =
            (struct wi_host_span){at * US, (at + 10000) * US, 100, 0, WI_SPAN_LOADING, 0};
        wi_engine_push(b.engine, &event);
        at = late_launch(&b, at, "train.py:7", 5000);
    }
    finish(&b);
    const struct wi_finding *f = finding_of(&b, WI_SUB_MODULE_LOAD);
    assert_non_null(f);
    assert_int_equal(f->count, 30); /* the first one lies before the window */
    assert_int_equal(f->place_count, 30);
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_the_place_has_its_own_count),
                                       cmocka_unit_test(test_two_parts_are_one_time)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
