/* Store of the host calls, see calls.h.
 * Threads: the engine's. May not: allocate after creation. */
#include "analyze/calls.h"

#include <string.h>

#include "analyze/limits.h"
#include "base/err.h"

#define CORR_SLOTS  (2 * WI_CALL_SLOTS) /* at most; at first as many times fewer as calls */
#define EARLY_SLOTS 8192u /* ids of ops ahead of their calls: one buffer of CUPTI holds 1 200 */

int wi_calls_init(struct wi_calls *calls, struct wi_arena *arena)
{
    memset(calls, 0, sizeof(*calls));
    calls->arena = arena;
    calls->slots = wi_arena_alloc(arena, WI_CALL_SLOTS * sizeof(*calls->slots));
    calls->by_corr = wi_arena_alloc(arena, CORR_SLOTS * sizeof(*calls->by_corr));
    calls->early = wi_arena_alloc(arena, EARLY_SLOTS * sizeof(*calls->early));
    calls->threads = wi_arena_alloc(arena, WI_THREAD_SLOTS * sizeof(*calls->threads));
    calls->runs = wi_arena_alloc(arena, WI_RUN_SLOTS * sizeof(*calls->runs));
    calls->slot_cap = WI_CALL_FIRST;
    calls->corr_cap = CORR_SLOTS / WI_CALL_SLOTS * WI_CALL_FIRST;
    calls->unbound = WI_NO_SLOT;
    calls->first_enter_ns = WI_UNKNOWN;
    calls->last_exit_ns = WI_UNKNOWN;
    wi_reservoir_init(&calls->reservoir, arena);
    if (!calls->slots || !calls->by_corr || !calls->early || !calls->threads || !calls->runs)
        return WI_ERR_NOMEM;
    return WI_OK;
}

uint32_t wi_calls_thread(struct wi_calls *calls, uint32_t tid)
{
    for (uint32_t i = calls->thread_count; i-- > 0;) /* the latest threads call most */
        if (calls->threads[i].tid == tid)
            return i;
    if (calls->thread_count == WI_THREAD_SLOTS)
        return WI_NO_SLOT;
    struct wi_thread *thread = &calls->threads[calls->thread_count];
    memset(thread, 0, sizeof(*thread));
    thread->tid = tid;
    thread->head = thread->tail = thread->owed = thread->last_copy = WI_NO_SLOT;
    thread->matrix_index = WI_MATRIX;
    thread->last_exit_ns = thread->last_walked_ns = WI_UNKNOWN;
    return calls->thread_count++;
}

/* The two places an id may stand in: neighbours, so that sequences fill the table evenly. */
static struct wi_corr_entry *corr_pair(const struct wi_calls *calls, uint64_t corr)
{
    return &calls->by_corr[corr & (calls->corr_cap - 2)];
}

static int corr_holds(const struct wi_calls *calls, const struct wi_corr_entry *entry)
{
    return entry->corr && calls->slots[entry->slot].call.corr == entry->corr;
}

uint32_t wi_calls_find(const struct wi_calls *calls, uint64_t corr)
{
    const struct wi_corr_entry *pair = corr_pair(calls, corr);
    for (int i = 0; i < 2 && corr; i++)
        if (pair[i].corr == corr && calls->slots[pair[i].slot].call.corr == corr)
            return pair[i].slot;
    return WI_NO_SLOT;
}

/* Doubles the table: each entry stays, or goes as far up as the table was long. */
static void corr_grow(struct wi_calls *calls)
{
    uint32_t old = calls->corr_cap;
    for (uint32_t i = 0; i < old; i++) {
        struct wi_corr_entry *entry = &calls->by_corr[i];
        if (entry->corr & old) {
            calls->by_corr[i + old] = *entry;
            *entry = (struct wi_corr_entry){0, 0};
        }
    }
    calls->corr_cap = 2 * old;
}

/* Where the id goes: its own place, or its neighbour's, so that no call that is still known is
 * forgotten while the table can grow; then, that none is that is not trimmed. */
static struct wi_corr_entry *corr_place(struct wi_calls *calls, uint64_t corr)
{
    unsigned own = corr & 1;
    for (;; corr_grow(calls)) {
        struct wi_corr_entry *pair = corr_pair(calls, corr);
        if (!corr_holds(calls, &pair[own]))
            return &pair[own];
        if (calls->corr_cap == CORR_SLOTS)
            return &pair[calls->slots[pair[own].slot].trimmed ? own : !own];
        if (!corr_holds(calls, &pair[!own]))
            return &pair[!own];
    }
}

static int is_needed(const struct wi_call_slot *slot)
{
    int awaited = (slot->call.flags & WI_CALL_OWES) && slot->op_start_ns == WI_UNKNOWN;
    return slot->seq && (!slot->trimmed || !slot->settled || awaited ||
                         slot->call.api_class == WI_API_GRAPH_LAUNCH);
}

/* Takes a slot back from the call that has it. Its thread forgets that call and all before it. */
static void reuse(struct wi_calls *calls, uint32_t index)
{
    struct wi_call_slot *slot = &calls->slots[index];
    struct wi_thread *thread = &calls->threads[slot->thread_index];
    calls->overwritten += !slot->settled;
    if (thread->head != WI_NO_SLOT && calls->slots[thread->head].seq <= slot->seq)
        thread->head = slot->next;
    if (thread->tail == index)
        thread->tail = WI_NO_SLOT;
    if (thread->owed != WI_NO_SLOT && calls->slots[thread->owed].seq <= slot->seq)
        thread->owed = slot->next;
    if (thread->last_copy == index)
        thread->last_copy = WI_NO_SLOT;
}

/* The next slot to use: round and round in as few as are needed. */
static uint32_t take_slot(struct wi_calls *calls)
{
    if (calls->slot_next == calls->slot_cap)
        calls->slot_next = 0;
    if (calls->pushed >= calls->slot_cap && calls->slot_cap < WI_CALL_SLOTS &&
        is_needed(&calls->slots[calls->slot_next])) {
        calls->slot_next = calls->slot_cap;
        calls->slot_cap *= 2;
    }
    uint32_t index = calls->slot_next++;
    /* a fresh slot is not looked at: reading it first would cost a second page fault */
    if (index < calls->slots_used)
        reuse(calls, index);
    else
        calls->slots_used = index + 1;
    return index;
}

static void link_slot(struct wi_calls *calls, struct wi_thread *thread, uint32_t index)
{
    if (thread->tail != WI_NO_SLOT)
        calls->slots[thread->tail].next = index;
    if (thread->head == WI_NO_SLOT)
        thread->head = index;
    thread->tail = index;
    if (thread->owed == WI_NO_SLOT && !calls->slots[index].settled)
        thread->owed = index;
}

static int owes(struct wi_calls *calls, const struct wi_host_call *call)
{
    if (!(call->flags & WI_CALL_OWES) || !call->corr || (call->flags & WI_CALL_FAILED))
        return 0;
    uint64_t *early = &calls->early[call->corr & (EARLY_SLOTS - 1)];
    if (*early != call->corr)
        return 1;
    *early = 0;
    return 0;
}

struct wi_call_slot *wi_calls_push(struct wi_calls *calls, const struct wi_host_call *call)
{
    uint32_t thread_index = wi_calls_thread(calls, call->thread);
    if (thread_index == WI_NO_SLOT) {
        calls->thread_overflow++;
        return NULL;
    }
    uint32_t index = take_slot(calls);
    struct wi_call_slot *slot = &calls->slots[index];
    *slot = (struct wi_call_slot){.call = *call,
                                  .seq = ++calls->pushed,
                                  .op_start_ns = WI_UNKNOWN,
                                  .op_end_ns = WI_UNKNOWN,
                                  .next = WI_NO_SLOT,
                                  .behind = WI_NO_SLOT,
                                  .thread_index = thread_index,
                                  .settled = !owes(calls, call)};
    if (call->corr)
        *corr_place(calls, call->corr) = (struct wi_corr_entry){call->corr, index};
    struct wi_thread *thread = &calls->threads[thread_index];
    wi_clock_note(calls, thread, index);
    /* a query that finds nothing new is part of the silence around it; a spin of them is a wait */
    if (wi_clock_walks(call) || (call->api_class == WI_API_QUERY && call->repeat))
        slot->kept = wi_reservoir_call(&calls->reservoir, call, slot->seq, thread_index);
    link_slot(calls, thread, index);
    if (calls->first_enter_ns == WI_UNKNOWN || call->enter_ns < calls->first_enter_ns)
        calls->first_enter_ns = call->enter_ns;
    if (calls->last_exit_ns == WI_UNKNOWN || call->exit_ns > calls->last_exit_ns)
        calls->last_exit_ns = call->exit_ns;
    return slot;
}

static void drop_overdue(struct wi_calls *calls, uint64_t corr)
{
    for (uint32_t i = 0; i < calls->overdue_count; i++)
        if (calls->overdue[i].corr == corr) {
            calls->overdue[i] = calls->overdue[--calls->overdue_count];
            return;
        }
}

uint32_t wi_calls_settle(struct wi_calls *calls, uint64_t corr)
{
    if (!corr)
        return WI_NO_SLOT;
    uint32_t index = wi_calls_find(calls, corr);
    if (calls->overdue_count)
        drop_overdue(calls, corr);
    if (index == WI_NO_SLOT)
        calls->early[corr & (EARLY_SLOTS - 1)] = corr;
    else
        calls->slots[index].settled = 1;
    return index;
}

static void note_launch(struct wi_calls *calls, const struct wi_host_call *call,
                        const struct wi_device_op *op)
{
    calls->launches_joined++;
    calls->launches_blocked += call->exit_ns >= op->end_ns - WI_LIMIT_CLOCK_ERROR_NS &&
                               op->end_ns - op->start_ns > WI_LIMIT_CLOCK_ERROR_NS;
}

void wi_calls_join(struct wi_calls *calls, uint32_t index, const struct wi_device_op *op)
{
    struct wi_call_slot *slot = &calls->slots[index];
    if (slot->op_start_ns == WI_UNKNOWN || op->start_ns < slot->op_start_ns)
        slot->op_start_ns = op->start_ns;
    if (slot->op_end_ns == WI_UNKNOWN || op->end_ns > slot->op_end_ns)
        slot->op_end_ns = op->end_ns;
    if (slot->call.api_class == WI_API_LAUNCH && op->kind == WI_OP_KERNEL)
        note_launch(calls, &slot->call, op);
    if (op->kind != WI_OP_COPY)
        return;
    slot->call.bytes = op->bytes ? op->bytes : slot->call.bytes;
    slot->call.direction = op->direction ? op->direction : slot->call.direction;
    slot->call.src_mem = op->src_mem ? op->src_mem : slot->call.src_mem;
    slot->call.dst_mem = op->dst_mem ? op->dst_mem : slot->call.dst_mem;
}

static void give_up(struct wi_calls *calls, struct wi_call_slot *slot)
{
    slot->settled = 1;
    if (calls->overdue_count == WI_OVERDUE_SLOTS)
        calls->overwritten++;
    else
        calls->overdue[calls->overdue_count++] =
            (struct wi_overdue){slot->call.corr, slot->call.exit_ns, slot->call.device};
}

int64_t wi_calls_owed_since(struct wi_calls *calls, int64_t give_up_ns)
{
    int64_t oldest = INT64_MAX;
    for (uint32_t i = 0; i < calls->thread_count; i++) {
        struct wi_thread *thread = &calls->threads[i];
        while (thread->owed != WI_NO_SLOT) {
            struct wi_call_slot *slot = &calls->slots[thread->owed];
            if (!slot->settled && slot->call.enter_ns < give_up_ns)
                give_up(calls, slot);
            if (!slot->settled)
                break;
            thread->owed = slot->next;
        }
        if (thread->owed != WI_NO_SLOT && calls->slots[thread->owed].call.enter_ns < oldest)
            oldest = calls->slots[thread->owed].call.enter_ns;
    }
    return oldest;
}

void wi_calls_forgive(struct wi_calls *calls, int64_t limit_ns)
{
    for (uint32_t i = 0; i < calls->thread_count; i++) {
        uint32_t at = calls->threads[i].owed;
        for (; at != WI_NO_SLOT; at = calls->slots[at].next)
            if (calls->slots[at].call.enter_ns < limit_ns)
                calls->slots[at].settled = 1;
    }
    for (uint32_t i = calls->overdue_count; i-- > 0;)
        if (calls->overdue[i].exit_ns < limit_ns)
            calls->overdue[i] = calls->overdue[--calls->overdue_count];
}

int64_t wi_calls_overdue_since(const struct wi_calls *calls, int32_t device)
{
    int64_t since = INT64_MAX;
    for (uint32_t i = 0; i < calls->overdue_count; i++) {
        const struct wi_overdue *call = &calls->overdue[i];
        int same = call->device == device || call->device == WI_NO_DEVICE;
        if (same && call->exit_ns < since)
            since = call->exit_ns;
    }
    return since;
}

static void trim_spans(struct wi_thread *thread, int64_t limit_ns)
{
    while (thread->span_count && thread->spans[thread->span_first].end_ns <= limit_ns) {
        thread->span_first = (thread->span_first + 1) % WI_SPAN_SLOTS;
        thread->span_count--;
    }
}

void wi_calls_trim(struct wi_calls *calls, int64_t limit_ns)
{
    for (uint32_t i = 0; i < calls->thread_count; i++) {
        struct wi_thread *thread = &calls->threads[i];
        while (thread->head != WI_NO_SLOT) {
            uint32_t next = calls->slots[thread->head].next;
            if (next == WI_NO_SLOT || calls->slots[next].call.exit_ns > limit_ns)
                break;
            calls->slots[thread->head].trimmed = 1;
            thread->head = next;
        }
        if (thread->spans)
            trim_spans(thread, limit_ns);
    }
}
