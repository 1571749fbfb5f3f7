/* The timeline parser and the event writer: what is refused, and what every event stream holds.
 * The scenario file comes as the first argument. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "block_text.h"
#include "live_log.h"
#include "timeline_cut.h"
#include "timeline_events.h"
#include "timeline_sim.h"
#include "timeline_truth.h"

static const char *scenario_path;

static void test_refuses_bad_lines(void **state)
{
    static const char *const bad[] = {
        "walt 3 poll\n",
        "wait 3 nowhere\n",
        "wait poll 3\n",
        "loop 3\nsync\n",
        "end\n",
        "kern 3 dev=1x\n",

        "h2d 3Q pinned async dev=1\n",

        "",
        "kern -3 dev=1\n",
        "loop 2\nrank 1\nend\n",
        ":: transfer/alone\n",
    };
    (void)state;

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct tl_file file;

        assert_int_equal(read_text(&file, bad[i]), 0);
        assert_int_equal(file.blocks, 1);
        if (!*file.block[0].problem || file.block[0].ranks)
            fail_msg("accepted: %s", bad[i]);
        tl_free(&file);
    }
}

static void test_reads_every_part(void **state)
{
    struct tl_file file;
    (void)state;

    assert_int_equal(
        read_text(&file, "side workers n=4 cpu=12 state=D ; 9 of 12 cores idle\n"
                         "side device sms=30 ; host cores=12\n"
                         "loop 3 # three\n"
                         "  h2d 19.3M pageable sync n=2 host=0.05 dev=4.4 stream=2 sticky colour=1 "
                         ":: transfer/x y\n"
                         "end\n"
                         "kern 7 dev=0.0965 grid=32 block=128 uf\n"),
        0);
    const struct tl_block *block = tl_find(&file, "X1", "one");
    assert_non_null(block);
    assert_int_equal(block->side.workers, 4);
    assert_int_equal(block->side.worker_cpu_percent, 12);
    assert_int_equal(block->side.worker_disk_wait, 1);
    assert_int_equal(block->side.cores, 12);
    assert_int_equal(block->side.cores_idle, 9);
    assert_int_equal(block->side.sms, 30);
    const struct tl_line *program = block->rank[0].program;
    assert_int_equal(block->rank[0].lines, 4);
    assert_int_equal(program[0].count, 3);
    assert_int_equal(program[0].jump, 2);
    assert_int_equal(program[1].bytes, 19300000);
    assert_int_equal(program[1].count, 2);
    assert_int_equal(program[1].host_ns, 50000);
    assert_int_equal(program[1].dev_ns, 4400000);
    assert_int_equal(program[1].stream, 2);
    assert_true(program[1].sync && !program[1].pinned);
    assert_string_equal(block->tag[program[1].tag], "transfer/x y");
    assert_int_equal(program[3].dev_ns, 96500);
    assert_int_equal(program[3].host_ns, 8000);
    assert_int_equal(program[3].grid, 32);
    assert_true(program[3].underfilled);
    assert_int_equal(program[3].tag, TL_NO_TAG);
    tl_free(&file);
}

struct stream_check {
    int64_t last[TL_MAX_RANKS];
    uint64_t calls, owing, ops, samples;
    uint64_t corr_of_calls, corr_of_ops; /* sums: each owed record comes once */
};

static void check_event(void *ctx, int rank, const struct wi_event *event)
{
    struct stream_check *check = ctx;
    int64_t at = wi_event_time(event);

    assert_true(at >= check->last[rank]);
    check->last[rank] = at;
    if (event->kind == WI_EVENT_CALL) {
        check->calls++;
        assert_true(event->u.call.exit_ns >= event->u.call.enter_ns);
        if (event->u.call.flags & WI_CALL_OWES) {
            check->owing++;
            check->corr_of_calls += event->u.call.corr;
        }
    } else if (event->kind == WI_EVENT_OP) {
        check->ops++;
        check->corr_of_ops += event->u.op.corr;
        assert_true(event->u.op.end_ns > event->u.op.start_ns);
    } else if (event->kind == WI_EVENT_SAMPLE) {
        check->samples++;
    }
}

static void test_events_are_ordered_and_complete(void **state)
{
    struct tl_file file;
    (void)state;

    assert_int_equal(tl_read(&file, scenario_path), 0);
    assert_true(file.blocks > 10);
    for (int b = 0; b < file.blocks; b++) {
        struct stream_check check = {.last = {0}};
        struct wi_names *names = wi_names_create(1 << 20);

        for (int r = 0; r < TL_MAX_RANKS; r++)
            check.last[r] = INT64_MIN;
        assert_int_equal(tl_events(&file.block[b], 0, names, check_event, &check), 0);
        assert_true(check.ops > 0 && check.samples > 0);
        assert_int_equal(check.owing, check.ops);
        assert_int_equal(check.corr_of_calls, check.corr_of_ops);
        wi_names_free(names);
    }
    tl_free(&file);
}

struct silence_check {
    int64_t run_ns, runnable_ns, spans;
};

static void note_silence(void *ctx, int rank, const struct wi_event *event)
{
    struct silence_check *check = ctx;
    (void)rank;

    if (event->kind == WI_EVENT_SPAN)
        check->spans += event->u.span.end_ns - event->u.span.start_ns;
    if (event->kind == WI_EVENT_CALL && event->u.call.run_ns != WI_UNKNOWN) {
        check->run_ns += event->u.call.run_ns;
        check->runnable_ns += event->u.call.runnable_ns;
    }
}

static void test_silences_say_how_they_were_spent(void **state)
{
    struct silence_check check = {0, 0, 0};
    struct wi_names *names = wi_names_create(1 << 20);
    struct tl_file file;
    (void)state;

    /* Asleep 20, on the CPU 6, runnable 4; then 0.5, too short to be measured. */
    assert_int_equal(read_text(&file, "wait 20 poll\ncpu 6\nwait 4 runq\nkern 1 dev=1\n"
                                      "cpu 0.5\nkern 1 dev=1\n"),
                     0);
    assert_int_equal(tl_events(&file.block[0], 0, names, note_silence, &check), 0);
    assert_int_equal(check.run_ns, 6000000);
    assert_int_equal(check.runnable_ns, 4000000);
    assert_int_equal(check.spans, 20000000);
    wi_names_free(names);
    tl_free(&file);
}

#define RECORDS 400000

static void test_a_graph_is_one_launch(void **state)
{
    struct tl_truth truth;
    struct tl_file file;
    (void)state;

    assert_int_equal(read_text(&file, "graph 200 host=0.5 dev=0.01\nsync\n"), 0);
    assert_int_equal(tl_truth(&file.block[0], 0, &truth), 0);
    assert_int_equal(truth.length_ns, 2500000);
    assert_int_equal(truth.shares, 2);
    assert_int_equal(truth.share[0].ns, 2000000);
    tl_free(&file);
}

static void test_cuts_shorten_what_is_long(void **state)
{
    struct tl_file file;
    struct tl_cut cut;
    (void)state;

    assert_int_equal(tl_read_cut(&cut, "x"), -1);
    assert_int_equal(tl_read_cut(&cut, "3:20:1000"), 0);
    assert_int_equal(read_text(&file, "loop 50\n  wait 8300 child\n  loop 315\n    cpu 5 x\n"
                                      "    kern 10 dev=1\n  end\n  cpu 2000 y\nend\n"),
                     0);
    tl_cut(&file.block[0], &cut);
    const struct tl_line *program = file.block[0].rank[0].program;
    assert_int_equal(program[0].count, 50); /* the player cuts it */
    assert_int_equal(program[1].ns, 1000000000);
    assert_int_equal(program[2].count, 20);
    assert_int_equal(program[3].ns, 5000000);
    assert_int_equal(program[4].count, 10);
    assert_int_equal(program[6].ns, 1000000000);
    tl_free(&file);
    /* 200 ms a loop fit: 4 s of them. 10 s a loop do not. */
    assert_int_equal(read_text(&file, "loop 100\n  wait 200 poll\nend\n"), 0);
    cut = tl_choose_cut(&file.block[0]);
    assert_true(cut.loops == 20 && !cut.inner && !cut.longest_ns);
    tl_free(&file);
    assert_int_equal(read_text(&file, "loop 100\n  wait 10000 poll\nend\n"), 0);
    cut = tl_choose_cut(&file.block[0]);
    assert_true(cut.loops == 4 && cut.longest_ns == 1000000000);
    tl_free(&file);
}

/* A live run that keeps every time of the timeline exactly. */
struct perfect_run {
    const struct tl_line *program;
    struct live_record record[RECORDS];
    int64_t count;
};

static void note_call(void *ctx, int rank, const struct tl_line *line, int64_t enter, int64_t exit,
                      int64_t op_start, int64_t op_end)
{
    struct perfect_run *run = ctx;
    int64_t issued = line->sync ? enter + line->host_ns : enter;
    (void)rank, (void)op_start, (void)op_end;

    assert_true(run->count < RECORDS);
    run->record[run->count++] = (struct live_record){line - run->program, issued, exit, 0};
}

static void note_wait(void *ctx, int rank, const struct tl_line *line, int64_t a, int64_t b)
{
    struct perfect_run *run = ctx;
    (void)rank;

    assert_true(run->count < RECORDS);
    run->record[run->count++] = (struct live_record){line - run->program, a, b, 0};
}

static int64_t share_of(const struct tl_truth *truth, const char *tag)
{
    for (int i = 0; i < truth->shares; i++)
        if (!strcmp(truth->share[i].tag, tag))
            return truth->share[i].ns;
    return 0;
}

static int has_allocations(const struct tl_rank *rank)
{
    for (int i = 0; i < rank->lines; i++)
        if (rank->program[i].op >= TL_MALLOC)
            return 1;
    return 0;
}

static void test_a_perfect_live_run_has_the_planned_truth(void **state)
{
    struct perfect_run *run = calloc(1, sizeof(*run));
    struct tl_sink sink = {.call = note_call, .silence = note_wait, .ctx = run};
    struct tl_truth planned, played;
    struct tl_file file;
    (void)state;

    assert_int_equal(tl_read(&file, scenario_path), 0);
    for (int b = 0; b < file.blocks; b++) {
        const struct tl_block *block = &file.block[b];

        if (block->ranks > 1 || has_allocations(&block->rank[0]))
            continue;
        run->program = block->rank[0].program;
        run->count = 0;
        assert_true(tl_play(block, 0, &sink) > 0);
        assert_int_equal(tl_truth(block, 0, &planned), 0);
        assert_int_equal(tl_truth_played(block, run->record, run->count, &played), 0);
        assert_int_equal(played.length_ns, planned.length_ns);
        assert_int_equal(played.shares, planned.shares);
        for (int i = 0; i < planned.shares; i++)
            assert_int_equal(share_of(&played, planned.share[i].tag), planned.share[i].ns);
    }
    tl_free(&file);
    free(run);
}

static void test_what_the_machine_took_is_a_disturbance(void **state)
{
    /* Launch, 1 ms of kernel, then a launch that came 5 ms later than written. */
    static const struct live_record records[] = {{0, 0, 10000, 0}, {1, 0, 6000000, 0}};
    struct tl_truth truth;
    struct tl_file file;
    (void)state;

    assert_int_equal(read_text(&file, "kern 1 host=0.01 dev=1\nkern 1 host=1 dev=1\n"), 0);
    assert_int_equal(tl_truth_played(&file.block[0], records, 2, &truth), 0);
    assert_int_equal(truth.length_ns, 7000000);
    assert_int_equal(share_of(&truth, "compute"), 2000000);
    assert_int_equal(share_of(&truth, "small-batch/launch gap"), 10000);
    assert_int_equal(share_of(&truth, "host-other/disturbance"), 4990000);
    tl_free(&file);
    /* 20 ms of waiting and 6 of work, 8 and 2 of them in the run queue. */
    static const struct live_record queued[] = {
        {0, 0, 20000000, 8000000}, {1, 20000000, 26000000, 2000000}, {2, 26000000, 26010000, 0}};
    assert_int_equal(read_text(&file, "wait 20 poll :: data-loading/x\ncpu 6 y\n"
                                      "kern 1 host=0.01 dev=1\n"),
                     0);
    assert_int_equal(tl_truth_played(&file.block[0], queued, 3, &truth), 0);
    assert_int_equal(share_of(&truth, "data-loading/x"), 12000000);
    assert_int_equal(share_of(&truth, "host-other/python"), 4000000);
    assert_int_equal(share_of(&truth, "host-other/disturbance"), 10000000);
    tl_free(&file);
}

int main(int argc, char **argv)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refuses_bad_lines),
        cmocka_unit_test(test_reads_every_part),
        cmocka_unit_test(test_events_are_ordered_and_complete),
        cmocka_unit_test(test_silences_say_how_they_were_spent),
        cmocka_unit_test(test_a_graph_is_one_launch),
        cmocka_unit_test(test_cuts_shorten_what_is_long),
        cmocka_unit_test(test_a_perfect_live_run_has_the_planned_truth),
        cmocka_unit_test(test_what_the_machine_took_is_a_disturbance),
    };

    if (argc != 2)
        return 2;
    scenario_path = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
