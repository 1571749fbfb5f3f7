/* What follows what in a kept stretch, see replay_links.h.
 * Threads: the engine's. */
#include "analyze/replay_links.h"

#include "analyze/limits.h"
#include "base/err.h"

#define EVENTS       1024u
#define LOOK_BACK    4096u
#define AWAITED_BACK 256

struct stream_slot {
    uint32_t stream;
    int8_t device;
    uint8_t blocking; /* synchronises with the legacy default stream */
    uint32_t last;    /* operation */
    uint32_t pending; /* operation whose event it waits for */
    uint32_t started; /* hint of wi_links_started_by */
};

struct event_slot {
    uint32_t event;
    uint32_t op;
};

struct device_slot {
    uint32_t engine[2]; /* latest copy to the device, from the device */
    uint32_t full;      /* latest kernel that fills it */
};

struct wi_replay_links {
    const struct wi_calls *calls;
    const struct wi_move *moves;
    uint32_t last_call[WI_REPLAY_THREADS];
    uint8_t threads[WI_REPLAY_THREADS]; /* those seen, in order */
    uint32_t thread_count;
    uint32_t latest_call;
    struct stream_slot streams[WI_STREAM_SLOTS];
    uint32_t stream_count;
    struct event_slot events[EVENTS];
    struct device_slot devices[WI_REPLAY_DEVICES];
};

struct wi_replay_links *wi_links_create(struct wi_arena *arena, const struct wi_calls *calls,
                                        struct wi_move *moves)
{
    struct wi_replay_links *links = wi_arena_alloc(arena, sizeof(*links));
    if (!links)
        return NULL;
    links->calls = calls;
    links->moves = moves;
    links->latest_call = WI_NO_MOVE;
    for (uint32_t i = 0; i < WI_REPLAY_THREADS; i++)
        links->last_call[i] = WI_NO_MOVE;
    for (uint32_t i = 0; i < WI_REPLAY_DEVICES; i++)
        links->devices[i] = (struct device_slot){{WI_NO_MOVE, WI_NO_MOVE}, WI_NO_MOVE};
    return links;
}

static int64_t exit_of(const struct wi_replay_links *links, uint32_t move)
{
    return links->moves[move].kept->exit_ns;
}

static int same_clock(const struct wi_replay_links *links, uint8_t a, uint8_t b)
{
    if (a == b)
        return 1;
    return a < links->calls->thread_count && b < links->calls->thread_count &&
           wi_clock_alternate(links->calls, a, b);
}

uint32_t wi_links_clock(const struct wi_replay_links *links, const struct wi_kept *kept)
{
    uint32_t best = WI_NO_MOVE;
    for (uint32_t i = 0; i < links->thread_count; i++) {
        uint8_t thread = links->threads[i];
        uint32_t last = links->last_call[thread];
        int own = thread == kept->thread;
        if (!own && exit_of(links, last) > kept->enter_ns)
            continue;
        if ((best == WI_NO_MOVE || exit_of(links, last) > exit_of(links, best)) &&
            same_clock(links, thread, kept->thread))
            best = last;
    }
    return best;
}

uint32_t wi_links_latest_call(const struct wi_replay_links *links)
{
    return links->latest_call;
}

static struct stream_slot *stream_at(struct wi_replay_links *links, int8_t device, uint32_t stream)
{
    for (uint32_t i = links->stream_count; i-- > 0;)
        if (links->streams[i].stream == stream && links->streams[i].device == device)
            return &links->streams[i];
    if (links->stream_count == WI_STREAM_SLOTS)
        return &links->streams[WI_STREAM_SLOTS - 1];
    struct stream_slot *slot = &links->streams[links->stream_count++];
    *slot = (struct stream_slot){stream, device, 0, WI_NO_MOVE, WI_NO_MOVE, WI_NO_MOVE};
    return slot;
}

static void note_event(struct wi_replay_links *links, const struct wi_kept *kept)
{
    if (!kept->target)
        return;
    struct stream_slot *stream = stream_at(links, kept->device, kept->stream);
    links->events[kept->target % EVENTS] = (struct event_slot){kept->target, stream->last};
}

static uint32_t op_of_event(const struct wi_replay_links *links, uint32_t event)
{
    const struct event_slot *slot = &links->events[event % EVENTS];
    return event && slot->event == event ? slot->op : WI_NO_MOVE;
}

void wi_links_call(struct wi_replay_links *links, uint32_t move, const struct wi_kept *kept)
{
    if (links->last_call[kept->thread] == WI_NO_MOVE)
        links->threads[links->thread_count++] = kept->thread;
    links->last_call[kept->thread] = move;
    links->latest_call = move;
    if (kept->api_class == WI_API_EVENT_RECORD)
        note_event(links, kept);
    if (kept->api_class == WI_API_STREAM_WAIT) {
        uint32_t op = op_of_event(links, kept->target);
        if (op != WI_NO_MOVE)
            stream_at(links, kept->device, kept->stream)->pending = op;
    }
}

uint16_t wi_links_stream(struct wi_replay_links *links, const struct wi_kept *kept)
{
    struct stream_slot *slot = stream_at(links, kept->device, kept->stream);
    if (kept->enter_ns != WI_UNKNOWN)
        slot->blocking = !(kept->flags & WI_CALL_NONBLOCKING_STREAM);
    return (uint16_t)(slot - links->streams);
}

uint32_t wi_links_last_in(const struct wi_replay_links *links, uint16_t stream)
{
    return links->streams[stream].last;
}

uint32_t wi_links_dependency(struct wi_replay_links *links, uint16_t stream,
                             const struct wi_kept *kept)
{
    uint32_t op = links->streams[stream].pending;
    links->streams[stream].pending = WI_NO_MOVE;
    return op != WI_NO_MOVE && links->moves[op].kept != kept ? op : WI_NO_MOVE;
}

uint32_t wi_links_legacy(const struct wi_replay_links *links, const struct wi_kept *kept)
{
    uint32_t best = WI_NO_MOVE;
    int legacy = kept->stream == 0;
    if (!legacy && (kept->enter_ns == WI_UNKNOWN || kept->flags & WI_CALL_NONBLOCKING_STREAM))
        return best;
    for (uint32_t i = 0; i < links->stream_count; i++) {
        const struct stream_slot *other = &links->streams[i];
        int synchronises = legacy ? other->blocking && other->stream : !other->stream;
        if (!synchronises || other->device != kept->device || other->last == WI_NO_MOVE)
            continue;
        int64_t end = links->moves[other->last].kept->end_ns;
        if (end <= kept->start_ns + WI_LIMIT_CLOCK_ERROR_NS &&
            (best == WI_NO_MOVE || end > links->moves[best].kept->end_ns))
            best = other->last;
    }
    return best;
}

int wi_links_uses_engine(const struct wi_kept *kept)
{
    return kept->kind == WI_OP_COPY &&
           (kept->direction == WI_COPY_H2D || kept->direction == WI_COPY_D2H);
}

static struct device_slot *device_of(const struct wi_replay_links *links,
                                     const struct wi_kept *kept)
{
    return (struct device_slot *)&links->devices[(uint8_t)kept->device % WI_REPLAY_DEVICES];
}

uint32_t wi_links_engine(const struct wi_replay_links *links, const struct wi_kept *kept)
{
    return device_of(links, kept)->engine[kept->direction == WI_COPY_D2H];
}

int wi_links_fills(const struct wi_kept *kept)
{
    return kept->kind == WI_OP_KERNEL && !(kept->op_flags & WI_OP_COLLECTIVE) && kept->waves >= 256;
}

uint32_t wi_links_full(const struct wi_replay_links *links, const struct wi_kept *kept)
{
    return device_of(links, kept)->full;
}

void wi_links_op(struct wi_replay_links *links, uint16_t stream, uint32_t move,
                 const struct wi_kept *kept)
{
    links->streams[stream].last = move;
    if (wi_links_uses_engine(kept))
        device_of(links, kept)->engine[kept->direction == WI_COPY_D2H] = move;
    if (wi_links_fills(kept))
        device_of(links, kept)->full = move;
}

/* The latest operation of a stream that ended by until_ns, looking back a bounded way. */
static uint32_t ended_by(const struct wi_move *moves, uint32_t last, int64_t until_ns)
{
    for (int i = 0; i < AWAITED_BACK && last != WI_NO_MOVE; i++) {
        if (moves[last].kept->end_ns <= until_ns)
            return last;
        last = moves[last].stream_prev;
    }
    return WI_NO_MOVE;
}

uint32_t wi_links_awaited(const struct wi_replay_links *links, const struct wi_move *moves,
                          const struct wi_kept *kept)
{
    int64_t until = kept->exit_ns + WI_LIMIT_CLOCK_ERROR_NS;
    uint32_t best = op_of_event(links, kept->target);
    if (best != WI_NO_MOVE && moves[best].kept->end_ns <= until)
        return best;
    int known = 0; /* the call names a stream that has work */
    for (uint32_t i = 0; i < links->stream_count && kept->stream && !kept->target; i++)
        known |= links->streams[i].stream == kept->stream;
    best = WI_NO_MOVE;
    for (uint32_t i = 0; i < links->stream_count; i++) {
        const struct stream_slot *stream = &links->streams[i];
        if (known && stream->stream != kept->stream)
            continue;
        if (kept->device != WI_NO_DEVICE && stream->device != kept->device)
            continue;
        uint32_t op = ended_by(moves, stream->last, until);
        if (op != WI_NO_MOVE &&
            (best == WI_NO_MOVE || moves[op].kept->end_ns > moves[best].kept->end_ns))
            best = op;
    }
    return best;
}

uint32_t wi_links_started_by(struct wi_replay_links *links, const struct wi_move *moves,
                             const struct wi_move *launch)
{
    struct stream_slot *stream = &links->streams[launch->stream];
    uint32_t at = stream->started;
    if (at == WI_NO_MOVE) {
        at = launch->stream_prev;
        while (at != WI_NO_MOVE && moves[at].stream_prev != WI_NO_MOVE)
            at = moves[at].stream_prev;
    }
    while (at != WI_NO_MOVE && moves[at].stream_next != WI_NO_MOVE &&
           moves[moves[at].stream_next].kept->start_ns <=
               launch->kept->exit_ns + WI_LIMIT_CLOCK_ERROR_NS)
        at = moves[at].stream_next;
    stream->started = at;
    if (at == WI_NO_MOVE || moves[at].ordinal >= launch->ordinal ||
        moves[at].kept->start_ns > launch->kept->exit_ns + WI_LIMIT_CLOCK_ERROR_NS)
        return WI_NO_MOVE;
    return at;
}

uint32_t wi_links_ended_before(const struct wi_move *moves, uint32_t index, int64_t within_ns)
{
    const struct wi_move *move = &moves[index];
    int64_t start = move->kept->start_ns;
    uint32_t best = WI_NO_MOVE, low = index > LOOK_BACK ? index - LOOK_BACK : 0;
    for (uint32_t i = index; i-- > low;) {
        const struct wi_move *other = &moves[i];
        if (!(other->flags & WI_MOVE_OP) || other->stream == move->stream ||
            other->kept->device != move->kept->device)
            continue;
        int64_t end = other->kept->end_ns;
        if (end <= start + WI_LIMIT_CLOCK_ERROR_NS && end >= start - within_ns &&
            (best == WI_NO_MOVE || end > moves[best].kept->end_ns))
            best = i;
    }
    return best;
}

struct context {
    uint64_t key; /* 0 = free */
    uint32_t signature;
};

#define CONTEXTS 4096u

/* Same thread, same calls on both sides, same decimal length. */
static uint64_t context_of(const struct wi_move *moves, const struct wi_move *move)
{
    uint64_t before = move->prev == WI_NO_MOVE ? 0 : moves[move->prev].kept->api, length = 0;
    for (int64_t ns = move->silence_ns; ns >= 10; ns /= 10)
        length++;
    uint64_t key = (before << 32 | move->kept->api) * 0x9e3779b97f4a7c15u;
    return ((key ^ (key >> 29)) + (length << 8 | move->kept->thread)) | 1;
}

static struct context *find_context(struct context *table, uint64_t key)
{
    for (uint32_t i = 0; i < CONTEXTS; i++) {
        struct context *at = &table[((key >> 12) + i) & (CONTEXTS - 1)];
        if (!at->key || at->key == key)
            return at;
    }
    return NULL;
}

int wi_links_labels(struct wi_arena *arena, struct wi_move *moves, uint32_t count)
{
    struct context *table = wi_arena_alloc(arena, CONTEXTS * sizeof(*table));
    if (!table)
        return WI_ERR_NOMEM;
    for (uint32_t i = 0; i < count; i++) {
        struct context *at =
            moves[i].silence_sig ? find_context(table, context_of(moves, &moves[i])) : NULL;
        if (at)
            *at = (struct context){context_of(moves, &moves[i]), moves[i].silence_sig};
    }
    for (uint32_t i = 0; i < count; i++) {
        if (moves[i].silence_sig || moves[i].silence_ns < WI_LIMIT_RUN_SILENCE_FLOOR_NS)
            continue;
        const struct context *at = find_context(table, context_of(moves, &moves[i]));
        if (at && at->key)
            moves[i].silence_sig = at->signature;
    }
    return WI_OK;
}
