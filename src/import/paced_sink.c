/* Pacing of sorted events, see paced_sink.h.
 * Threads: one at a time. May not: allocate. */
#include "import/paced_sink.h"

/* The engine holds what lies between two advances: both bounds keep that small. */
#define ADVANCE_NS     1000000
#define ADVANCE_EVENTS 1000

void wi_paced_init(struct wi_paced_sink *paced, wi_event_sink sink, void *user)
{
    *paced = (struct wi_paced_sink){.sink = sink,
                                    .user = user,
                                    .advanced_ns = WI_UNKNOWN,
                                    .first_ns = WI_UNKNOWN,
                                    .last_ns = WI_UNKNOWN};
}

static int64_t end_of(const struct wi_event *event)
{
    switch (event->kind) {
    case WI_EVENT_CALL:
        return event->u.call.exit_ns;
    case WI_EVENT_OP:
        return event->u.op.end_ns;
    case WI_EVENT_SPAN:
        return event->u.span.end_ns;
    default:
        return wi_event_time(event);
    }
}

/* Tells that everything before at_ns was given, if that is worth an event. */
static int advance(struct wi_paced_sink *paced, int64_t at_ns)
{
    if (paced->advanced_ns == WI_UNKNOWN)
        paced->advanced_ns = at_ns;
    if (at_ns - paced->advanced_ns < ADVANCE_NS && paced->since < ADVANCE_EVENTS)
        return 0;
    paced->since = 0;
    if (at_ns == paced->advanced_ns)
        return 0;
    paced->advanced_ns = at_ns;
    struct wi_event event = {.kind = WI_EVENT_ADVANCE, .u.at_ns = at_ns};
    return paced->sink(paced->user, &event);
}

int wi_paced_event(void *user, const struct wi_event *event)
{
    struct wi_paced_sink *paced = user;
    int64_t at_ns = wi_event_time(event);
    if (at_ns != INT64_MIN) {
        int64_t end_ns = end_of(event);
        if (paced->first_ns == WI_UNKNOWN)
            paced->first_ns = at_ns;
        int err = advance(paced, at_ns);
        if (err)
            return err;
        if (paced->last_ns == WI_UNKNOWN || end_ns > paced->last_ns)
            paced->last_ns = end_ns;
        paced->since++;
    }
    paced->events++;
    return paced->sink(paced->user, event);
}
