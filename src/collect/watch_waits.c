/* Spans from looks at silent threads, see watch_waits.h.
 * Threads: the helper. May not: allocate.
 *
 * A look sees an instant. Between two looks alike the thread is taken to have stayed; between two
 * that differ each gets half; before the first look the silence counts to it, and after the last
 * one as far as the looks were apart. */
#include "collect/watch_waits.h"

#include <stdatomic.h>

#include "collect/core_looks.h"
#include "collect/feed.h"
#include "collect/sampling.h"
#include "collect/thread.h"
#include "collect/watch_look.h"

#define WATCHED   32 /* threads at once */
#define MS        INT64_C(1000000)
#define LONG_NS   (4 * MS) /* a silence as long is worth a look: Python's lock is asked for 5 ms */
#define RECENT_NS (500 * MS) /* whoever was silent as long ago will be again */
#define LEAST_NS  (10 * MS)  /* between two looks... */
#define MOST_NS   (100 * MS) /* ...and at most, */
#define SHARE     10         /* else a tenth of the silence */
#define WAKE_NS   30000      /* what one more turn of the helper costs */

struct watched {
    struct wi_looked looked; /* tid 0 = free */
    int64_t exit_ns;         /* when the silence looked at began; 0 = none */
    int64_t until_ns;        /* told up to here */
    int64_t next_ns;         /* the next look */
    int64_t pace_ns;
    int kind;                        /* of the last look */
    int64_t last_exit_ns, silent_ns; /* of its calls; when its last long silence ended */
    uint64_t silences;               /* long ones so far */
    uint64_t calls;                  /* since the issuer was asked for */
};

static struct {
    struct watched watched[WATCHED];
    struct watched *latest;
} state;

static void tell(struct watched *w, int64_t end_ns)
{
    struct wi_event event = {.kind = WI_EVENT_SPAN};
    event.u.span = (struct wi_host_span){.start_ns = w->until_ns,
                                         .end_ns = end_ns,
                                         .thread = w->looked.tid,
                                         .kind = (uint8_t)w->kind};
    if (end_ns <= w->until_ns)
        return;
    if (w->kind >= 0)
        wi_feed_event(&event);
    w->until_ns = end_ns;
}

static struct watched *find(uint32_t tid)
{
    struct watched *unused = NULL;
    if (state.latest && state.latest->looked.tid == tid)
        return state.latest;
    for (int i = 0; i < WATCHED; i++) {
        struct watched *w = &state.watched[i];
        if (w->looked.tid == tid)
            return state.latest = w;
        if (!w->looked.tid && !unused)
            unused = w;
    }
    if (unused)
        *unused = (struct watched){.looked = {.tid = tid, .syscall_fd = -1, .stat_fd = -1}};
    return unused;
}

static int64_t pace(int64_t silence_ns)
{
    int64_t ns = silence_ns / SHARE;
    ns = ns < LEAST_NS ? LEAST_NS : ns > MOST_NS ? MOST_NS : ns;
    return ns * wi_sampling_apart();
}

/* The thread may have gone on meanwhile: then what was seen belongs to a call. */
static void look(struct watched *w, struct wi_thread *t, int64_t exit_ns, int64_t now)
{
    int first = w->exit_ns != exit_ns;
    int kind = wi_look(&w->looked, first);
    if (atomic_load_explicit(&t->enter_ns, memory_order_acquire) ||
        atomic_load_explicit(&t->last_exit_ns, memory_order_relaxed) != exit_ns)
        return;
    if (first) {
        w->exit_ns = w->until_ns = exit_ns;
    } else if (kind != w->kind) {
        tell(w, w->until_ns + (now - w->until_ns) / 2);
    }
    w->kind = kind;
    tell(w, now);
    /* Whose work is done in Python is seen by its own stack (stack_watch.h). */
    if (kind == WI_LOOK_RUNS && !atomic_load_explicit(&t->site.py_state, memory_order_relaxed))
        wi_core_look(t->tid, exit_ns);
    w->pace_ns = pace(now - exit_ns);
    w->next_ns = now + w->pace_ns;
}

/* From when on the silence of now is looked at. Where looks are to be fewer, most silences have to
 * be longer for one: not all, or those of one length would not be seen at all any more. Which ones
 * follows no beat, as those of one kind come by turns with others. */
static int64_t long_ns(const struct watched *w)
{
    int64_t apart = wi_sampling_apart();
    uint32_t spread = (uint32_t)(w->silences * UINT64_C(2654435769));
    return (spread >> 16) * (uint64_t)apart >> 16 ? LONG_NS * apart : LONG_NS;
}

/* Looks at one thread if it is time; returns how long until the next look at it. */
static int64_t visit(struct wi_thread *t, int64_t now)
{
    int64_t exit_ns = atomic_load_explicit(&t->last_exit_ns, memory_order_relaxed);
    int64_t silence = now - exit_ns;
    if (atomic_load_explicit(&t->state, memory_order_acquire) != WI_THREAD_USED ||
        atomic_load_explicit(&t->enter_ns, memory_order_relaxed) || silence < 0)
        return INT64_MAX;
    struct watched *w = find(t->tid);
    if (!w)
        return INT64_MAX;
    if (silence < long_ns(w)) /* waking for it pays only where long silences are likely */
        return now - w->silent_ns < RECENT_NS ? long_ns(w) - silence : INT64_MAX;
    if (w->exit_ns != exit_ns || now >= w->next_ns) {
        int64_t began_ns = wi_sampling_begin();
        look(w, t, exit_ns, now);
        wi_sampling_end(began_ns);
    }
    return w->next_ns > now ? w->next_ns - now : LEAST_NS;
}

int64_t wi_watch_waits(int64_t now)
{
    int64_t next = INT64_MAX;
    int count = wi_thread_count();
    for (int i = 0; i < count; i++) {
        int64_t ns = visit(wi_thread_at(i), now);
        next = ns < next ? ns : next;
    }
    wi_sampling_spent(next == INT64_MAX ? 0 : WAKE_NS);
    return next < MS ? MS : next;
}

void wi_watch_call(uint32_t thread, int64_t enter_ns, int64_t exit_ns)
{
    struct watched *w = find(thread);
    if (!w)
        return;
    if (w->exit_ns && enter_ns >= w->exit_ns) {
        int64_t most = w->until_ns + w->pace_ns;
        tell(w, enter_ns < most ? enter_ns : most);
        wi_core_look_end(thread, w->exit_ns, enter_ns);
        w->exit_ns = 0;
    }
    if (w->last_exit_ns && enter_ns - w->last_exit_ns >= LONG_NS) {
        w->silent_ns = enter_ns;
        w->silences++;
    }
    w->last_exit_ns = exit_ns;
    w->calls++;
}

static int lives(uint32_t tid)
{
    int count = wi_thread_count();
    for (int i = 0; i < count; i++) {
        struct wi_thread *t = wi_thread_at(i);
        if (t->tid == tid &&
            atomic_load_explicit(&t->state, memory_order_acquire) == WI_THREAD_USED)
            return 1;
    }
    return 0;
}

int64_t wi_watch_issuer(void)
{
    const struct watched *most = NULL;
    int64_t tid = WI_UNKNOWN;
    for (int i = 0; i < WATCHED; i++) {
        struct watched *w = &state.watched[i];
        if (w->looked.tid && w->calls && (!most || w->calls > most->calls))
            most = w;
    }
    if (most)
        tid = most->looked.tid;
    for (int i = 0; i < WATCHED; i++) {
        struct watched *w = &state.watched[i];
        if (w->looked.tid && !w->calls && !lives(w->looked.tid)) {
            wi_look_end(&w->looked);
            w->looked.tid = 0;
        }
        w->calls = 0;
    }
    return tid;
}
