/* Cutting blocks, see timeline_cut.h.
 * Threads: one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "timeline_cut.h"
#include "timeline_sim.h"

#define BUDGET_NS   4000000000 /* loops are repeated up to here */
#define MOST_NS     6000000000 /* a cut is needed beyond */
#define LEAST_LOOPS 2          /* fewer would hide what recurs */

void tl_cut(struct tl_block *block, const struct tl_cut *cut)
{
    for (int r = 0; r < block->ranks; r++) {
        int depth = 0;

        for (int i = 0; i < block->rank[r].lines; i++) {
            struct tl_line *line = &block->rank[r].program[i];

            if (line->op == TL_END)
                depth--;
            if (line->op == TL_LOOP && depth++ && cut->inner && line->count > cut->inner)
                line->count = cut->inner;
            if ((line->op == TL_WAIT || line->op == TL_CPU) && cut->longest_ns &&
                line->ns > cut->longest_ns)
                line->ns = cut->longest_ns;
        }
    }
}

/* The block cut, with its own programs. */
static struct tl_block cut_copy(const struct tl_block *block, const struct tl_cut *cut)
{
    struct tl_block copy = *block;

    for (int r = 0; r < copy.ranks; r++) {
        size_t bytes = (size_t)copy.rank[r].lines * sizeof(*copy.rank[r].program);

        copy.rank[r].program = malloc(bytes);
        if (!copy.rank[r].program)
            abort();
        memcpy(copy.rank[r].program, block->rank[r].program, bytes);
    }
    tl_cut(&copy, cut);
    return copy;
}

static int64_t length_ns(const struct tl_block *block, const struct tl_cut *cut, int64_t loops)
{
    struct tl_sink nothing = {0};
    struct tl_block copy = cut_copy(block, cut);
    int64_t ns = tl_play(&copy, loops, &nothing);

    for (int r = 0; r < copy.ranks; r++)
        free(copy.rank[r].program);
    return ns;
}

struct tl_cut tl_choose_cut(const struct tl_block *block)
{
    static const struct tl_cut cuts[] = {{0, 0, 0},           {0, 20, 0},
                                         {0, 10, 0},          {0, 0, 1000000000},
                                         {0, 10, 1000000000}, {0, 10, 500000000}};
    size_t i = 0, last = sizeof(cuts) / sizeof(cuts[0]) - 1;

    while (i < last && length_ns(block, &cuts[i], LEAST_LOOPS) > MOST_NS)
        i++;
    struct tl_cut cut = cuts[i];
    int64_t one = length_ns(block, &cut, 1), step = length_ns(block, &cut, 2) - one;
    if (step > 0) {
        cut.loops = 1 + (BUDGET_NS - one) / step;
        cut.loops = cut.loops < LEAST_LOOPS ? LEAST_LOOPS : cut.loops;
    }
    return cut;
}

int tl_read_cut(struct tl_cut *cut, const char *text)
{
    long long loops = 0, inner = 0, longest_ms = 0;

    if (sscanf(text, "%lld:%lld:%lld", &loops, &inner, &longest_ms) < 1 || loops < 0 || inner < 0 ||
        longest_ms < 0)
        return -1;
    *cut = (struct tl_cut){loops, inner, longest_ms * 1000000};
    return 0;
}
