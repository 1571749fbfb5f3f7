/* Plays one block of a timeline file for real, one to one in time, on whatever GPU libcudart gives.
 *   play_live FILE CASE NAME CUT [LOG]    CUT is LOOPS[:INNER[:LONGEST_MS]] (timeline_cut.h);
 *                                         LOG gets what was really done, and when
 *   play_live --plan FILE CASE NAME CUT   prints the cut only; with LOOPS 0 it is chosen
 * Threads: the launching thread; see live_wait.h. May not: use the tags. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "live_device.h"
#include "live_log.h"
#include "live_wait.h"
#include "pace.h"
#include "timeline_cut.h"
#include "timeline_sim.h"

#define UNPLAYABLE   3
#define LOOKED_AT_NS 1000000 /* shorter silences are not asked for what disturbed them */

static int64_t planned_ns(const struct tl_block *block, int64_t loops)
{
    struct tl_sink nothing = {0};

    return tl_play(block, loops, &nothing);
}

static const char *problem_of(const struct tl_block *block)
{
    const char *problem = block->ranks > 1 ? "several ranks are played in virtual time only" : NULL;

    for (int i = 0; i < block->rank[0].lines && !problem; i++) {
        const struct tl_line *line = &block->rank[0].program[i];

        problem = live_device_problem(line);
    }
    return problem ? problem : live_wait_problem(block);
}

static void play_line(const struct tl_line *line)
{
    int64_t enter = pace_now();

    if (line->op != TL_WAIT && line->op != TL_CPU) {
        live_device_play(line);
        return;
    }
    int64_t waited = line->ns >= LOOKED_AT_NS ? live_run_queue_ns() : 0;
    live_wait(line);
    int64_t exit = pace_now();
    live_log_silence(line, enter, exit,
                     line->ns >= LOOKED_AT_NS ? live_run_queue_ns() - waited : 0);
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
    if (live_log_start(block, loops) || live_wait_start(block)) {
        perror("starting the workers");
        return 1;
    }
    int64_t begin = pace_now();
    if (live_device_start(block)) {
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

static int run(struct tl_block *block, struct tl_cut *cut, int plan_only, const char *log)
{
    const char *problem = block->ranks ? problem_of(block) : block->problem;

    if (problem) {
        fprintf(stderr, "%s\n", problem);
        return UNPLAYABLE;
    }
    if (!cut->loops)
        *cut = tl_choose_cut(block);
    if (plan_only) {
        printf("%lld:%lld:%lld\n", (long long)cut->loops, (long long)cut->inner,
               (long long)(cut->longest_ns / 1000000));
        return 0;
    }
    tl_cut(block, cut);
    return play(block, cut->loops, log);
}

int main(int argc, char **argv)
{
    int plan_only = argc > 1 && !strcmp(argv[1], "--plan");
    struct tl_file file;
    struct tl_cut cut;

    if (argc - plan_only < 5 || argc > 6 || tl_read_cut(&cut, argv[4 + plan_only])) {
        fputs("usage: play_live [--plan] FILE CASE NAME LOOPS[:INNER[:LONGEST_MS]] [LOG]\n",
              stderr);
        return 2;
    }
    const char *log = !plan_only && argc == 6 ? argv[5] : NULL;
    argv += plan_only;
    if (tl_read(&file, argv[1]))
        return 2;
    struct tl_block *block = tl_find(&file, argv[2], strcmp(argv[3], "-") ? argv[3] : "");
    if (!block) {
        fprintf(stderr, "%s: no case %s %s\n", argv[1], argv[2], argv[3]);
        return 2;
    }
    int rc = run(block, &cut, plan_only, log);
    tl_free(&file);
    return rc;
}
