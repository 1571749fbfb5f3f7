/* Changes and the text that describes them, see change.h.
 * Threads: any. Pure. */
#include "analyze/change.h"

#include <string.h>

#include "analyze/remedies.h"
#include "base/err.h"

#define NS_PER_MS 1e6

struct words {
    const char *word, *sentence;
};

static const struct words UNIVERSES[] = {
#define UNIVERSE(id, word, sentence) {word, sentence},
#include "analyze/universes.def"
#undef UNIVERSE
};

const char *wi_universe_word(enum wi_universe universe)
{
    return (unsigned)universe < WI_UNIVERSE_COUNT ? UNIVERSES[universe].word : "unknown";
}

const char *wi_universe_sentence(enum wi_universe universe)
{
    return (unsigned)universe < WI_UNIVERSE_COUNT ? UNIVERSES[universe].sentence : "";
}

void wi_change_none(struct wi_change *change)
{
    *change = (struct wi_change){.other_host = 1,
                                 .kernel_scale = 1,
                                 .underfilled_scale = 1,
                                 .any_kernel_scale = 1,
                                 .requests = 1,
                                 .link_factor = 1};
    for (int i = 0; i < WI_SUB_COUNT; i++)
        change->host[i] = (struct wi_host_change){1, 0, 1};
}

/* What can be said about a universe; < 0 where nothing is said. */
struct sayings {
    double stay_ns, x, divide, every, rate, pack_ns, spacing_ns, n, kernels, least_ns;
    int by_storage, by_workers;
    int cause_sub, cause_class; /* < 0 both: all that it answers */
};

static void scale_host(struct wi_change *change, enum wi_universe universe,
                       const struct sayings *say)
{
    for (int sub = 0; sub < WI_SUB_COUNT; sub++) {
        const struct wi_remedy *remedy = wi_remedy_of((enum wi_subcause)sub);
        int answers = remedy && remedy->universe == (int)universe;
        if (say->cause_sub >= 0) /* whatever its usual remedy */
            answers = sub == say->cause_sub;
        else if (say->cause_class >= 0)
            answers &= (int)wi_subcause_class((enum wi_subcause)sub) == say->cause_class;
        if (!answers)
            continue;
        change->host[sub].scale = say->divide > 0 ? 1 / say->divide : 0;
        change->host[sub].stay_ns = say->stay_ns > 0 ? (int64_t)say->stay_ns : 0;
    }
}

static void input_ready(struct wi_change *change, const struct sayings *say)
{
    scale_host(change, WI_UNIVERSE_INPUT_READY, say);
    scale_host(change, WI_UNIVERSE_PRODUCER_RATE, say);
}

/* More workers do not make storage or a single producer faster, and take longer to start. */
static void producer_rate(struct wi_change *change, const struct sayings *say)
{
    double rate = say->x > 0 ? say->x : 2;
    if (say->by_storage) {
        change->host[WI_SUB_SLOW_STORAGE].rate = rate;
        return;
    }
    change->host[WI_SUB_TOO_FEW_WORKERS].rate = rate;
    change->host[WI_SUB_DECODE_IN_MAIN_THREAD].rate = rate;
    change->host[WI_SUB_LOADER_RECREATION].scale = (1 + rate) / 2;
    change->partly_serial = 1;
    if (!say->by_workers)
        change->host[WI_SUB_SLOW_STORAGE].rate = rate;
}

static void batched(struct wi_change *change, const struct sayings *say)
{
    change->requests = say->n > 0 ? say->n : 1;
    if (say->kernels > 0)
        change->any_kernel_scale = say->kernels;
    if (say->stay_ns >= 0)
        change->host[WI_SUB_UNBATCHED_SERVING] =
            (struct wi_host_change){0, (int64_t)say->stay_ns, 1};
}

static void gpu_2x(struct wi_change *change, const struct sayings *say)
{
    if (say->x > 0) /* a faster clock: every kernel, whatever its size */
        change->any_kernel_scale = 1 / say->x;
    else
        change->kernel_scale = 0.5;
}

/* So many times as often; without a figure, the next one is there when the last one is done: what
 * that brings is how many more could be served. */
static void requests(struct wi_change *change, const struct sayings *say)
{
    static const enum wi_subcause WAITS[] = {WI_SUB_NO_REQUESTS, WI_SUB_PACED};
    for (int i = 0; i < 2; i++) {
        change->host[WAITS[i]].rate = say->x > 0 ? say->x : 1;
        change->host[WAITS[i]].scale = say->x > 0 ? 1 : 0;
    }
}

static void no_readback(struct wi_change *change, const struct sayings *say)
{
    int64_t stay = say->stay_ns > 0 ? (int64_t)say->stay_ns : 0;
    change->value_work_goes = say->stay_ns >= 0;
    change->readback_every = say->every > 0      ? (int64_t)say->every
                             : say->stay_ns >= 0 ? 1
                                                 : INT64_MAX;
    change->host[WI_SUB_READ_BACK_SYNC].stay_ns = stay;
    change->host[WI_SUB_EXPLICIT_SYNC].stay_ns = stay;
}

static void add(struct wi_change *change, enum wi_universe universe, const struct sayings *say)
{
    change->universes |= 1u << universe;
    switch (universe) {
    case WI_UNIVERSE_INPUT_READY:
        input_ready(change, say);
        break;
    case WI_UNIVERSE_PRODUCER_RATE:
        producer_rate(change, say);
        break;
    case WI_UNIVERSE_NO_READBACK_SYNC:
        no_readback(change, say);
        break;
    case WI_UNIVERSE_PINNED_ASYNC:
        change->async_copies = 1;
        change->copy_rate = say->rate > 0 ? say->rate : 0;
        change->link_factor = say->x > 0 ? say->x : 1;
        break;
    case WI_UNIVERSE_COALESCED_COPIES:
        change->coalesce = 1;
        change->pack_ns = say->pack_ns > 0 ? (int64_t)say->pack_ns : 0;
        break;
    case WI_UNIVERSE_GRAPH_REPLAY:
        change->host[WI_SUB_LAUNCH_BOUND].scale = say->divide > 0 ? 1 / say->divide : 0.1;
        change->spacing_ns = say->spacing_ns > 0 ? (int64_t)say->spacing_ns : 0;
        break;
    case WI_UNIVERSE_FILLED_GRIDS:
        change->underfilled_scale = say->x > 0 ? say->x : 0.5;
        change->guessed |= say->x <= 0;
        break;
    case WI_UNIVERSE_BATCHED:
        batched(change, say);
        break;
    case WI_UNIVERSE_REQUESTS:
        requests(change, say);
        break;
    case WI_UNIVERSE_GPU_2X:
        gpu_2x(change, say);
        break;
    case WI_UNIVERSE_BALANCED_RANKS:
        change->least_collectives = 1;
        change->least_collective_ns = say->least_ns > 0 ? (int64_t)say->least_ns : 0;
        break;
    case WI_UNIVERSE_NO_ALLOCATOR:
    case WI_UNIVERSE_HOST_OTHER_FREE:
    default:
        scale_host(change, universe, say);
        break;
    }
}

static struct sayings say_nothing(void)
{
    return (struct sayings){-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 0, 0, -1, -1};
}

void wi_change_add(struct wi_change *change, enum wi_universe universe)
{
    struct sayings say = say_nothing();
    add(change, universe, &say);
}

/* ---- the text */

static int say_word(struct sayings *say, const char *key, const char *value)
{
    if (!strcmp(key, "by")) {
        say->by_storage = !strcmp(value, "storage");
        say->by_workers = !strcmp(value, "workers");
        return say->by_storage || say->by_workers;
    }
    if (strcmp(key, "cause") != 0)
        return 0;
    say->cause_sub = wi_subcause_find(value);
    say->cause_class = wi_class_find(value);
    return say->cause_sub >= 0 || say->cause_class >= 0;
}

/* "12" or "0.5", whatever the job's locale; 0 if it is anything else. */
static int read_number(const char *text, double *number)
{
    double scale = 1;
    int point = 0;
    *number = 0;
    for (const char *at = text; *at; at++) {
        if (*at == '.' && at > text && at[1] && !point) {
            point = 1;
        } else if (*at >= '0' && *at <= '9') {
            scale *= point ? 10 : 1;
            *number = *number * 10 + (*at - '0');
        } else {
            return 0;
        }
    }
    *number /= scale;
    return *text != 0;
}

static int say_number(struct sayings *say, const char *key, const char *value)
{
    struct {
        const char *key;
        double *figure, unit;
    } figures[] = {{"stay", &say->stay_ns, NS_PER_MS},
                   {"x", &say->x, 1},
                   {"divide", &say->divide, 1},
                   {"every", &say->every, 1},
                   {"rate", &say->rate, 1},
                   {"pack", &say->pack_ns, NS_PER_MS},
                   {"spacing", &say->spacing_ns, NS_PER_MS},
                   {"n", &say->n, 1},
                   {"kernels", &say->kernels, 1},
                   {"least", &say->least_ns, NS_PER_MS}};
    double number;
    if (!read_number(value, &number) || number > 1e9)
        return 0;
    for (size_t i = 0; i < sizeof(figures) / sizeof(*figures); i++)
        if (!strcmp(key, figures[i].key) && (number > 0 || figures[i].unit != 1)) {
            *figures[i].figure = number * figures[i].unit;
            return 1;
        }
    return 0;
}

/* Copies the word at *at up to one of `ends` into out; 0 if it is empty or too long. */
static int take_word(const char **at, const char *ends, char *out, size_t size)
{
    size_t length = strcspn(*at, ends);
    if (!length || length >= size)
        return 0;
    memcpy(out, *at, length);
    out[length] = 0;
    *at += length;
    return 1;
}

static int universe_of(const char *word)
{
    for (int i = 0; i < WI_UNIVERSE_COUNT; i++)
        if (!strcmp(word, UNIVERSES[i].word))
            return i;
    return -1;
}

struct use {
    int universe;
    const char *key, *sentence;
};

/* NULL where the key means nothing for the universe. */
static const struct use *use_of(int universe, const char *key)
{
    static const struct use USES[] = {
#define UNIVERSE_USES(id, key, sentence) {WI_UNIVERSE_##id, key, sentence},
#include "analyze/universe_uses.def"
#undef UNIVERSE_USES
    };
    for (size_t i = 0; i < sizeof(USES) / sizeof(*USES); i++)
        if (USES[i].universe == universe && !strcmp(USES[i].key, key))
            return &USES[i];
    return NULL;
}

const char *wi_universe_said(enum wi_universe universe, const char *key)
{
    const struct use *use = use_of((int)universe, key);
    return use && use->sentence ? use->sentence : wi_universe_sentence(universe);
}

/* One universe with what is said about it; *at moves behind it. 0 if it cannot be read. */
static int parse_one(struct wi_change *change, const char **at)
{
    char word[64], value[64];
    const char *start = *at, *whole = start;
    struct sayings say = say_nothing();
    if (!take_word(at, ":+", word, sizeof(word)))
        return 0;
    int universe = universe_of(word);
    if (universe < 0) {
        *at = start;
        return 0;
    }
    while (**at == ':' || **at == ',') {
        start = ++*at;
        if (!take_word(at, "=,+", word, sizeof(word)) || **at != '=')
            return 0;
        ++*at;
        if (!take_word(at, ",+", value,
                       sizeof(value)) || /* what would be passed over in silence is refused */
            !use_of(universe, word) ||
            !(say_word(&say, word, value) || say_number(&say, word, value))) {
            *at = start;
            return 0;
        }
    }
    if (universe == WI_UNIVERSE_BATCHED && say.kernels <= 0) {
        *at = whole; /* how much longer they get decides everything */
        return 0;
    }
    add(change, (enum wi_universe)universe, &say);
    return 1;
}

int wi_change_parse(struct wi_change *change, const char *text, int *at_chars)
{
    const char *at = text;
    wi_change_none(change);
    do {
        at += at != text;
        if (!parse_one(change, &at)) {
            *at_chars = (int)(at - text);
            return WI_ERR_FORMAT;
        }
    } while (*at == '+');
    *at_chars = (int)(at - text);
    return *at ? WI_ERR_FORMAT : WI_OK;
}
