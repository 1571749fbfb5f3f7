/* Nesting, graphs and base time of a Kineto trace, see kineto_order.h.
 * Threads: one at a time. May use: malloc. */
#include "import/kineto_order.h"

#include <stdlib.h>

#include "base/err.h"

#define THREADS   4096u  /* slots, power of two; real jobs have hundreds */
#define LAUNCHES  65536u /* slots, power of two: graph launches that may still be running */
#define LATEST_NS (INT64_MAX / 2)

/* Where the outermost call and operator of a thread end. */
struct thread {
    uint32_t id;
    int used;
    int64_t call_enter_ns, call_exit_ns, span_end_ns;
    uint64_t call_corr;
    int call_is_graph;
};

/* What the correlation id of a device operation leads to. */
struct launch {
    uint64_t corr;
    uint64_t outer; /* the call that was kept */
    int is_graph;
};

struct wi_kineto_order {
    struct wi_paced_sink *sink;
    int64_t base_ns;
    struct thread threads[THREADS];
    struct launch launches[LAUNCHES];
};

struct wi_kineto_order *wi_kineto_order_create(struct wi_paced_sink *sink, int64_t base_ns)
{
    struct wi_kineto_order *order = calloc(1, sizeof(*order));
    if (!order)
        return NULL;
    order->sink = sink;
    order->base_ns = base_ns;
    return order;
}

void wi_kineto_order_free(struct wi_kineto_order *order)
{
    free(order);
}

static uint32_t slot_of(uint64_t id, uint32_t slots)
{
    return (uint32_t)(id * 0x9e3779b97f4a7c15u >> 40) & (slots - 1);
}

/* The state of a thread; with more threads than slots one forgets another's nesting. */
static struct thread *thread_of(struct wi_kineto_order *order, uint32_t id)
{
    uint32_t first = slot_of(id, THREADS);
    uint32_t at = first;
    for (uint32_t tries = 0; tries < 64; tries++, at = (at + 1) & (THREADS - 1)) {
        if (order->threads[at].used && order->threads[at].id == id)
            return &order->threads[at];
        if (!order->threads[at].used)
            break;
    }
    struct thread *thread = &order->threads[order->threads[at].used ? first : at];
    *thread = (struct thread){.id = id,
                              .used = 1,
                              .call_enter_ns = INT64_MIN,
                              .call_exit_ns = INT64_MIN,
                              .span_end_ns = INT64_MIN};
    return thread;
}

static void remember(struct wi_kineto_order *order, uint64_t corr, uint64_t outer, int is_graph)
{
    if (corr)
        order->launches[slot_of(corr, LAUNCHES)] =
            (struct launch){.corr = corr, .outer = outer, .is_graph = is_graph};
}

static int shift(const struct wi_kineto_order *order, int64_t *from_ns, int64_t *to_ns)
{
    if (__builtin_add_overflow(*from_ns, order->base_ns, from_ns) ||
        __builtin_add_overflow(*to_ns, order->base_ns, to_ns) || *to_ns > LATEST_NS ||
        *from_ns < -LATEST_NS)
        return WI_ERR_RANGE;
    return 0;
}

/* Is the call inside the thread's last one? Sorted input: it does not begin earlier. Of two that
 * begin together one of length zero came before (whole-microsecond times), not inside. */
static int is_nested(const struct thread *thread, const struct wi_host_call *call)
{
    int before = call->exit_ns == call->enter_ns && call->enter_ns == thread->call_enter_ns;
    return call->enter_ns < thread->call_exit_ns && call->exit_ns <= thread->call_exit_ns &&
           !before;
}

static int give_call(struct wi_kineto_order *order, struct wi_event event)
{
    struct wi_host_call *call = &event.u.call;
    struct thread *thread = thread_of(order, call->thread);
    int is_graph = call->api_class == WI_API_GRAPH_LAUNCH;
    if (shift(order, &call->enter_ns, &call->exit_ns) != 0)
        return WI_ERR_RANGE;
    if (is_nested(thread, call)) {
        if (call->corr != thread->call_corr)
            remember(order, call->corr, thread->call_corr, is_graph || thread->call_is_graph);
        return 0;
    }
    thread->call_enter_ns = call->enter_ns;
    thread->call_exit_ns = call->exit_ns;
    thread->call_corr = call->corr;
    thread->call_is_graph = is_graph;
    if (is_graph)
        remember(order, call->corr, call->corr, 1);
    return wi_paced_event(order->sink, &event);
}

static int give_op(struct wi_kineto_order *order, struct wi_event event)
{
    struct wi_device_op *op = &event.u.op;
    const struct launch *launch = &order->launches[slot_of(op->corr, LAUNCHES)];
    if (shift(order, &op->start_ns, &op->end_ns) != 0)
        return WI_ERR_RANGE;
    if (op->corr && launch->corr == op->corr) {
        op->corr = launch->outer;
        op->flags |= launch->is_graph ? WI_OP_GRAPH_NODE : 0;
    }
    return wi_paced_event(order->sink, &event);
}

/* Steps hold everything and hide nothing; what is inside another span is known by that one. */
static int give_span(struct wi_kineto_order *order, struct wi_event event)
{
    struct wi_host_span *span = &event.u.span;
    struct thread *thread = thread_of(order, span->thread);
    if (shift(order, &span->start_ns, &span->end_ns) != 0)
        return WI_ERR_RANGE;
    if (span->kind == WI_SPAN_CPU_OP && span->end_ns <= thread->span_end_ns)
        return 0;
    if (span->kind != WI_SPAN_STEP && span->end_ns > thread->span_end_ns)
        thread->span_end_ns = span->end_ns;
    return wi_paced_event(order->sink, &event);
}

int wi_kineto_order_event(void *user, const struct wi_event *event)
{
    switch (event->kind) {
    case WI_EVENT_CALL:
        return give_call(user, *event);
    case WI_EVENT_OP:
        return give_op(user, *event);
    case WI_EVENT_SPAN:
        return give_span(user, *event);
    default:
        return wi_paced_event(((struct wi_kineto_order *)user)->sink, event);
    }
}
