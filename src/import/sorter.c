/* External merge sort of events, see sorter.h. Events are kept packed, each as long as its kind is:
 * samples are twice as long as calls and operations, and rare.
 * Threads: one at a time. May use: malloc, a temporary file. */
#include "import/sorter.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "import/scratch.h"

#define MEMORY_BYTES (16u << 20) /* of events and what sorting them takes */
#define FIRST_EVENTS 1024u
#define MAX_RUNS     128                /* 14 million events; then they are merged into one run */
#define LONGEST_NS   ((int64_t)1 << 57) /* four years */
#define PART_BYTES   (32u << 10)        /* of a run while merging: 4 MiB for all of them */

/* at: breaks the last tie by what was given first: where the event lies, or the number of its run.
 */
struct key {
    int64_t time_ns, end_ns;
    uint32_t rank, at;
};

/* One sorted run in the file, read in parts; or what was not spilled, read by its keys. */
struct run {
    uint64_t next, end; /* places in the file: of part, and the run's end */
    uint32_t at, have;  /* inside part */
    unsigned char *part;
    const struct key *keys, *last; /* NULL: the run is in the file */
    const unsigned char *front;    /* its first event that was not given, NULL = all were */
    struct key key;                /* of that event */
};

struct wi_sorter {
    struct wi_scratch *file;
    struct run runs[MAX_RUNS + 1];
    uint32_t run_count;
    int64_t first_ns, last_ns;       /* of all times; first > last: none */
    uint32_t count, cap, run_events; /* in memory: held, room for, and room for at most */
    uint32_t used, room;             /* bytes of data */
    int sorted;                      /* what is held was given in order */
    struct key *keys;
    unsigned char *data;
    unsigned char *parts;
    uint32_t heap[MAX_RUNS + 1]; /* runs that still hold events, the first in order on top */
    uint32_t heap_count;
};

/* Of an event of this kind, up to the end of what it says; a multiple of its alignment. */
static uint32_t bytes_of(enum wi_event_kind kind)
{
    size_t body = sizeof(((struct wi_event *)0)->u);
    if (kind == WI_EVENT_CALL)
        body = sizeof(struct wi_host_call);
    else if (kind == WI_EVENT_OP)
        body = sizeof(struct wi_device_op);
    else if (kind == WI_EVENT_SPAN)
        body = sizeof(struct wi_host_span);
    return (uint32_t)((offsetof(struct wi_event, u) + body + 7) & ~(size_t)7);
}

static uint32_t bytes_at(const unsigned char *packed)
{
    enum wi_event_kind kind;
    memcpy(&kind, packed, sizeof(kind));
    return bytes_of(kind);
}

static struct key key_of(const struct wi_event *event, uint32_t at)
{
    struct key key = {.time_ns = wi_event_time(event), .rank = 3, .at = at};
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
    return a->at < b->at ? -1 : a->at > b->at;
}

/* Doubles the room in memory: most recordings need a small part of the whole. */
static int grow(struct wi_sorter *sorter)
{
    uint32_t cap = sorter->cap ? sorter->cap * 2 : FIRST_EVENTS;
    struct key *keys = realloc(sorter->keys, cap * sizeof(*keys));
    if (!keys)
        return WI_ERR_NOMEM;
    sorter->keys = keys;
    sorter->cap = cap;
    return 0;
}

static int grow_data(struct wi_sorter *sorter)
{
    uint32_t room = sorter->room ? sorter->room * 2 : FIRST_EVENTS * bytes_of(WI_EVENT_CALL);
    room = room < MEMORY_BYTES ? room : MEMORY_BYTES;
    unsigned char *data = realloc(sorter->data, room);
    if (!data)
        return WI_ERR_NOMEM;
    sorter->data = data;
    sorter->room = room;
    return 0;
}

struct wi_sorter *wi_sorter_create(uint32_t run_events)
{
    struct wi_sorter *sorter = calloc(1, sizeof(*sorter));
    if (!sorter)
        return NULL;
    sorter->first_ns = INT64_MAX;
    sorter->last_ns = INT64_MIN;
    sorter->sorted = 1;
    sorter->run_events = run_events ? run_events : UINT32_MAX;
    if (grow(sorter) == 0 && grow_data(sorter) == 0)
        return sorter;
    wi_sorter_free(sorter);
    return NULL;
}

void wi_sorter_free(struct wi_sorter *sorter)
{
    if (!sorter)
        return;
    wi_scratch_free(sorter->file);
    free(sorter->keys);
    free(sorter->data);
    free(sorter->parts);
    free(sorter);
}

static void sort_keys(struct wi_sorter *sorter)
{
    if (!sorter->sorted)
        qsort(sorter->keys, sorter->count, sizeof(*sorter->keys), compare);
    sorter->sorted = 1;
}

/* The receiver may copy all of an event, so it gets a whole one. */
static int give(const unsigned char *packed, wi_event_sink sink, void *user)
{
    struct wi_event event;
    memcpy(&event, packed, bytes_at(packed));
    return sink(user, &event);
}

static int load_part(struct wi_sorter *sorter, struct run *run)
{
    run->next += run->at;
    run->at = 0;
    run->have = (uint32_t)(run->end - run->next < PART_BYTES ? run->end - run->next : PART_BYTES);
    return wi_scratch_read(sorter->file, run->next, run->part, run->have);
}

/* Puts the run's next event at its front. */
static int advance(struct wi_sorter *sorter, struct run *run)
{
    struct wi_event event;
    int err = 0;
    if (run->keys) {
        run->front = run->keys < run->last ? sorter->data + run->keys->at : NULL;
        run->key = run->front ? *run->keys++ : run->key;
    } else {
        run->at += run->front ? bytes_at(run->front) : 0;
        uint32_t left = run->have - run->at;
        if (left < sizeof(event.kind) || left < bytes_at(run->part + run->at))
            err = load_part(sorter, run);
        run->front = !err && run->have ? run->part + run->at : NULL;
        if (run->front) {
            memcpy(&event, run->front, bytes_at(run->front));
            run->key = key_of(&event, 0);
        }
    }
    run->key.at = (uint32_t)(run - sorter->runs);
    return err;
}

static int run_before(const struct wi_sorter *sorter, uint32_t a, uint32_t b)
{
    return compare(&sorter->runs[a].key, &sorter->runs[b].key) < 0;
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

/* What is in memory comes last: it was given after what was spilled. */
static int start_merge(struct wi_sorter *sorter, int with_memory)
{
    uint32_t runs = sorter->run_count;
    if (!sorter->parts)
        sorter->parts = malloc((size_t)PART_BYTES * MAX_RUNS);
    if (!sorter->parts)
        return WI_ERR_NOMEM;
    for (uint32_t i = 0; i < runs; i++)
        sorter->runs[i].part = sorter->parts + (size_t)i * PART_BYTES;
    if (with_memory && sorter->count) {
        sort_keys(sorter);
        sorter->runs[runs++] =
            (struct run){.keys = sorter->keys, .last = sorter->keys + sorter->count};
    }
    sorter->heap_count = runs;
    for (uint32_t i = 0; i < runs; i++) {
        int err = advance(sorter, &sorter->runs[i]);
        if (err)
            return err;
        sorter->heap[i] = i;
    }
    for (uint32_t i = sorter->heap_count / 2; i-- > 0;)
        sift_down(sorter, i);
    return 0;
}

static int merge_runs(struct wi_sorter *sorter, int with_memory, wi_event_sink sink, void *user)
{
    int err = start_merge(sorter, with_memory);
    while (!err && sorter->heap_count) {
        struct run *run = &sorter->runs[sorter->heap[0]];
        err = give(run->front, sink, user);
        if (!err)
            err = advance(sorter, run);
        if (!run->front)
            sorter->heap[0] = sorter->heap[--sorter->heap_count];
        sift_down(sorter, 0);
    }
    return err;
}

static int append(void *user, const struct wi_event *event)
{
    return wi_scratch_append(user, event, bytes_of(event->kind));
}

/* Too many runs to merge at once: makes one of all of them, in a file of its own. */
static int merge_into_one(struct wi_sorter *sorter)
{
    struct wi_scratch *file = wi_scratch_create();
    int err = file ? merge_runs(sorter, 0, append, file) : WI_ERR_IO;
    if (!err)
        err = wi_scratch_flush(file);
    if (err) {
        wi_scratch_free(file);
        return err;
    }
    wi_scratch_free(sorter->file);
    sorter->file = file;
    sorter->runs[0] = (struct run){.end = wi_scratch_size(file)};
    sorter->run_count = 1;
    return 0;
}

/* Moves what is in memory to the file, as one more run. */
static int spill(struct wi_sorter *sorter)
{
    if (!sorter->file)
        sorter->file = wi_scratch_create();
    if (!sorter->file)
        return WI_ERR_IO;
    int err = sorter->run_count == MAX_RUNS ? merge_into_one(sorter) : 0;
    uint64_t begin = wi_scratch_size(sorter->file);
    sort_keys(sorter);
    for (uint32_t i = 0; i < sorter->count && !err; i++) {
        const unsigned char *packed = sorter->data + sorter->keys[i].at;
        err = wi_scratch_append(sorter->file, packed, bytes_at(packed));
    }
    if (!err)
        err = wi_scratch_flush(sorter->file);
    if (err)
        return err;
    sorter->runs[sorter->run_count++] =
        (struct run){.next = begin, .end = wi_scratch_size(sorter->file)};
    sorter->count = 0;
    sorter->used = 0;
    return 0;
}

static void note_times(struct wi_sorter *sorter, const struct key *key)
{
    if (key->time_ns == INT64_MIN)
        return;
    int64_t last_ns = key->rank && key->end_ns > key->time_ns ? key->end_ns : key->time_ns;
    if (key->time_ns < sorter->first_ns)
        sorter->first_ns = key->time_ns;
    if (last_ns > sorter->last_ns)
        sorter->last_ns = last_ns;
}

/* Half of the range first: the difference itself might not fit. */
static int too_long(const struct wi_sorter *sorter)
{
    return sorter->first_ns < sorter->last_ns &&
           sorter->last_ns / 2 - sorter->first_ns / 2 > LONGEST_NS / 2;
}

/* Twice the keys: qsort copies them. */
static int is_full(const struct wi_sorter *sorter, uint32_t bytes)
{
    size_t keys = 2 * (size_t)(sorter->count + 1) * sizeof(*sorter->keys);
    return sorter->count == sorter->run_events || sorter->used + bytes + keys > MEMORY_BYTES;
}

int wi_sorter_add(struct wi_sorter *sorter, const struct wi_event *event)
{
    uint32_t bytes = bytes_of(event->kind);
    int err = is_full(sorter, bytes) ? spill(sorter) : 0;
    if (!err && sorter->count == sorter->cap)
        err = grow(sorter);
    if (!err && sorter->used + bytes > sorter->room)
        err = grow_data(sorter);
    if (err)
        return err;
    struct key *key = &sorter->keys[sorter->count];
    *key = key_of(event, sorter->used);
    note_times(sorter, key);
    sorter->sorted &= sorter->count == 0 || compare(key - 1, key) < 0;
    memcpy(sorter->data + sorter->used, event, bytes);
    sorter->used += bytes;
    sorter->count++;
    return 0;
}

int wi_sorter_drain(struct wi_sorter *sorter, wi_event_sink sink, void *user)
{
    int err = 0;
    if (too_long(sorter))
        return WI_ERR_RANGE;
    if (sorter->run_count)
        return merge_runs(sorter, 1, sink, user);
    sort_keys(sorter);
    for (uint32_t i = 0; i < sorter->count && !err; i++)
        err = give(sorter->data + sorter->keys[i].at, sink, user);
    return err;
}
