/* Spans from looks at silent threads, see stack_watch.h.
 * Threads: the helper. May not: allocate.
 *
 * A look sees an instant. Between two looks alike the thread is taken to have stayed; between two
 * that differ each gets half; before the first look the silence counts to it, and after the last
 * one as far as the looks were apart. */
#include "collect/stack_watch.h"

#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "collect/feed.h"
#include "collect/py_codes.h"
#include "collect/sampling.h"
#include "collect/sites.h"
#include "collect/stack_look.h"
#include "collect/thread.h"

#define WATCHED  64                 /* threads at once */
#define LONG_NS  INT64_C(5000000)   /* a silence as long is worth a look */
#define PACE_NS  INT64_C(10000000)  /* looks are at least as far apart... */
#define COST     300                /* ...and as many times what the last round of them took */
#define SHARE    10                 /* and further apart the longer the silence: a tenth of it */
#define TAIL_NS  INT64_C(100000000) /* what one look may stand for at most, after it */
#define NAME_CAP 200

struct silent {
    uint32_t thread;
    int64_t exit_ns;  /* when the silence began; 0 = slot free */
    int64_t until_ns; /* told up to here */
    int seen;         /* 0: the last look found nothing */
    int span;         /* enum wi_span_kind */
    uint32_t name, site;
};

static struct {
    struct silent silent[WATCHED];
    int open; /* slots in use */
    int64_t next_ns, pace_ns;
} state;

static void give(const struct silent *slot, int kind, int64_t start_ns, int64_t end_ns)
{
    struct wi_event event = {.kind = WI_EVENT_SPAN};
    event.u.span = (struct wi_host_span){.start_ns = start_ns,
                                         .end_ns = end_ns,
                                         .thread = slot->thread,
                                         .name = slot->name,
                                         .kind = (uint8_t)kind,
                                         .site = slot->site};
    if (end_ns > start_ns)
        wi_feed_event(&event);
}

static void tell(struct silent *slot, int64_t end_ns)
{
    if (slot->seen) {
        /* what waits for others, or is stopped, does not work where it was seen */
        if (slot->span != WI_SPAN_INPUT_WAIT && slot->span != WI_SPAN_COLLECTING)
            give(slot, WI_SPAN_FRAME, slot->until_ns, end_ns);
        if (slot->span != WI_SPAN_FRAME)
            give(slot, slot->span, slot->until_ns, end_ns);
    }
    slot->until_ns = end_ns > slot->until_ns ? end_ns : slot->until_ns;
}

static uint32_t name_of(const struct wi_look *look)
{
    char text[NAME_CAP];
    struct wi_out out;
    wi_out_mem(&out, text, sizeof(text));
    wi_look_name(look->code, &out);
    wi_out_finish(&out);
    return wi_names_str(wi_feed_names(), text);
}

/* The line of the job's own code on that stack. */
static uint32_t site_of(const struct wi_look *look)
{
    char text[NAME_CAP];
    struct wi_out out;
    if (look->own < 0)
        return WI_NO_NAME;
    wi_out_mem(&out, text, sizeof(text));
    wi_py_code_place(wi_py_code_at(look->own), look->instr, &out);
    wi_out_finish(&out);
    return wi_names_str(wi_feed_names(), text);
}

static struct silent *slot_of(uint32_t thread, int64_t exit_ns)
{
    struct silent *unused = NULL;
    for (int i = 0; i < WATCHED; i++) {
        struct silent *slot = &state.silent[i];
        if (slot->exit_ns && slot->thread == thread) {
            unused = slot; /* an older silence of this thread is over */
            if (slot->exit_ns == exit_ns)
                return slot;
            state.open--;
            break;
        }
        if (!slot->exit_ns && !unused)
            unused = slot;
    }
    if (unused) {
        *unused = (struct silent){.thread = thread, .exit_ns = exit_ns, .until_ns = exit_ns};
        state.open++;
    }
    return unused;
}

static void look_at(const struct wi_py *py, struct wi_thread *t, int64_t exit_ns, int64_t now)
{
    struct wi_look look;
    uintptr_t tstate = atomic_load_explicit(&t->site.py_state, memory_order_acquire);
    uintptr_t pthread = atomic_load_explicit(&t->site.pthread, memory_order_relaxed);
    struct silent *slot = slot_of(t->tid, exit_ns);
    int first = slot && slot->until_ns == slot->exit_ns && !slot->seen;
    if (!slot || (!first && now - slot->until_ns < (now - exit_ns) / SHARE))
        return;
    int seen = wi_look_at(py, tstate, pthread, &look) == 0;
    int span = look.collecting ? WI_SPAN_COLLECTING : look.span;
    uint32_t name = seen ? name_of(&look) : WI_NO_NAME;
    uint32_t site = seen ? site_of(&look) : WI_NO_NAME;
    if (!first &&
        (seen != slot->seen || span != slot->span || name != slot->name || site != slot->site))
        tell(slot, slot->until_ns + (now - slot->until_ns) / 2);
    slot->seen = seen;
    slot->span = span;
    slot->name = name;
    slot->site = site;
    tell(slot, now);
}

int64_t wi_stack_watch(int64_t now)
{
    int64_t began = 0, shortest = INT64_MAX;
    int due = now >= state.next_ns || state.next_ns - now > 10 * TAIL_NS; /* clock set back */
    const struct wi_py *py = wi_sites_python();
    int count = py ? wi_thread_count() : 0;
    for (int i = 0; i < count; i++) {
        struct wi_thread *t = wi_thread_at(i);
        int64_t exit_ns = atomic_load_explicit(&t->last_exit_ns, memory_order_relaxed);
        if (atomic_load_explicit(&t->state, memory_order_acquire) != WI_THREAD_USED ||
            atomic_load_explicit(&t->enter_ns, memory_order_relaxed) ||
            !atomic_load_explicit(&t->site.py_state, memory_order_relaxed) ||
            now - exit_ns < LONG_NS)
            continue;
        shortest = now - exit_ns < shortest ? now - exit_ns : shortest;
        if (!due)
            continue;
        began = began ? began : wi_sampling_begin();
        look_at(py, t, exit_ns, now);
    }
    if (began) {
        int64_t cost = wi_clock_ns(CLOCK_THREAD_CPUTIME_ID) - began;
        wi_sampling_spent(cost);
        state.pace_ns = cost * COST > PACE_NS ? cost * COST : PACE_NS;
        state.pace_ns *= wi_sampling_apart();
        state.next_ns = now + state.pace_ns;
    }
    if (shortest == INT64_MAX)
        return INT64_MAX;
    return state.next_ns - now > shortest / SHARE ? state.next_ns - now : shortest / SHARE;
}

void wi_stack_watch_call(uint32_t thread, int64_t enter_ns)
{
    if (!state.open)
        return;
    for (int i = 0; i < WATCHED; i++) {
        struct silent *slot = &state.silent[i];
        if (!slot->exit_ns || slot->thread != thread || enter_ns < slot->exit_ns)
            continue;
        int64_t most = slot->until_ns + (state.pace_ns < TAIL_NS ? state.pace_ns : TAIL_NS);
        tell(slot, enter_ns < most ? enter_ns : most);
        slot->exit_ns = 0;
        state.open--;
        return;
    }
}
