/* Copies of unchanged host memory, by hand: a table of 16 MiB goes to the device before each kernel
 * of 1 ms. A copy takes 2 ms; in what follows, step i is
 *   copy on the device [3010 i, 3010 i + 2000], its call from 20 us after the return of the one
 *   before until its end; launch [+2005, +2010], kernel [+2010, +3010]
 * so that 2000 of every 3010 us are exposed copy time. 20 us are enough to write 1 MB at 50 bytes a
 * ns: far less than half of 16.8 MB.
 * Threads: one. */
#include "engine_fixture.h"

#include <stdlib.h>

#include "analyze/repeats.h"

#define STEP_US     3010
#define STEPS       20
#define TABLE_BYTES (16 << 20)

struct table {
    uint64_t source[2]; /* of even and odd steps */
    int read_back;      /* something of this size comes from the device in between */
    int between;        /* class of a call in between, WI_API_COUNT = none */
    int looked;         /* a look has shown that nobody else is there */
};

static void upload(struct bench *b, int64_t enter_us, int64_t start_us, uint64_t source)
{
    struct wi_host_call call = make_call(b, WI_API_COPY, enter_us, start_us + 2000);
    call.corr = ++b->corr;
    call.flags = WI_CALL_OWES | WI_CALL_BLOCKING;
    call.bytes = TABLE_BYTES;
    call.direction = WI_COPY_H2D;
    call.target = source;
    wi_engine_call(b->engine, &call);
    struct wi_device_op op = make_op(b, WI_OP_COPY, start_us, start_us + 2000);
    op.bytes = TABLE_BYTES;
    op.direction = WI_COPY_H2D;
    op.src_mem = WI_MEM_PAGEABLE;
    op.dst_mem = WI_MEM_DEVICE;
    wi_engine_op(b->engine, &op);
}

static void other_call(struct bench *b, const struct table *t, int64_t at_us)
{
    if (t->between < WI_API_COUNT)
        say(b, t->between, at_us, at_us + 1);
    if (!t->read_back)
        return;
    struct wi_host_call call = make_call(b, WI_API_COPY, at_us, at_us + 1);
    call.direction = WI_COPY_D2H;
    call.bytes = TABLE_BYTES;
    wi_engine_call(b->engine, &call);
}

static void play(struct bench *b, const struct table *t)
{
    for (int i = 0; i < STEPS; i++) {
        int64_t at = STEP_US * i;
        upload(b, i ? at - STEP_US + 2020 : 0, at, t->source[i % 2]);
        launch(b, at + 2005, at + 2010, at + 2010, at + 3010);
        other_call(b, t, at + 2012);
    }
    finish(b);
    assert_exact(device_of(b, 0));
}

static int64_t duplicates(const struct table *t)
{
    struct bench b;
    bench_open(&b, 1, 0);
    if (t->looked) {
        struct wi_event event = {.kind = WI_EVENT_SAMPLE};
        wi_host_sample_clear(&event.u.sample);
        event.u.sample.at_ns = event.u.sample.children = event.u.sample.busiest_permille = 0;
        wi_engine_push(b.engine, &event);
    }
    play(&b, t);
    int64_t us = us_of(&b, WI_SUB_DUPLICATE_COPY);
    /* what is not a copy of the same is a copy from pageable memory: 2000 us a step in all */
    assert_int_equal(us + us_of(&b, WI_SUB_PAGEABLE_COPY), STEPS * 2000);
    bench_close(&b);
    return us;
}

/* The first copy is none again, and four repeats must be seen: the 5th copy is the first that
 * counts, 16 of 20. */
static void the_same_table_again(void **state)
{
    (void)state;
    assert_int_equal(duplicates(&(struct table){{7, 7}, 0, WI_API_COUNT, 0}), 16 * 2000);
}

/* Of two tables in turn the one may be rewritten by somebody while the other is copied, unless a
 * look shows that nobody is there: copies 9 to 20 then. */
static void two_tables_in_turn(void **state)
{
    (void)state;
    assert_int_equal(duplicates(&(struct table){{7, 8}, 0, WI_API_COUNT, 0}), 0);
    assert_int_equal(duplicates(&(struct table){{7, 8}, 0, WI_API_COUNT, 1}), 12 * 2000);
}

/* Address not known; written by the device in between; a host function that may have written it; a
 * buffer that may be a new one under the old address. */
static void nothing_is_said_where_it_may_have_changed(void **state)
{
    (void)state;
    assert_int_equal(duplicates(&(struct table){{0, 0}, 0, WI_API_COUNT, 1}), 0);
    assert_int_equal(duplicates(&(struct table){{7, 7}, 1, WI_API_COUNT, 1}), 0);
    assert_int_equal(duplicates(&(struct table){{7, 7}, 0, WI_API_HOST_FUNC, 1}), 0);
    assert_int_equal(duplicates(&(struct table){{7, 7}, 0, WI_API_PIN, 1}), 0);
}

static struct wi_host_call copy_of(uint64_t source, uint64_t bytes, int64_t enter_ns,
                                   int64_t exit_ns)
{
    return (struct wi_host_call){.enter_ns = enter_ns,
                                 .exit_ns = exit_ns,
                                 .api_class = WI_API_COPY,
                                 .direction = WI_COPY_H2D,
                                 .target = source,
                                 .bytes = bytes};
}

/* A loader that writes its one buffer anew for each step has the time to: 5 ms are enough for 250
 * MB; 167 us are enough for half of 16.8 MB (8.39 MB: 167772 ns), 166 us are not. */
static void a_buffer_that_is_used_again(void **state)
{
    (void)state;
    static const struct {
        int64_t between_ns;
        int repeated;
    } CASES[] = {{5000000, 0}, {168000, 0}, {167000, 1}};
    for (size_t i = 0; i < WI_ARRAY_LEN(CASES); i++) {
        struct wi_repeats *repeats = calloc(1, sizeof(*repeats));
        int64_t at = 0;
        int repeated = 0;
        for (int step = 0; step < 10; step++, at += 2000000 + CASES[i].between_ns) {
            struct wi_host_call call = copy_of(7, TABLE_BYTES, at, at + 2000000);
            repeated = wi_repeats_note(repeats, 0, &call, 0, WI_UNKNOWN);
        }
        assert_int_equal(repeated, CASES[i].repeated);
        free(repeats);
    }
}

/* Weights that do not fit the device come again for every token: 40 pieces of 16 MiB (671 MB), 2 ms
 * each, 0.1 ms of the thread's own work between two, so 4 ms a token (200 MB could be written, less
 * than half of 671). That counts only where nobody else can have written: without a look at the
 * others it is the 82 ms from the end of a copy to the next of the same piece; with one that runs
 * for a tenth of that 4 + 8.2 ms, in which 610 MB can be written. */
static int weights(int64_t others_permille)
{
    struct wi_repeats *repeats = calloc(1, sizeof(*repeats));
    int64_t at = 0, quiet = 0;
    int repeated = 0;
    for (int token = 0; token < 10; token++) {
        for (uint64_t piece = 1; piece <= 40; piece++, at += 2100000) {
            struct wi_host_call call = copy_of(piece, TABLE_BYTES, at, at + 2000000);
            quiet += 100000;
            repeated = wi_repeats_note(repeats, 3, &call, quiet, others_permille);
        }
    }
    free(repeats);
    return repeated;
}

static void weights_for_every_token(void **state)
{
    (void)state;
    assert_int_equal(weights(0), 1);
    assert_int_equal(weights(100), 0);
    assert_int_equal(weights(WI_UNKNOWN), 0);
}

/* Small pieces cost the call, not the bytes. */
static void tiny_pieces_are_not_looked_at(void **state)
{
    (void)state;
    struct wi_repeats *repeats = calloc(1, sizeof(*repeats));
    for (int i = 0; i < 10; i++) {
        struct wi_host_call call = copy_of(7, 65536, 1000 * i, 1000 * i + 999);
        assert_int_equal(wi_repeats_note(repeats, 0, &call, 0, 0), 0);
    }
    free(repeats);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_table_again),
        cmocka_unit_test(two_tables_in_turn),
        cmocka_unit_test(nothing_is_said_where_it_may_have_changed),
        cmocka_unit_test(a_buffer_that_is_used_again),
        cmocka_unit_test(weights_for_every_token),
        cmocka_unit_test(tiny_pieces_are_not_looked_at),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
