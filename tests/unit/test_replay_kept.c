/* What of a run is kept to be replayed, and when nothing is said from it.
 * Threads: one. */
#include "analyze/effects.h"
#include "analyze/engine_state.h"
#include "analyze/replay.h"
#include "replay_fixture.h"

/* One round of everything at once, of lengths that differ from round to round; returns its end. */
static int64_t mixed_round(struct bench *b, int64_t at, int64_t i)
{
    struct moved batch = {1000000, WI_COPY_H2D, WI_MEM_PAGEABLE, .blocking = 1};
    struct moved value = {8, WI_COPY_D2H, WI_MEM_PAGEABLE, .blocking = 1};
    int64_t copied = at + 40 + 100 + 10 * (i % 5);
    say(b, WI_API_ALLOC, at, at + 20);
    transfer(b, &(struct work){at + 30, copied + 5, at + 40, copied, .stream = 0}, &batch);
    int64_t t = copied + 10, first = t + 5 + 200 + 30 * (i % 7);
    int64_t beside = first + 1 + 100 + 90 * (i % 3), last = first + 1 + 150;
    kernel(b, &(struct work){t, t + 5, t + 5, first, 0, 20, 0, 0});
    call_on(b, WI_API_EVENT_RECORD, t + 6, t + 7, 0, 500 + (uint64_t)i);
    call_on(b, WI_API_STREAM_WAIT, t + 8, t + 9, 2, 500 + (uint64_t)i);
    kernel(b,
           &(struct work){t + 10, t + 15, first + 1, beside, 2, 20, WI_CALL_NONBLOCKING_STREAM, 0});
    kernel(b, &(struct work){t + 16, t + 21, first + 1, last, 0, 20, 0, 0});
    transfer(b, &(struct work){t + 25, last + 6, last + 1, last + 3, .stream = 0}, &value);
    int64_t done = last + 8 > beside ? last + 8 : beside;
    say(b, WI_API_SYNC, last + 8, done + 4);
    return done + 4 + 50 + 13 * (i % 11);
}

/* The replay of what happened is what happened, in every part of it, to the nanosecond. */
static void test_the_baseline_is_exact(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 1, 0);
    gpu_of_ten_sms(&b);
    for (int64_t i = 0, at = 0; i < 100; i++)
        at = mixed_round(&b, at, i);
    finish(&b);
    struct wi_run_evidence run =
        wi_findings_run(b.engine->ledger, &b.engine->calls, b.result.end_ns);
    const struct wi_reservoir *kept = &b.engine->calls.reservoir;
    struct wi_splits splits;
    struct wi_change nothing;
    struct wi_effects effects;
    struct wi_replay_model model;
    int64_t rare_ns;
    wi_change_none(&nothing);
    assert_int_equal(wi_splits_of(&splits, &b.arena, b.engine->ledger, &run, 1), 0);
    assert_int_equal(wi_effects_of(&effects, &b.arena, &splits, &nothing, &rare_ns), 0);
    assert_int_equal(wi_replay_model(&model, &b.arena, &b.engine->calls, kept->records,
                                     kept->blocks[0].count, 0),
                     0);
    struct wi_replay_state *replay = wi_replay_create(&b.arena, model.count);
    struct wi_replayed real, again;
    wi_replay_measured(&model, &effects, WI_REPLAY_MARKS, &real);
    wi_replay(replay, &model, &effects, WI_REPLAY_MARKS, &again);
    assert_int_equal(real.marks, WI_REPLAY_MARKS + 1);
    for (uint32_t i = 0; i < real.marks; i++)
        assert_int_equal(real.mark_ns[i], again.mark_ns[i]);
    assert_int_equal(real.end_ns, again.end_ns);
    assert_true(b.result.replay.error == 0 && b.result.replay.unexplained == 0);
    bench_close(&b);
}

/* How a change plays on what is kept from record `from` on. */
static void play_from(struct bench *b, uint32_t from, const char *text,
                      struct wi_replay_model *model, struct wi_replayed *real,
                      struct wi_replayed *after)
{
    const struct wi_reservoir *kept = &b->engine->calls.reservoir;
    struct wi_run_evidence run =
        wi_findings_run(b->engine->ledger, &b->engine->calls, b->result.end_ns);
    struct wi_splits splits;
    struct wi_change change;
    struct wi_effects effects;
    int64_t rare_ns;
    struct wi_change_problem problem;
    assert_int_equal(wi_change_parse(&change, text, &problem), 0);
    assert_int_equal(wi_splits_of(&splits, &b->arena, b->engine->ledger, &run, 1), 0);
    assert_int_equal(wi_effects_of(&effects, &b->arena, &splits, &change, &rare_ns), 0);
    assert_int_equal(wi_replay_model(model, &b->arena, &b->engine->calls, kept->records + from,
                                     kept->blocks[0].count - from, from),
                     0);
    struct wi_replay_state *replay = wi_replay_create(&b->arena, model->count);
    wi_replay_measured(model, &effects, 1, real);
    wi_replay(replay, model, &effects, 1, after);
}

/* Two streams that know nothing of each other, all asked for in the first 1.2 ms: 60 kernels of 500
 * us on `slow`, as many of `fast_us` on `fast`. */
static void two_streams_far_ahead(struct bench *b, int64_t fast_us, uint64_t slow, uint64_t fast)
{
    bench_open(b, 1, 0);
    gpu_of_ten_sms(b);
    for (int64_t i = 0; i < 60; i++) {
        int64_t host = 20 * i, at = 2000 + 500 * i, beside = 2000 + fast_us * i;
        kernel(b, &(struct work){host, host + 5, at, at + 500, slow, 20, 0, 0});
        kernel(b, &(struct work){host + 6, host + 11, beside, beside + fast_us, fast, 20, 0, 0});
    }
    finish(b);
}

/* A stretch that begins when the host is done and the streams are at places of their own (kernel 20
 * of the slow one starts at 12.0 ms, of the fast one at 10.0 or 8.4): nothing is unexplained, and
 * the slower one sets the pace, from its first kernel here to its last. */
static void test_streams_at_different_places(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        struct bench b;
        struct wi_replay_model model;
        struct wi_replayed real, after;
        two_streams_far_ahead(&b, i / 2 ? 320 : 400, 1 + i % 2, 2 - i % 2);
        play_from(&b, 40, "gpu-2x", &model, &real, &after);
        assert_int_equal(model.unexplained_ns[WI_OP_KERNEL], 0);
        assert_near("before", "gpu-2x", real.end_ns - real.start_ns, 40 * 500, 0);
        assert_near("after", "gpu-2x", after.end_ns - after.start_ns, 40 * 250, 0);
        bench_close(&b);
    }
}

/* A full stretch of kernels of 10 us on one stream, all asked for in the first 23 ms; then, in a
 * stretch of their own, 60 kernels of another stream (which had none for 100 ms) and the wait for
 * both streams. What that waits for is in the stretch before: it gains nothing by not waiting. */
static void test_a_wait_for_work_of_another_stretch(void **state)
{
    (void)state;
    struct bench b;
    int64_t all = WI_BLOCK_RECORDS, host = 0;
    bench_open(&b, 1, 0);
    gpu_of_ten_sms(&b);
    for (int64_t i = 0; i < all; i++, host++)
        kernel(&b, &(struct work){host, host + 1, 10 + 10 * i, 20 + 10 * i, 1, 20, 0, 0});
    for (int64_t i = 0, at = 100000; i < 60; i++, host++, at += 10)
        kernel(&b, &(struct work){host, host + 1, at, at + 10, 2, 20, 0, 0});
    say(&b, WI_API_SYNC, host, 15 + 10 * all);
    finish(&b);
    struct wi_prediction stays = ask(&b, "no-readback-sync"), gains = ask(&b, "gpu-2x");
    assert_null(stays.withheld);
    assert_in_range((int64_t)(stays.speedup * 1000), 995, 1005);
    assert_in_range((int64_t)(gains.speedup * 1000), 1990, 2000);
    bench_close(&b);
}

/* The first record of a stretch is work of a call that is not in it: it starts when it did. */
static void test_a_stretch_that_begins_with_work_alone(void **state)
{
    (void)state;
    struct bench b;
    struct wi_replay_model model;
    struct wi_replayed real, after;
    bench_open(&b, 1, 0);
    for (int64_t at = 0; at < 50 * 100; at += 100) {
        struct wi_device_op op = make_op(&b, WI_OP_KERNEL, at + 45, at + 65);
        launch(&b, at, at + 5, at + 5, at + 35);
        op.corr = 1000000; /* of no call */
        wi_engine_op(b.engine, &op);
    }
    finish(&b);
    const struct wi_kept *records = b.engine->calls.reservoir.records;
    uint32_t from = 10;
    while (from < 100 && records[from].enter_ns != WI_UNKNOWN)
        from++;
    int64_t began_ns = records[from].start_ns;
    assert_true(from < 100 && began_ns > 0);
    play_from(&b, from, "input-ready", &model, &real, &after);
    assert_int_equal(real.start_ns, began_ns);
    assert_int_equal(after.start_ns, began_ns);
    assert_int_equal(real.end_ns, after.end_ns);
    bench_close(&b);
}

/* One stream that keeps pace with the host (each 1000 us a launch of 5 and its kernel of 800), and
 * one whose single kernel starts late in the stretch, for no reason that is known: from its start
 * on there would be hardly anything to replay. */
static void test_a_late_kernel_beside_a_busy_stream(void **state)
{
    (void)state;
    struct bench b;
    struct wi_replay_model model;
    struct wi_replayed real, after;
    bench_open(&b, 1, 0);
    gpu_of_ten_sms(&b);
    for (int64_t i = 0, at = 0; i < 40; i++, at += 1000) {
        kernel(&b, &(struct work){at, at + 5, at + 5, at + 805, 1, 20, 0, 0});
        if (i == 5)
            kernel(&b, &(struct work){at + 10, at + 15, at + 30900, at + 31000, 2, 20, 0, 0});
    }
    finish(&b);
    play_from(&b, 2, "gpu-2x", &model, &real, &after);
    assert_near("late", "gpu-2x", model.unexplained_ns[WI_OP_KERNEL], 30885, 10);
    assert_true(real.end_ns - real.start_ns > 30000 * US);
    bench_close(&b);
}

/* 20 cycles of `usual` launches (each 120 us: 5 us, a kernel of 100, a wait for it) and one whose
 * work starts 150 us after it returned, for no reason that is known: 270 us. */
static void some_start_late(struct bench *b, int usual, int copies)
{
    struct moved batch = {4000000, WI_COPY_H2D, WI_MEM_PINNED, .blocking = 0};
    int64_t at = 0;
    bench_open(b, 1, 0);
    for (int i = 0; i < 20 * (usual + 1); i++) {
        int64_t late = i % (usual + 1) == usual ? 150 : 0;
        struct work work = {at, at + 5, at + 5 + late, at + 105 + late, .stream = 0};
        if (late && copies)
            transfer(b, &work, &batch);
        else
            kernel(b, &work);
        say(b, WI_API_SYNC, at + 6, at + 110 + late);
        at += 120 + late;
    }
    finish(b);
}

/* The usual launch starts at once, so that 145 to 150 us of each late one are not explained: with
 * 25 usual ones between them 4.4 to 4.6 % of 3270 us, with 20 of them 5.4 to 5.6 % of 2670 us. */
static void test_withheld_when_too_much_is_not_explained(void **state)
{
    (void)state;
    struct bench b;
    some_start_late(&b, 25, 0);
    assert_null(ask(&b, "gpu-2x").withheld);
    assert_in_range(b.result.replay.unexplained * 10000, 440, 460);
    bench_close(&b);
    some_start_late(&b, 20, 0);
    assert_string_equal(ask(&b, "gpu-2x").withheld,
                        "kernels start late for a reason that was not recorded");
    assert_in_range(b.result.replay.unexplained * 10000, 540, 560);
    assert_string_equal(b.result.replay.withheld,
                        "kernels start late for a reason that was not recorded");
    bench_close(&b);
    some_start_late(&b, 20, 1);
    assert_string_equal(ask(&b, "gpu-2x").withheld,
                        "copies start late for a reason that was not recorded");
    bench_close(&b);
}

/* 40 streams, each with a kernel at once and then one that starts 50 ms after its call: delays of 2
 * s in 60 ms are all of the time, not more. */
static void test_what_is_not_explained_is_at_most_all(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 1, 0);
    for (int64_t i = 0; i < 80; i++) {
        int64_t at = 100 * i, start = at + (i < 40 ? 5 : 50000);
        kernel(&b, &(struct work){at, at + 5, start, start + 50, 1 + (uint64_t)i % 40, 20, 0, 0});
    }
    finish(&b);
    assert_true(b.result.replay.unexplained == 1);
    assert_string_equal(b.result.replay.withheld,
                        "kernels start late for a reason that was not recorded");
    bench_close(&b);
}

/* Without device times, and with 15 calls, nothing can be replayed; with 16 it can. */
static void test_withheld_without_what_it_takes(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 1, 0);
    b.engine->config.host_only = 1;
    for (int64_t at = 0; at < 100 * 50; at += 50)
        say(&b, WI_API_LAUNCH, at, at + 10);
    finish(&b);
    assert_string_equal(ask(&b, "graph-replay").withheld,
                        "device times were not recorded, only host calls");
    bench_close(&b);
    for (int calls = 15; calls <= 16; calls++) {
        bench_open(&b, 1, 0);
        for (int64_t i = 0; i < calls; i++)
            launch(&b, i * 50, i * 50 + 10, i * 50 + 10, i * 50 + 15);
        finish(&b);
        assert_true(!ask(&b, "graph-replay").withheld == (calls == 16));
        bench_close(&b);
    }
}

/* ---- long runs */

/* `count` launches, one each 20 us (5 us, a kernel of 5), with the given silence of own work before
 * every `every`-th one. */
static void long_run(struct bench *b, int64_t count, int64_t every, int64_t pause_us)
{
    bench_open(b, 1, 0);
    for (int64_t i = 0, at = 0; i < count; i++, at += 20) {
        struct wi_host_call call = make_call(b, WI_API_LAUNCH, 0, 0);
        int64_t before = every && i % every == every / 2 ? pause_us : 0;
        at += before;
        call.enter_ns = at * US;
        call.exit_ns = (at + 5) * US;
        call.corr = ++b->corr;
        call.runnable_ns = 0;
        call.run_ns = (15 + before) * US;
        wi_engine_call(b->engine, &call);
        struct wi_device_op op = make_op(b, WI_OP_KERNEL, at + 5, at + 10);
        wi_engine_op(b->engine, &op);
        if (i % 256 == 0)
            wi_engine_advance(b->engine, at * US);
    }
    finish(b);
}

/* Four pauses of half a second in 400 000 launches of 20 us: 8 s, and 2 s of pauses, of which the
 * kept stretches (8 of 18) hold any number. They weigh what they took: 10 s come to 8 without them,
 * to 9 with half of them. */
static void test_rare_pauses_weigh_what_they_took(void **state)
{
    (void)state;
    struct bench b;
    long_run(&b, 400000, 100000, 500000);
    brings_within(&b, "host-other-free:cause=host/cpu-compute", 10e6 - 15, 8e6 - 55, 100);
    brings_within(&b, "host-other-free:cause=host/cpu-compute,divide=2", 10e6 - 15, 9e6 - 35, 100);
    /* the pauses stay as they were: 2 s, and 4 s of launches that come each 10 us */
    brings_within(&b, "graph-replay:divide=2", 10e6 - 15, 6e6 - 35, 2000);
    bench_close(&b);
}

/* Ten times the run is replayed from as much memory. */
static void test_memory_does_not_grow(void **state)
{
    (void)state;
    uint64_t bytes[2];
    for (int i = 0; i < 2; i++) {
        struct bench b;
        long_run(&b, i ? 2000000 : 200000, 0, 0);
        bytes[i] = b.result.engine_bytes;
        /* a launch each 2 us keeps ahead of kernels of 5 us: 20 us become 5 */
        assert_in_range(ask(&b, "graph-replay").speedup * 1000, 3990, 4010);
        bench_close(&b);
    }
    assert_int_equal(bytes[0], bytes[1]);
}

/* ---- the stretches */

static void push_calls(struct wi_reservoir *kept, uint64_t count)
{
    struct wi_host_call call = {.api_class = WI_API_LAUNCH};
    for (uint64_t seq = 1; seq <= count; seq++) {
        call.enter_ns = (int64_t)seq * 20;
        call.exit_ns = call.enter_ns + 5;
        wi_reservoir_call(kept, &call, seq, 0);
    }
}

/* Each stretch holds consecutive calls, all that it has room for but the one being filled; no two
 * are the same. */
static void assert_whole(const struct wi_reservoir *kept, uint64_t count)
{
    for (uint32_t i = 0; i < WI_BLOCKS; i++) {
        const struct wi_block *block = &kept->blocks[i];
        uint64_t first = (block->id - 1) * WI_BLOCK_RECORDS + 1;
        uint64_t last = first + WI_BLOCK_RECORDS - 1;
        if (!block->id)
            continue;
        assert_int_equal(block->count, (last < count ? last : count) - first + 1);
        for (uint32_t k = 0; k < block->count; k++)
            assert_int_equal(kept->records[i * WI_BLOCK_RECORDS + k].seq, first + k);
        for (uint32_t k = 0; k < i; k++)
            assert_true(kept->blocks[k].id != block->id);
    }
}

/* 10^5 calls are all kept, in 5 stretches; of 10^7 eight of 444 are. */
static void test_stretches_are_whole(void **state)
{
    (void)state;
    static const uint64_t COUNTS[] = {100000, 10000000};
    for (int i = 0; i < 2; i++) {
        struct wi_arena arena;
        struct wi_reservoir kept;
        wi_arena_init(&arena, (size_t)32 << 20);
        wi_reservoir_init(&kept, &arena);
        size_t bytes = arena.mapped_bytes;
        push_calls(&kept, COUNTS[i]);
        uint32_t used = 0;
        for (uint32_t k = 0; k < WI_BLOCKS; k++)
            used += kept.blocks[k].id != 0;
        assert_int_equal(used, i ? 8 : 5);
        assert_whole(&kept, COUNTS[i]);
        assert_int_equal(arena.mapped_bytes, bytes);
        wi_arena_free(&arena);
    }
}

/* Of 24 stretches 8 are kept; over 90 runs with another chance each is there 30 times, give or take
 * 5 standard deviations of 4.5: no part of a run is preferred. */
static void test_every_part_is_as_likely(void **state)
{
    (void)state;
    enum { STRETCHES = 24, RUNS = 90 };
    int there[STRETCHES + 1] = {0};
    struct wi_arena arena;
    struct wi_reservoir kept;
    wi_arena_init(&arena, (size_t)32 << 20);
    wi_reservoir_init(&kept, &arena);
    for (uint64_t run = 1; run <= RUNS; run++) {
        kept = (struct wi_reservoir){.records = kept.records, .recording = WI_BLOCKS};
        kept.random = run * 0x9e3779b97f4a7c15u;
        push_calls(&kept, (uint64_t)STRETCHES * WI_BLOCK_RECORDS);
        for (uint32_t i = 0; i < WI_BLOCKS; i++)
            there[kept.blocks[i].id]++;
    }
    for (int i = 1; i <= STRETCHES; i++)
        assert_in_range(there[i], 30 - 22, 30 + 22);
    wi_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_baseline_is_exact),
        cmocka_unit_test(test_streams_at_different_places),
        cmocka_unit_test(test_a_wait_for_work_of_another_stretch),
        cmocka_unit_test(test_a_stretch_that_begins_with_work_alone),
        cmocka_unit_test(test_a_late_kernel_beside_a_busy_stream),
        cmocka_unit_test(test_withheld_when_too_much_is_not_explained),
        cmocka_unit_test(test_what_is_not_explained_is_at_most_all),
        cmocka_unit_test(test_withheld_without_what_it_takes),
        cmocka_unit_test(test_rare_pauses_weigh_what_they_took),
        cmocka_unit_test(test_memory_does_not_grow),
        cmocka_unit_test(test_stretches_are_whole),
        cmocka_unit_test(test_every_part_is_as_likely),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
