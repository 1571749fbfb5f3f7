/* What the player gives as evidence: spans and samples, from waits, words and side lines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "block_text.h"
#include "timeline_events.h"

/* The evidence of one rank: spans by kind, samples summed. */
struct evidence {
    struct wi_names *names;
    int64_t span_ns[WI_SPAN_COUNT];
    int64_t samples, starts, exits, throttled_ns, sampled_ns;
    int64_t in_gap; /* samples with a busy thread */
    struct wi_host_sample last;
    char frame[64];
};

static void note_evidence(void *ctx, int rank, const struct wi_event *event)
{
    struct evidence *seen = ctx;
    const struct wi_host_span *span = &event->u.span;
    const struct wi_host_sample *sample = &event->u.sample;
    (void)rank;

    if (event->kind == WI_EVENT_SPAN) {
        seen->span_ns[span->kind] += span->end_ns - span->start_ns;
        if (span->kind == WI_SPAN_FRAME)
            snprintf(seen->frame, sizeof(seen->frame), "%s",
                     wi_names_text(seen->names, span->name));
    } else if (event->kind == WI_EVENT_SAMPLE) {
        seen->samples++;
        seen->starts += sample->child_starts;
        seen->exits += sample->child_exits;
        seen->throttled_ns += sample->throttled_ns;
        seen->sampled_ns += sample->interval_ns;
        seen->in_gap += sample->threads_busy != WI_UNKNOWN && sample->threads_busy > 0;
        seen->last = *sample;
    }
}

/* The names of the last call stay valid until the next one. */
static struct evidence evidence_of(const char *block)
{
    static struct wi_names *names;
    struct evidence seen = {.names = NULL};
    struct tl_file file;

    if (names)
        wi_names_free(names);
    names = seen.names = wi_names_create(1 << 20);
    assert_int_equal(read_text(&file, block), 0);
    assert_string_equal(file.block[0].problem, "");
    assert_int_equal(tl_events(&file.block[0], 0, names, note_evidence, &seen), 0);
    tl_free(&file);
    return seen;
}

#define STEP "kern 1 dev=1\n"

static void test_waits_are_seen_as_a_watch_would_see_them(void **state)
{
    struct evidence seen = evidence_of(
        "wait 5 futex\n" STEP "wait 6 poll\n" STEP "wait 7 epoll\n" STEP "wait 8 child\n" STEP
        "wait 9 read\n" STEP "wait 10 fsync\n" STEP "wait 11 gil\n" STEP "wait 12 condvar\n" STEP
        "wait 0.5 poll\n" STEP "wait 0.02 epoll\n" STEP);
    (void)state;

    assert_int_equal(seen.span_ns[WI_SPAN_WAIT_FUTEX], 17000000);
    assert_int_equal(seen.span_ns[WI_SPAN_WAIT_POLL], 13000000); /* nobody asks: no server */
    assert_int_equal(seen.span_ns[WI_SPAN_WAIT_CHILD], 8000000);
    assert_int_equal(seen.span_ns[WI_SPAN_WAIT_FILE], 9000000);
    assert_int_equal(seen.span_ns[WI_SPAN_WAIT_FSYNC], 10000000);
    assert_int_equal(seen.span_ns[WI_SPAN_WAIT_LOCK], 11000000);
    seen = evidence_of("side accept queue never empty\nwait 7 epoll\n" STEP "wait 0.02 epoll\n" STEP
                       "wait 6 poll\n" STEP);
    assert_int_equal(seen.span_ns[WI_SPAN_WAIT_REQUEST], 7020000);
    assert_int_equal(seen.span_ns[WI_SPAN_WAIT_POLL], 6000000);
}

static void test_looks_at_the_stack_show_functions(void **state)
{
    struct evidence seen = evidence_of("cpu 5 tokenize\n" STEP);
    (void)state;

    assert_int_equal(seen.span_ns[WI_SPAN_FRAME], 5000000);
    assert_string_equal(seen.frame, "tokenize");
    seen = evidence_of("cpu 5 collect-garbage\n" STEP);
    assert_int_equal(seen.span_ns[WI_SPAN_COLLECTING], 0);
    seen = evidence_of("side launch thread cpu=100 in gap ; stack: collector / driver\n"
                       "cpu 5 collect-garbage\n" STEP "cpu 2 loop-body\n" STEP);
    assert_int_equal(seen.span_ns[WI_SPAN_COLLECTING], 5000000);
    assert_int_equal(seen.span_ns[WI_SPAN_FRAME], 2000000);
    assert_int_equal(seen.last.issuer_run_permille, WI_UNKNOWN);
    seen = evidence_of("cpu 5 spin\n" STEP);
    assert_int_equal(seen.span_ns[WI_SPAN_BUSY_POLL], 5000000);
    /* 1000 stretches of 0.1 ms in 200 ms: 500 looks a second are 100. */
    seen = evidence_of("loop 1000\ncpu 0.1 short\nkern 1 host=0.1 dev=0.01\nend\n");
    assert_in_range(seen.span_ns[WI_SPAN_FRAME], 9000000, 11000000);
}

static void test_samples_hold_what_side_lines_say(void **state)
{
    struct evidence seen =
        evidence_of("side host cores=64 threads=4428 us=53 sy=46 ; launch thread oncpu 12 percent,"
                    " run-queue wait 88 percent\nwait 30 futex\n" STEP);
    (void)state;

    assert_int_equal(seen.last.cores_machine, 64);
    assert_int_equal(seen.last.runnable, 533); /* 64 cores / 0.12 */
    assert_int_equal(seen.last.cores_idle_permille, 640);
    assert_int_equal(seen.last.issuer_run_permille, 120);
    assert_int_equal(seen.last.issuer_runnable_permille, 880);
    assert_int_equal(seen.last.threads_busy, WI_UNKNOWN);
    seen = evidence_of("side thread packer n=1 cpu=100 state=R (same process) ; workers n=4 "
                       "cpu=35\nwait 30 futex\n" STEP);
    assert_int_equal(seen.last.threads_busy, 1);
    assert_int_equal(seen.last.busiest_permille, 1000);
    assert_string_equal(wi_names_text(seen.names, seen.last.busiest_name), "packer");
    assert_int_equal(seen.last.children, 4);
    assert_int_equal(seen.last.child_cpu_permille, 350);
    seen = evidence_of("side thread pin-memory cpu=8\nwait 30 futex\n" STEP);
    assert_int_equal(seen.last.threads_busy, 0);
    assert_int_equal(seen.last.busiest_permille, 80);
    seen = evidence_of("side inbox empty ; no other thread of the process busy\n" STEP);
    assert_int_equal(seen.last.threads_busy, 0);
    /* A gap of 2.5 s behind 1.5 s of work: of the samples at 1, 2, 3, 4 s the last two. */
    seen = evidence_of("scale 1:10 ; side process threads n=20 cpu=95 each during the gap, workers "
                       "idle\nkern 1 host=1600 dev=1\ncpu 2500 x\nsync\n");
    assert_int_equal(seen.in_gap, 3); /* and the one at the end */
    assert_int_equal(seen.last.busiest_permille, 950);
    assert_int_equal(seen.last.child_cpu_permille, 0);
}

static void test_samples_hold_what_happened_in_their_time(void **state)
{
    /* 8 workers end and start in a pause of 4 s; 2.5 s of quota; 3.3 s in the run queue. */
    struct evidence seen =
        evidence_of("side workers n=8 exit and are spawned again in each 4.2 s gap\n"
                    "wait 4000 child\n" STEP "wait 2500 throttled\n" STEP "wait 3300 runq\n" STEP
                    "wait 100 child\n" STEP);
    (void)state;

    assert_int_equal(seen.starts, 8);
    assert_int_equal(seen.exits, 8);
    assert_int_equal(seen.throttled_ns, 2500000000);
    assert_in_range(seen.sampled_ns, 9900000000, 9910000000);
    assert_int_equal(seen.span_ns[WI_SPAN_WAIT_CHILD], 4100000000);
    assert_int_equal(seen.last.issuer_run_permille, WI_UNKNOWN);
    assert_true(seen.last.issuer_runnable_permille >= 0);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_waits_are_seen_as_a_watch_would_see_them),
        cmocka_unit_test(test_looks_at_the_stack_show_functions),
        cmocka_unit_test(test_samples_hold_what_side_lines_say),
        cmocka_unit_test(test_samples_hold_what_happened_in_their_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
