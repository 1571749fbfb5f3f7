/* The time series and the collectives: widths, sums, and which ordinals are kept.
 * Threads: one. */
#include "engine_fixture.h"

#include "analyze/series.h"

static int64_t sum_of(const struct wi_series *series, int kind)
{
    int64_t sum = 0;
    for (int i = 0; i < WI_SERIES_BUCKETS; i++)
        sum += series->ns[i][kind];
    return sum;
}

/* 512 ms fit into the first width; one more doubles it. Nothing is lost on the way. */
static void test_buckets_widen(void **state)
{
    (void)state;
    static struct wi_series series;
    wi_series_add(&series, WI_SERIES_IDLE, 5 * MS, 5 * MS + 512 * (int64_t)MS);
    assert_int_equal(series.width_ns, MS);
    assert_int_equal(series.used, 512);
    assert_int_equal(series.ns[511][WI_SERIES_IDLE], MS);
    wi_series_add(&series, WI_SERIES_COMPUTE, 517 * (int64_t)MS, 518 * (int64_t)MS);
    assert_int_equal(series.width_ns, 2 * MS);
    assert_int_equal(series.used, 257);
    assert_int_equal(series.ns[0][WI_SERIES_IDLE], 2 * MS);
    assert_int_equal(series.ns[256][WI_SERIES_COMPUTE], MS);
    for (int64_t t = 518; t < 100000; t += 7)
        wi_series_add(&series, WI_SERIES_TRANSFER, t * MS, (t + 3) * MS);
    assert_int_equal(sum_of(&series, WI_SERIES_IDLE), 512 * (int64_t)MS);
    assert_int_equal(sum_of(&series, WI_SERIES_TRANSFER), 14212 * 3 * (int64_t)MS);
    assert_true(series.used <= WI_SERIES_BUCKETS);
}

/* 1025 collectives: the even ordinals stay, then every fourth from 2049 on. */
static void test_collectives_are_decimated(void **state)
{
    (void)state;
    static struct wi_collectives all;
    struct wi_device_op op = {.name = 5, .stream = 7};
    for (int i = 0; i < 2100; i++) {
        op.start_ns = (int64_t)i * 1000000;
        op.end_ns = op.start_ns + i + 1; /* the duration tells the ordinal */
        wi_collectives_add(&all, &op);
    }
    const struct wi_collective_row *row = &all.rows[0];
    assert_int_equal(all.count, 1);
    assert_int_equal(row->count, 2100);
    assert_int_equal(row->step, 4);
    assert_int_equal(row->kept, 525);
    for (int i = 0; i < row->kept; i++)
        assert_int_equal(row->duration_ns[i], i * 4 + 1);
    assert_int_equal(row->timed, 1);
    for (int i = 0; i < row->kept; i++)
        assert_int_equal(row->end_ns[i], i * 4 * (int64_t)1000000 + i * 4 + 1);
    for (int i = 0; i < 40; i++) {
        op.stream = 100 + (uint64_t)i;
        wi_collectives_add(&all, &op);
    }
    assert_int_equal(all.count, 32);
    assert_int_equal(all.dropped, 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_buckets_widen),
        cmocka_unit_test(test_collectives_are_decimated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
