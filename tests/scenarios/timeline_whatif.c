/* Predictions for a block, see timeline_whatif.h.
 * Threads: one. May not: know the truth. */
#include "timeline_whatif.h"

#include <stdio.h>

#include "analyze/change_text.h"
#include "analyze/predict.h"
#include "timeline_report.h"

#define RESULT_BYTES ((size_t)64 << 20)

struct question {
    const struct tl_block *block;
    char *const *texts;
    int count;
};

static int read_change(struct wi_change *change, const char *text)
{
    struct wi_change_problem problem;

    if (!wi_change_parse(change, text, &problem))
        return 0;
    fprintf(stderr, "play: '%s' cannot be read at character %d: %s\n", text, problem.at + 1,
            problem.text);
    return -1;
}

static void print_time(const char *key, int64_t ns)
{
    if (ns == WI_UNKNOWN)
        printf(",\"%s\":null", key);
    else
        printf(",\"%s\":%lld", key, (long long)ns);
}

static void print_prediction(const struct wi_prediction *p)
{
    if (p->withheld) {
        printf("{\"withheld\":\"%s\"}", p->withheld);
        return;
    }
    printf("{\"speedup\":%.5f,\"low\":%.5f,\"high\":%.5f", p->speedup, p->low, p->high);
    print_time("before_ns", p->before_ns);
    print_time("after_ns", p->after_ns);
    print_time("step_before_ns", p->step_before_ns);
    print_time("step_after_ns", p->step_after_ns);
    putchar('}');
}

static int predict(struct wi_engine *engine, struct wi_arena *arena, const char *text)
{
    struct wi_change change;
    struct wi_prediction prediction;

    if (read_change(&change, text) || wi_predict_change(engine, arena, &change, &prediction))
        return -1;
    print_prediction(&prediction);
    return 0;
}

static void print_replay(const struct wi_replay *replay)
{
    printf("{\"error\":%.5f,\"unexplained\":%.5f,\"calls\":%llu,\"covered_ns\":%lld", replay->error,
           replay->unexplained, (unsigned long long)replay->calls, (long long)replay->covered_ns);
    if (replay->withheld)
        printf(",\"withheld\":\"%s\"", replay->withheld);
    putchar('}');
}

static int answer(void *ctx, int rank, struct wi_engine *engine, const struct wi_names *names)
{
    const struct question *question = ctx;
    struct wi_arena arena;
    struct wi_result result;
    int rc;

    (void)names;
    wi_arena_init(&arena, RESULT_BYTES);
    rc = wi_engine_result(engine, &arena, &result);
    for (int i = 0; !rc && i < question->count; i++) {
        printf("{\"case\":\"%s\",\"block\":\"%s\",\"rank\":%d,\"spec\":\"%s\",\"predicted\":",
               question->block->case_id, *question->block->name ? question->block->name : "-",
               question->block->rank[rank].id, question->texts[i]);
        rc = predict(engine, &arena, question->texts[i]);
        printf(",\"replay\":");
        print_replay(&result.replay);
        printf("}\n");
    }
    wi_arena_free(&arena);
    return rc;
}

int tl_whatif(const struct tl_block *block, int64_t max_loops, char *const *texts, int count)
{
    struct question question = {block, texts, count};
    struct wi_change change;

    for (int i = 0; i < count; i++)
        if (read_change(&change, texts[i]))
            return -1;
    return tl_engines(block, max_loops, answer, &question);
}
