/* External merge sort of events, see sorter.h.
 * Threads: one at a time. May use: malloc, a temporary file. */
#include "import/sorter.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/err.h"

#define RUN_EVENTS   ((uint32_t)((24u << 20) / sizeof(struct wi_event))) /* 24 MiB of events */
#define FIRST_EVENTS 1024u
#define MAX_RUNS     128                /* 16 million events; then they are merged into one run */
#define LONGEST_NS   ((int64_t)1 << 57) /* four years */
#define PART_EVENTS  256u               /* 32 KiB a run while merging: 4 MiB for all of them */

struct key {
    int64_t time_ns, end_ns;
    uint32_t rank, index;
};

/* One sorted run in the file, read in parts. */
struct run {
    uint64_t next, end; /* events of the file */
    uint32_t at, have;  /* inside part */
    struct wi_event *part;
};

struct wi_sorter {
    FILE *file;
    uint64_t file_events;
    struct run runs[MAX_RUNS];
    uint32_t run_count;
    int64_t first_ns, last_ns;       /* of all times; first > last: none */
    uint32_t count, cap, run_events; /* in memory: held, room for, and room for at most */
    struct key *keys;
    struct wi_event *events;
    struct wi_event *parts;
    uint32_t heap[MAX_RUNS]; /* runs that still hold events, the first in order on top */
    uint32_t heap_count;
};

static struct key key_of(const struct wi_event *event, uint32_t index)
{
    struct key key = {.time_ns = wi_event_time(event), .rank = 3, .index = index};
    switch (event->kind) {
    case WI_EVENT_SPAN:
        key.end_ns = event->u.span.end_ns;
        key.rank = 1;
        break;
    case WI_EVENT_CALL:
        key.end_ns = event->u.call.exit_ns;
        key.rank = 2;
        break;
    case WI_EVENT_OP:
        key.end_ns = event->u.op.end_ns;
        break;
    default:
        key.rank = 0;
    }
    return key;
}

static int compare(const void *left, const void *right)
{
    const struct key *a = left, *b = right;
    if (a->time_ns != b->time_ns)
        return a->time_ns < b->time_ns ? -1 : 1;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    if (a->end_ns != b->end_ns)
        return a->end_ns > b->end_ns ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

/* Doubles the room in memory: most recordings need a small part of the whole. */
static int grow(struct wi_sorter *sorter)
{
    uint32_t cap = sorter->cap ? sorter->cap * 2 : FIRST_EVENTS;
    cap = cap < sorter->run_events ? cap : sorter->run_events;
    struct key *keys = realloc(sorter->keys, cap * sizeof(*keys));
    if (!keys)
        return WI_ERR_NOMEM;
    sorter->keys = keys;
    struct wi_event *events = realloc(sorter->events, cap * sizeof(*events));
    if (!events)
        return WI_ERR_NOMEM;
    sorter->events = events;
    sorter->cap = cap;
    return 0;
}

struct wi_sorter *wi_sorter_create(uint32_t run_events)
{
    struct wi_sorter *sorter = calloc(1, sizeof(*sorter));
    if (!sorter)
        return NULL;
    sorter->first_ns = INT64_MAX;
    sorter->last_ns = INT64_MIN;
    sorter->run_events = run_events ? run_events : RUN_EVENTS;
    if (grow(sorter) == 0)
        return sorter;
    wi_sorter_free(sorter);
    return NULL;
}

void wi_sorter_free(struct wi_sorter *sorter)
{
    if (!sorter)
        return;
    if (sorter->file)
        fclose(sorter->file);
    free(sorter->keys);
    free(sorter->events);
    free(sorter->parts);
    free(sorter);
}

/* As tmpfile(), but where TMPDIR says: /tmp may be memory, and small. */
static FILE *temporary_file(void)
{
    char path[4096];
    const char *folder = getenv("TMPDIR");
    int len =
        snprintf(path, sizeof(path), "%s/whyidle-XXXXXX", folder && folder[0] ? folder : P_tmpdir);
    int fd = len < (int)sizeof(path) ? mkostemp(path, O_CLOEXEC) : -1;
    if (fd < 0)
        return NULL;
    unlink(path);
    FILE *file = fdopen(fd, "w+b");
    if (!file)
        close(fd);
    return file;
}

static int append(void *user, const struct wi_event *event)
{
    return fwrite(event, sizeof(*event), 1, user) == 1 ? 0 : WI_ERR_IO;
}

static int sort_memory(struct wi_sorter *sorter, wi_event_sink sink, void *user)
{
    for (uint32_t i = 0; i < sorter->count; i++)
        sorter->keys[i] = key_of(&sorter->events[i], i);
    qsort(sorter->keys, sorter->count, sizeof(*sorter->keys), compare);
    int err = 0;
    for (uint32_t i = 0; i < sorter->count && !err; i++)
        err = sink(user, &sorter->events[sorter->keys[i].index]);
    return err;
}

static int load_part(struct wi_sorter *sorter, struct run *run)
{
    uint64_t left = run->end - run->next;
    run->at = 0;
    run->have = left < PART_EVENTS ? (uint32_t)left : PART_EVENTS;
    if (!run->have)
        return 0;
    if (fseeko(sorter->file, (off_t)(run->next * sizeof(*run->part)), SEEK_SET) != 0 ||
        fread(run->part, sizeof(*run->part), run->have, sorter->file) != run->have)
        return WI_ERR_IO;
    run->next += run->have;
    return 0;
}

/* Runs are numbered in the order in which their events were given: that breaks the last tie. */
static int run_before(const struct wi_sorter *sorter, uint32_t a, uint32_t b)
{
    struct key left = key_of(&sorter->runs[a].part[sorter->runs[a].at], a);
    struct key right = key_of(&sorter->runs[b].part[sorter->runs[b].at], b);
    return compare(&left, &right) < 0;
}

static void sift_down(struct wi_sorter *sorter, uint32_t at)
{
    uint32_t *heap = sorter->heap;
    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child >= sorter->heap_count)
            return;
        if (child + 1 < sorter->heap_count && run_before(sorter, heap[child + 1], heap[child]))
            child++;
        if (!run_before(sorter, heap[child], heap[at]))
            return;
        uint32_t moved = heap[at];
        heap[at] = heap[child];
        heap[child] = moved;
        at = child;
    }
}

static int start_merge(struct wi_sorter *sorter)
{
    if (!sorter->parts)
        sorter->parts = malloc(sizeof(*sorter->parts) * PART_EVENTS * MAX_RUNS);
    if (!sorter->parts)
        return WI_ERR_NOMEM;
    sorter->heap_count = sorter->run_count;
    for (uint32_t i = 0; i < sorter->run_count; i++) {
        sorter->runs[i].part = sorter->parts + (size_t)i * PART_EVENTS;
        int err = load_part(sorter, &sorter->runs[i]);
        if (err)
            return err;
        sorter->heap[i] = i;
    }
    for (uint32_t i = sorter->heap_count / 2; i-- > 0;)
        sift_down(sorter, i);
    return 0;
}

static int merge_runs(struct wi_sorter *sorter, wi_event_sink sink, void *user)
{
    int err = start_merge(sorter);
    while (!err && sorter->heap_count) {
        struct run *run = &sorter->runs[sorter->heap[0]];
        err = sink(user, &run->part[run->at++]);
        if (!err && run->at == run->have)
            err = load_part(sorter, run);
        if (!run->have)
            sorter->heap[0] = sorter->heap[--sorter->heap_count];
        sift_down(sorter, 0);
    }
    return err;
}

/* Too many runs to merge at once: makes one of all of them, in a file of its own. */
static int merge_into_one(struct wi_sorter *sorter)
{
    FILE *file = temporary_file();
    int err = file ? merge_runs(sorter, append, file) : WI_ERR_IO;
    if (err) {
        if (file)
            fclose(file);
        return err;
    }
    fclose(sorter->file);
    sorter->file = file;
    sorter->runs[0] = (struct run){.end = sorter->file_events};
    sorter->run_count = 1;
    return 0;
}

/* Moves what is in memory to the file, as one more run. */
static int spill(struct wi_sorter *sorter)
{
    if (!sorter->file)
        sorter->file = temporary_file();
    if (!sorter->file)
        return WI_ERR_IO;
    int err = sorter->run_count == MAX_RUNS ? merge_into_one(sorter) : 0;
    if (!err && fseeko(sorter->file, 0, SEEK_END) != 0)
        err = WI_ERR_IO;
    if (!err)
        err = sort_memory(sorter, append, sorter->file);
    if (!err && fflush(sorter->file) != 0)
        err = WI_ERR_IO;
    if (err)
        return err;
    sorter->runs[sorter->run_count++] =
        (struct run){.next = sorter->file_events, .end = sorter->file_events + sorter->count};
    sorter->file_events += sorter->count;
    sorter->count = 0;
    return 0;
}

static void note_times(struct wi_sorter *sorter, const struct wi_event *event)
{
    struct key key = key_of(event, 0);
    if (key.time_ns == INT64_MIN)
        return;
    int64_t last_ns = key.rank && key.end_ns > key.time_ns ? key.end_ns : key.time_ns;
    if (key.time_ns < sorter->first_ns)
        sorter->first_ns = key.time_ns;
    if (last_ns > sorter->last_ns)
        sorter->last_ns = last_ns;
}

/* Half of the range first: the difference itself might not fit. */
static int too_long(const struct wi_sorter *sorter)
{
    return sorter->first_ns < sorter->last_ns &&
           sorter->last_ns / 2 - sorter->first_ns / 2 > LONGEST_NS / 2;
}

int wi_sorter_add(struct wi_sorter *sorter, const struct wi_event *event)
{
    int err = 0;
    if (sorter->count == sorter->run_events)
        err = spill(sorter);
    else if (sorter->count == sorter->cap)
        err = grow(sorter);
    if (err)
        return err;
    note_times(sorter, event);
    sorter->events[sorter->count++] = *event;
    return 0;
}

int wi_sorter_drain(struct wi_sorter *sorter, wi_event_sink sink, void *user)
{
    int err = 0;
    if (too_long(sorter))
        return WI_ERR_RANGE;
    if (!sorter->run_count)
        return sort_memory(sorter, sink, user);
    if (sorter->count)
        err = spill(sorter);
    /* Merging needs the file and its parts only. */
    free(sorter->events);
    free(sorter->keys);
    sorter->events = NULL;
    sorter->keys = NULL;
    return err ? err : merge_runs(sorter, sink, user);
}
