/* The launching thread turns text into token ids before each step; its stack shows it.
 * Expected: data-loading/tokenise-on-the-fly.
 * Threads: one. */
#include <stdint.h>

#include "gpu.h"
#include "pace.h"
#include "step.h"

#define TOKENS      (128 << 10)
#define TOKENISE_NS (20 * STEP_MS)

static const char TEXT[] =
    "It is a truth universally acknowledged, that a single man in possession "
    "of a good fortune, must be in want of a wife. ";

/* One id a word: its hash. Not inlined, so that the stack shows it. */
__attribute__((noinline)) void tokenize_text(uint32_t *ids)
{
    uint32_t hash = 2166136261u;
    const char *at = TEXT;
    int count = 0;

    for (int64_t end = pace_now() + TOKENISE_NS; pace_now() < end;)
        for (int i = 0; i < 10000; i++, at = *at ? at + 1 : TEXT) {
            hash = (hash ^ (unsigned char)*at) * 16777619u;
            if (*at == ' ')
                ids[count++ % TOKENS] = hash;
        }
}

int main(void)
{
    if (gpu_init())
        return 1;
    void *device = gpu_alloc(TOKENS * sizeof(uint32_t));
    uint32_t *ids = gpu_host_alloc(TOKENS * sizeof(*ids));
    while (step_more()) {
        tokenize_text(ids);
        gpu_upload_async(device, ids, TOKENS * sizeof(*ids), NULL);
        step_run(10, STEP_MS);
        gpu_sync();
    }
    return 0;
}
