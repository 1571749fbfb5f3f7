/* Parser of the timeline notation.
 * Threads: one. May not: interpret; it only checks form. A statement it does not know breaks its
 * block, so that a case is never played without one of its lines; a further word on a line that it
 * knows is told of and left out. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "timeline.h"
#include "timeline_side.h"

#define MAX_WORDS 24

static const char *const how_words[TL_HOW_COUNT] = {
    "futex", "poll", "epoll", "read", "fsync", "condvar", "child", "gil", "runq", "throttled"};

struct parser {
    const char *path;
    int line;       /* of the file */
    int block_line; /* of the block */
    struct tl_block *block;
    struct tl_rank *rank;
    int depth;
    int open[TL_MAX_DEPTH]; /* indices of the open loops */
    const char *problem;
};

const char *tl_how_word(enum tl_how how)
{
    return how_words[how];
}

static void *grow(void *items, int count, int *cap, size_t size)
{
    if (count < *cap)
        return items;
    *cap = *cap ? *cap * 2 : 16;
    items = realloc(items, (size_t)*cap * size);
    if (!items)
        abort();
    return items;
}

static int fail(struct parser *p, const char *problem)
{
    if (!p->problem)
        p->problem = problem;
    return -1;
}

static void ignore(const struct parser *p, const char *word)
{
    fprintf(stderr, "%s:%d: '%s' is not known and left out\n", p->path, p->line, word);
}

/* Milliseconds as written to nanoseconds. */
static int64_t parse_ms(struct parser *p, const char *text)
{
    char *end;
    double ms = strtod(text, &end);

    if (end == text || *end || !(ms >= 0) || ms > 1e9)
        fail(p, "not a time in milliseconds");
    return llround(ms * 1e6);
}

static int64_t parse_count(struct parser *p, const char *text)
{
    char *end;
    long long count = strtoll(text, &end, 10);

    if (end == text || *end || count < 0 || count > 100000000)
        fail(p, "not a count");
    return count;
}

static int64_t parse_bytes(struct parser *p, const char *text)
{
    char *end;
    double size = strtod(text, &end);

    if (end == text || !(size >= 0))
        fail(p, "not a size");
    switch (*end) {
    case 'K':
        size *= 1e3;
        break;
    case 'M':
        size *= 1e6;
        break;
    case 'G':
        size *= 1e9;
        break;
    case 0:
        return llround(size);
    default:
        fail(p, "unknown unit of a size");
    }
    return llround(size);
}

static int tag_index(struct tl_block *block, const char *text)
{
    for (int i = 0; i < block->tags; i++)
        if (!strcmp(block->tag[i], text))
            return i;
    block->tag = grow(block->tag, block->tags, &block->tags_cap, sizeof(*block->tag));
    block->tag[block->tags] = strdup(text);
    return block->tags++;
}

static struct tl_line *add_line(struct parser *p, enum tl_op op)
{
    struct tl_rank *rank = p->rank;

    rank->program = grow(rank->program, rank->lines, &rank->cap, sizeof(*rank->program));
    struct tl_line *line = &rank->program[rank->lines++];
    memset(line, 0, sizeof(*line));
    line->op = op;
    line->number = p->block_line;
    line->tag = TL_NO_TAG;
    line->count = 1;
    return line;
}

static int start_rank(struct parser *p, const char *id)
{
    struct tl_block *block = p->block;

    if (p->depth)
        return fail(p, "a loop is open where a rank starts");
    if (block->ranks == TL_MAX_RANKS)
        return fail(p, "too many ranks");
    p->rank = &block->rank[block->ranks++];
    p->rank->id = (int)parse_count(p, id);
    return 0;
}

static int parse_loop(struct parser *p, char **words, int count)
{
    if (count != 2)
        return fail(p, "loop needs a count");
    if (p->depth == TL_MAX_DEPTH)
        return fail(p, "loops nested too deep");
    struct tl_line *line = add_line(p, TL_LOOP);
    line->count = parse_count(p, words[1]);
    p->open[p->depth++] = p->rank->lines - 1;
    return 0;
}

static int parse_end(struct parser *p)
{
    if (!p->depth)
        return fail(p, "end without loop");
    int start = p->open[--p->depth];
    add_line(p, TL_END)->jump = start;
    p->rank->program[start].jump = p->rank->lines - 1;
    return 0;
}

static int parse_how(struct parser *p, struct tl_line *line, const char *word)
{
    for (int i = 0; i < TL_HOW_COUNT; i++) {
        if (!strcmp(word, how_words[i])) {
            line->how = (enum tl_how)i;
            return 0;
        }
    }
    return fail(p, "unknown kind of wait");
}

/* One `key=value` of a copy, a kernel or a collective. */
static void parse_pair(struct parser *p, struct tl_line *line, const char *key, const char *value)
{
    static const struct {
        const char *key;
        size_t at;
    } times[] = {
        {"host", offsetof(struct tl_line, host_ns)}, {"dev", offsetof(struct tl_line, dev_ns)},
        {"gap", offsetof(struct tl_line, gap_ns)},   {"stall", offsetof(struct tl_line, stall_ns)},
        {"wake", offsetof(struct tl_line, wake_ns)},
    };

    for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
        if (!strcmp(key, times[i].key)) {
            int64_t ns = parse_ms(p, value);
            memcpy((char *)line + times[i].at, &ns, sizeof(ns));
            return;
        }
    }
    if (!strcmp(key, "n"))
        line->count = parse_count(p, value);
    else if (!strcmp(key, "stream"))
        line->stream = (uint64_t)parse_count(p, value);
    else if (!strcmp(key, "grid"))
        line->grid = (uint32_t)parse_count(p, value);
    else if (!strcmp(key, "block"))
        line->block = (uint32_t)parse_count(p, value);
    else
        ignore(p, key);
}

static void parse_flag(struct parser *p, struct tl_line *line, const char *word)
{
    if (!strcmp(word, "pinned"))
        line->pinned = 1;
    else if (!strcmp(word, "sync"))
        line->sync = 1;
    else if (!strcmp(word, "uf"))
        line->underfilled = 1;
    else if (!strcmp(word, "trial"))
        line->trial = 1;
    else if (!strcmp(word, "same"))
        line->same = 1;
    else if (!strcmp(word, "blocking"))
        line->blocking = 1;
    else if (strcmp(word, "pageable") && strcmp(word, "async"))
        ignore(p, word);
}

static int parse_options(struct parser *p, struct tl_line *line, char **words, int from, int count)
{
    for (int i = from; i < count; i++) {
        char *equals = strchr(words[i], '=');

        if (equals) {
            *equals = 0;
            parse_pair(p, line, words[i], equals + 1);
        } else {
            parse_flag(p, line, words[i]);
        }
    }
    return p->problem ? -1 : 0;
}

/* Host costs that the notation leaves out. */
enum { COPY_HOST_NS = 20000, KERNEL_HOST_NS = 8000, COLLECTIVE_HOST_NS = 20000 };

static int parse_statement(struct parser *p, char **words, int count, int tag)
{
    static const struct {
        const char *word;
        enum tl_op op;
        int least; /* words */
        int64_t host_ns;
    } table[] = {
        {"wait", TL_WAIT, 3, 0},
        {"cpu", TL_CPU, 2, 0},
        {"h2d", TL_H2D, 3, COPY_HOST_NS},
        {"d2h", TL_D2H, 3, COPY_HOST_NS},
        {"kern", TL_KERN, 3, KERNEL_HOST_NS},
        {"graph", TL_GRAPH, 3, KERNEL_HOST_NS},
        {"coll", TL_COLL, 2, COLLECTIVE_HOST_NS},
        {"sync", TL_SYNC, 1, 0},
        {"malloc", TL_MALLOC, 3, 0},
        {"free", TL_FREE, 3, 0},
        {"hostalloc", TL_HOSTALLOC, 3, 0},
    };
    size_t row = 0, rows = sizeof(table) / sizeof(table[0]);

    while (row < rows && strcmp(words[0], table[row].word))
        row++;
    if (row == rows)
        return fail(p, "unknown statement");
    if (count < table[row].least)
        return fail(p, "too few words");
    struct tl_line *line = add_line(p, table[row].op);
    line->tag = tag;
    line->host_ns = table[row].host_ns;
    switch (line->op) {
    case TL_WAIT:
        line->ns = parse_ms(p, words[1]);
        return parse_how(p, line, words[2]);
    case TL_CPU:
        line->ns = parse_ms(p, words[1]);
        snprintf(line->what, sizeof(line->what), "%s", count > 2 ? words[2] : "");
        return 0;
    case TL_H2D:
    case TL_D2H:
        line->bytes = parse_bytes(p, words[1]);
        return parse_options(p, line, words, 2, count);
    case TL_KERN:
    case TL_GRAPH:
        line->count = parse_count(p, words[1]);
        return parse_options(p, line, words, 2, count);
    case TL_COLL:
        return parse_options(p, line, words, 1, count);
    case TL_SYNC:
        return 0;
    default:
        line->count = parse_count(p, words[1]);
        line->ns = parse_ms(p, words[2]);
        return 0;
    }
}

static char *trim(char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    for (char *end = text + strlen(text); end > text && isspace((unsigned char)end[-1]);)
        *--end = 0;
    return text;
}

/* "jitter PERCENT SEED" */
static void parse_jitter(struct parser *p, char *text)
{
    char *save, *percent = strtok_r(text, " \t", &save), *seed = strtok_r(NULL, " \t", &save);

    if (!percent || !seed) {
        fail(p, "jitter needs a percentage and a seed");
        return;
    }
    p->block->jitter_percent = parse_count(p, percent);
    p->block->jitter_seed = parse_count(p, seed);
    if (p->block->jitter_percent > 99)
        fail(p, "jitter of 100 % or more");
}

/* 1 if the line is not of the program. "scale 1:10 ; side workers idle" tells two things. */
static int parse_remark(struct parser *p, char *text)
{
    char *side = strncmp(text, "side ", 5) ? strstr(text, "; side ") : text;

    if (!strncmp(text, "jitter ", 7)) {
        parse_jitter(p, text + 7);
        return 1;
    }
    if (side != text && strncmp(text, "scale", 5) && strncmp(text, "note", 4))
        return 0;
    if (side)
        tl_parse_side(&p->block->side, strstr(side, "side ") + 5);
    return 1;
}

static int parse_line(struct parser *p, char *text)
{
    char *words[MAX_WORDS], *comment = strchr(text, '#'), *colons;
    int count = 0, tag = TL_NO_TAG;

    if (comment)
        *comment = 0;
    text = trim(text);
    if (!*text)
        return 0;
    if (parse_remark(p, text))
        return 0;
    colons = strstr(text, "::");
    if (colons) {
        *colons = 0;
        tag = tag_index(p->block, trim(colons + 2));
    }
    for (char *save, *w = strtok_r(text, " \t", &save); w; w = strtok_r(NULL, " \t", &save)) {
        if (count == MAX_WORDS)
            return fail(p, "too many words");
        words[count++] = w;
    }
    if (!count)
        return fail(p, "a tag without a statement");
    if (!strcmp(words[0], "rank"))
        return count == 2 ? start_rank(p, words[1]) : fail(p, "rank needs a number");
    if (!p->rank && start_rank(p, "0"))
        return -1;
    if (!strcmp(words[0], "loop"))
        return parse_loop(p, words, count);
    if (!strcmp(words[0], "end"))
        return parse_end(p);
    return parse_statement(p, words, count, tag);
}

static void start_block(struct parser *p, struct tl_file *file, const char *case_id,
                        const char *name)
{
    file->block = grow(file->block, file->blocks, &file->cap, sizeof(*file->block));
    p->block = &file->block[file->blocks++];
    memset(p->block, 0, sizeof(*p->block));
    snprintf(p->block->case_id, sizeof(p->block->case_id), "%s", case_id);
    snprintf(p->block->name, sizeof(p->block->name), "%s", name);
    tl_side_clear(&p->block->side);
    p->block_line = 0;
    p->rank = NULL;
    p->depth = 0;
}

/* A broken block keeps its place, without a program, and says why. */
static void break_block(struct parser *p)
{
    struct tl_block *block = p->block;

    fprintf(stderr, "%s:%d: %s\n", p->path, p->line, p->problem);
    snprintf(block->problem, sizeof(block->problem), "line %d: %s", p->line, p->problem);
    for (int r = 0; r < block->ranks; r++)
        free(block->rank[r].program);
    block->ranks = 0;
    p->problem = NULL;
    p->depth = 0;
}

static void end_block(struct parser *p)
{
    if (!*p->block->problem && p->depth)
        fail(p, "a loop is open at the end of the block");
    if (!*p->block->problem && !p->rank)
        fail(p, "empty block");
    if (p->problem)
        break_block(p);
    p->block = NULL;
}

/* "### G1 — title" -> "G1" */
static void heading_id(char *id, size_t cap, const char *heading)
{
    size_t len = 0;

    while (len + 1 < cap && (isalnum((unsigned char)heading[len]) || strchr("_-.", heading[len])) &&
           heading[len])
        len++;
    memcpy(id, heading, len);
    id[len] = 0;
}

static int parse_file(struct parser *p, struct tl_file *file, FILE *in)
{
    char text[4096], case_id[24] = "";
    static const char fence[] = "```timeline";

    while (fgets(text, sizeof(text), in)) {
        p->line++;
        p->block_line++;
        if (p->block && !strncmp(text, "```", 3)) {
            end_block(p);
        } else if (p->block) {
            if (!*p->block->problem && (parse_line(p, text) || p->problem))
                break_block(p);
        } else if (!strncmp(text, "### ", 4)) {
            heading_id(case_id, sizeof(case_id), text + 4);
        } else if (!strncmp(text, fence, sizeof(fence) - 1)) {
            if (!*case_id)
                return fail(p, "a timeline without a heading");
            start_block(p, file, case_id, trim(text + sizeof(fence) - 1));
        }
    }
    return p->block ? fail(p, "the file ends inside a block") : 0;
}

int tl_read(struct tl_file *file, const char *path)
{
    struct parser p = {.path = path};
    FILE *in = fopen(path, "r");

    memset(file, 0, sizeof(*file));
    if (!in) {
        perror(path);
        return -1;
    }
    int rc = parse_file(&p, file, in);
    fclose(in);
    if (rc)
        fprintf(stderr, "%s:%d: %s\n", path, p.line, p.problem ? p.problem : "cannot be read");
    return rc;
}

void tl_free(struct tl_file *file)
{
    for (int b = 0; b < file->blocks; b++) {
        struct tl_block *block = &file->block[b];

        for (int r = 0; r < block->ranks; r++)
            free(block->rank[r].program);
        for (int t = 0; t < block->tags; t++)
            free(block->tag[t]);
        free(block->tag);
    }
    free(file->block);
    memset(file, 0, sizeof(*file));
}

struct tl_block *tl_find(const struct tl_file *file, const char *case_id, const char *name)
{
    for (int b = 0; b < file->blocks; b++)
        if (!strcmp(file->block[b].case_id, case_id) &&
            (!name || !strcmp(file->block[b].name, name)))
            return &file->block[b];
    return NULL;
}
