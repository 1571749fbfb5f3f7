/* Where waiting threads were seen: the bounded count by name, and the place that a finding names.
 * Expected figures are added up by hand. */
#include "engine_fixture.h"

#include "analyze/seen.h"
#include "model/names.h"

static const struct wi_seen_place *place_of(const struct wi_seen *seen, uint32_t name)
{
    for (int i = 0; i < WI_SEEN_PLACES; i++)
        if (seen->places[i].name == name)
            return &seen->places[i];
    return NULL;
}

static void counts_up_to_four(void **state)
{
    (void)state;
    struct wi_seen seen = {0};
    assert_null(wi_seen_most(&seen));
    wi_seen_add(&seen, WI_NO_NAME, 9, 50);
    wi_seen_add(&seen, 1, 11, 5);
    wi_seen_add(&seen, 2, 12, 7);
    wi_seen_add(&seen, 1, 11, 4);
    assert_int_equal(wi_seen_total(&seen), 16);
    assert_int_equal(wi_seen_most(&seen)->name, 1);
    assert_int_equal(wi_seen_most(&seen)->ns, 9);
    assert_int_equal(wi_seen_most(&seen)->over_ns, 0);
    assert_int_equal(wi_seen_most(&seen)->site, 11);
}

/* A fifth name takes the place of the least, with its time as what may not be its own. */
static void a_fifth_name(void **state)
{
    (void)state;
    struct wi_seen seen = {0};
    for (uint32_t name = 1; name <= 4; name++)
        wi_seen_add(&seen, name, 0, 10 * name); /* 10 20 30 40 */
    wi_seen_add(&seen, 5, 0, 1);
    assert_int_equal(wi_seen_total(&seen), 101);
    assert_null(place_of(&seen, 1));
    assert_int_equal(place_of(&seen, 5)->ns, 11);
    assert_int_equal(place_of(&seen, 5)->over_ns, 10);
    assert_int_equal(wi_seen_most(&seen)->name, 4);
}

/* What holds more than a fifth of the time is found among any number of others. */
static void one_among_many(void **state)
{
    (void)state;
    struct wi_seen parts[2], seen = {0};
    parts[0] = parts[1] = seen;
    for (uint32_t i = 0; i < 3000; i++)
        wi_seen_add(&parts[i % 2], i % 3 ? 1000 + i : 7, i % 9 ? 21 : 22, 1); /* 7: 1000 times */
    wi_seen_merge(&seen, &parts[0]);
    wi_seen_merge(&seen, &parts[1]);
    assert_int_equal(wi_seen_total(&seen), 3000);
    const struct wi_seen_place *place = place_of(&seen, 7);
    assert_non_null(place);
    assert_true(place->ns >= 1000 && place->ns - place->over_ns <= 1000);
}

/* The line with more than half of a place's time wins its vote, whatever the order. */
static void lines_vote(void **state)
{
    (void)state;
    struct wi_seen seen = {0};
    for (uint32_t i = 0; i < 100; i++)
        wi_seen_add(&seen, 1, i % 5 < 2 ? 30 + i : 29, 3);
    assert_int_equal(wi_seen_most(&seen)->site, 29);
}

static void look(struct bench *b, int64_t from_us, int64_t to_us, const char *name,
                 const char *site, int kind)
{
    struct wi_event event = {.kind = WI_EVENT_SPAN};
    event.u.span = (struct wi_host_span){.start_ns = from_us * US,
                                         .end_ns = to_us * US,
                                         .thread = b->thread,
                                         .name = wi_names_str(b->names, name),
                                         .kind = (uint8_t)kind,
                                         .site = wi_names_str(b->names, site)};
    wi_engine_push(b->engine, &event);
}

/* Four gaps of 10 ms each. In three the thread is seen for 8 ms in PIL (told twice: as a frame and
 * as what it means) and for 2 ms elsewhere; in the fourth nobody looked. 24 of 30 ms seen, of 40.
 */
static void a_finding_names_its_place(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 0, 0);
    launch(&b, 0, 10, 10, 110);
    for (int i = 0; i < 4; i++) {
        int64_t from = 110 + i * 10100; /* the device falls idle; the next launch is 10 ms later */
        if (i < 3) {
            look(&b, from, from + 8000, "PIL/Image.py:open", "train.py:58 in main", WI_SPAN_FRAME);
            look(&b, from, from + 8000, "PIL/Image.py:open", "train.py:58 in main",
                 WI_SPAN_INPUT_INLINE);
            look(&b, from + 8000, from + 10000, "train.py:main", "train.py:60 in main",
                 WI_SPAN_FRAME);
        }
        launch(&b, from + 9990, from + 10000, from + 10000, from + 10100);
    }
    finish(&b);
    const struct wi_finding *found = NULL;
    for (int i = 0; i < b.result.finding_count; i++)
        if (b.result.findings[i].seen_in)
            found = found ? found : &b.result.findings[i];
    assert_non_null(found);
    assert_string_equal(wi_names_text(b.names, found->seen_in), "PIL/Image.py:open");
    assert_string_equal(wi_names_text(b.names, found->waits_at), "train.py:58 in main");
    assert_true(found->seen_ns > 23900 * US && found->seen_ns <= 24000 * US);
    bench_close(&b);
}

/* Half here and half there is no place; nor is what was seen for a fiftieth of the time. */
static void no_place_without_a_majority(void **state)
{
    (void)state;
    for (int round = 0; round < 2; round++) {
        struct bench b;
        bench_open(&b, 0, 0);
        launch(&b, 0, 10, 10, 110);
        int64_t part = round ? 1000 : 4900;
        for (int i = 0; i < (round ? 1 : 2); i++)
            look(&b, 110 + i * 5000, 110 + i * 5000 + part, i ? "b.py:b" : "a.py:a", "t.py:1",
                 WI_SPAN_FRAME);
        if (!round)
            look(&b, 10010, 10100, "c.py:c", "t.py:1", WI_SPAN_FRAME);
        int64_t end = round ? 50110 : 10110;
        launch(&b, end - 10, end, end, end + 100);
        finish(&b);
        assert_true(b.result.finding_count > 0);
        for (int i = 0; i < b.result.finding_count; i++) {
            assert_int_equal(b.result.findings[i].seen_in, WI_NO_NAME);
            assert_int_equal(b.result.findings[i].seen_ns, WI_UNKNOWN);
        }
        bench_close(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_up_to_four),
        cmocka_unit_test(a_fifth_name),
        cmocka_unit_test(one_among_many),
        cmocka_unit_test(lines_vote),
        cmocka_unit_test(a_finding_names_its_place),
        cmocka_unit_test(no_place_without_a_majority),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
