/* Steps found by their pattern, by hand-made streams of operations.
 * Threads: one. */
#include <stdlib.h>

#include "engine_fixture.h"

#include "analyze/steps.h"

struct stream {
    struct wi_step_finder *finder;
    int64_t at_us;
};

static struct stream open_stream(void)
{
    struct stream s = {calloc(1, sizeof(struct wi_step_finder)), 0};
    assert_non_null(s.finder);
    return s;
}

/* `count` kernels of one name, `each_us` apart, the first after idle_us. */
static void kernels(struct stream *s, uint32_t name, int count, int64_t each_us, int64_t idle_us)
{
    struct wi_device_op op = {.kind = WI_OP_KERNEL, .name = name, .grid = {8, 1, 1}};
    s->at_us += idle_us;
    for (int i = 0; i < count; i++, s->at_us += each_us) {
        op.start_ns = s->at_us * US;
        wi_steps_op(s->finder, &op, i ? 0 : idle_us * US);
    }
}

static struct wi_steps found(const struct stream *s)
{
    return wi_steps_found(s->finder, NULL, NULL, s->at_us * US);
}

/* Forward and backward of several kernels, then an update: 50 steps of 10 ms. */
static void test_training_loop(void **state)
{
    (void)state;
    struct stream s = open_stream();
    for (int step = 0; step < 50; step++) {
        for (uint32_t layer = 1; layer <= 10; layer++) { /* the same two kernels in each layer */
            kernels(&s, 1, 3, 100, 0);
            kernels(&s, 2, 2, 100, 0);
        }
        kernels(&s, 3, 1, 1000, 0);
        kernels(&s, 4, 30, 100, 1000);
    }
    struct wi_steps steps = found(&s);
    assert_in_range(steps.count, 49, 50);
    assert_int_equal(steps.marked, 0);
    assert_in_range(steps.median_ns, 9 * MS, 11 * MS);
    assert_int_equal(steps.outliers, 0);
    free(s.finder);
}

/* Two kernels that alternate: A before B and B before A are two pairs. */
static void test_two_kernels(void **state)
{
    (void)state;
    struct stream s = open_stream();
    for (int step = 0; step < 72; step++) {
        kernels(&s, 7, 800, 10, 0);
        kernels(&s, 8, 1, 10, 0);
    }
    assert_in_range(found(&s).count, 71, 72);
    free(s.finder);
}

/* A pause of 100 ms every 25 steps of 5 ms. */
static void test_outliers(void **state)
{
    (void)state;
    struct stream s = open_stream();
    for (int step = 0; step < 200; step++) {
        kernels(&s, 1, 40, 100, step && step % 25 == 0 ? 100000 : 0);
        kernels(&s, 2, 10, 100, 0);
    }
    struct wi_steps steps = found(&s);
    assert_in_range(steps.count, 199, 200);
    assert_int_equal(steps.outliers, 7);
    assert_int_equal(steps.outlier_every, 25);
    assert_in_range(steps.outlier_extra_ns, 7 * 95 * (int64_t)MS, 7 * 101 * (int64_t)MS);
    assert_in_range(steps.p95_ns, 4 * MS, 6 * MS);
    free(s.finder);
}

/* One kernel for ever, random kernels, or a pattern only at the start: no steps. */
static void test_no_steps(void **state)
{
    (void)state;
    struct stream s = open_stream();
    kernels(&s, 1, 5000, 10, 0);
    assert_int_equal(found(&s).count, 0);
    free(s.finder);
    s = open_stream();
    srand(3);
    for (int i = 0; i < 5000; i++)
        kernels(&s, 1 + (uint32_t)(rand() % 20), 1 + rand() % 7, 10, 0);
    assert_int_equal(found(&s).count, 0);
    free(s.finder);
    s = open_stream();
    for (int i = 0; i < 20; i++) {
        kernels(&s, 1, 10, 10, 0);
        kernels(&s, 2, 10, 10, 0);
    }
    kernels(&s, 3, 5000, 10, 0);
    assert_int_equal(found(&s).count, 0);
    free(s.finder);
}

static void test_marks_win(void **state)
{
    (void)state;
    struct stream s = open_stream();
    for (int step = 0; step < 12; step++) {
        kernels(&s, 1, 10, 10, 0);
        kernels(&s, 2, 10, 10, 0);
        if (step % 3 == 0)
            wi_steps_mark(s.finder, s.at_us * US);
    }
    struct wi_steps steps = found(&s);
    assert_int_equal(steps.count, 4);
    assert_int_equal(steps.marked, 1);
    free(s.finder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_training_loop), cmocka_unit_test(test_two_kernels),
        cmocka_unit_test(test_outliers),      cmocka_unit_test(test_no_steps),
        cmocka_unit_test(test_marks_win),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
