/* Plays one block of a timeline file for real, one to one in time, on whatever GPU libcudart gives.
 *   play_live FILE CASE NAME LOOPS [LOG]    outermost loops run at most LOOPS times (0 = choose);
 *                                           LOG gets what was really done, and when
 *   play_live --plan FILE CASE NAME LOOPS   prints that number only
 * Threads: the launching thread; see live_wait.h. May not: use the tags. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "live_device.h"
#include "live_log.h"
#include "live_wait.h"
#include "pace.h"
#include "timeline_sim.h"

#define BUDGET_NS   4000000000 /* a case takes a few seconds */
#define LEAST_LOOPS 3          /* fewer would hide what recurs */
#define UNPLAYABLE  3

static int64_t planned_ns(const struct tl_block *block, int64_t loops)
{
    struct tl_sink nothing = {0};

    return tl_play(block, loops, &nothing);
}

static int64_t choose_loops(const struct tl_block *block)
{
    int64_t one = planned_ns(block, 1), step = planned_ns(block, 2) - one;
    int64_t loops = step > 0 ? 1 + (BUDGET_NS - one) / step : 0;

    if (step > 0 && loops < LEAST_LOOPS)
        loops = LEAST_LOOPS;
    return loops;
}

static const char *problem_of(const struct tl_block *block)
{
    const char *problem = block->ranks > 1 ? "several ranks are played in virtual time only" : NULL;

    for (int i = 0; i < block->rank[0].lines && !problem; i++) {
        const struct tl_line *line = &block->rank[0].program[i];

        problem = line->op == TL_WAIT ? live_wait_problem(line->how) : live_device_problem(line);
    }
    return problem;
}

static void play_line(const struct tl_line *line)
{
    int64_t enter = pace_now();

    if (line->op != TL_WAIT && line->op != TL_CPU) {
        live_device_play(line);
        return;
    }
    if (line->op == TL_WAIT)
        live_wait(line->how, line->ns);
    else
        pace_burn_until(enter + line->ns);
    live_log(line, enter, pace_now());
}

static void play_program(const struct tl_rank *rank, int64_t max_loops)
{
    int64_t left[TL_MAX_DEPTH];
    int depth = 0;

    for (int pc = 0; pc < rank->lines; pc++) {
        const struct tl_line *line = &rank->program[pc];

        if (line->op == TL_LOOP) {
            left[depth] = tl_loop_count(line, depth, max_loops);
            if (left[depth] > 0)
                depth++;
            else
                pc = line->jump;
        } else if (line->op == TL_END) {
            if (--left[depth - 1] > 0)
                pc = line->jump;
            else
                depth--;
        } else {
            play_line(line);
        }
    }
}

static int play(const struct tl_block *block, int64_t loops, const char *log)
{
    if (live_log_start(block, loops) || live_wait_start(&block->side)) {
        perror("starting the workers");
        return 1;
    }
    int64_t begin = pace_now();
    if (live_device_start(&block->rank[0])) {
        live_wait_stop();
        return 1;
    }
    int64_t plan = planned_ns(block, loops), start = pace_now();
    live_log_zero(start);
    play_program(&block->rank[0], loops);
    gpu_sync();
    double took = (double)(pace_now() - start);
    live_wait_stop();
    printf("planned %.0f ms, took %.0f ms (%+.1f %%), start-up %.0f ms\n", (double)plan / 1e6,
           took / 1e6, 100 * (took / (double)plan - 1), (double)(start - begin) / 1e6);
    if (log && live_log_write(log)) {
        perror(log);
        return 1;
    }
    return 0;
}

int main(int argc, char **argv)
{
    int plan_only = argc > 1 && !strcmp(argv[1], "--plan");
    struct tl_file file;

    if (argc - plan_only < 5 || argc > 6) {
        fputs("usage: play_live [--plan] FILE CASE NAME LOOPS [LOG]\n", stderr);
        return 2;
    }
    const char *log = !plan_only && argc == 6 ? argv[5] : NULL;
    argv += plan_only;
    if (tl_read(&file, argv[1]))
        return 2;
    const struct tl_block *block = tl_find(&file, argv[2], strcmp(argv[3], "-") ? argv[3] : "");
    if (!block) {
        fprintf(stderr, "%s: no case %s %s\n", argv[1], argv[2], argv[3]);
        return 2;
    }
    const char *problem = block->ranks ? problem_of(block) : block->problem;
    int64_t loops = atoll(argv[4]);
    int rc = problem ? UNPLAYABLE : 0;

    if (problem)
        fprintf(stderr, "%s\n", problem);
    if (!problem && loops <= 0)
        loops = choose_loops(block);
    if (!rc && plan_only)
        printf("%lld\n", (long long)loops);
    else if (!rc)
        rc = play(block, loops, log);
    tl_free(&file);
    return rc;
}
