/* Passes sorted events on, with WI_EVENT_ADVANCE between them, and notes what they span.
 * Threads: one at a time. May not: allocate. */
#ifndef WI_IMPORT_PACED_SINK_H
#define WI_IMPORT_PACED_SINK_H

#include "import/import.h"

struct wi_paced_sink {
    wi_event_sink sink;
    void *user;
    int64_t advanced_ns; /* of the last WI_EVENT_ADVANCE */
    int since;           /* events since then */
    uint64_t events;
    int64_t first_ns, last_ns; /* WI_UNKNOWN before the first event that has a time */
};

void wi_paced_init(struct wi_paced_sink *paced, wi_event_sink sink, void *user);
/* A wi_event_sink; user is the struct wi_paced_sink. Events come in order, without ADVANCE. */
int wi_paced_event(void *paced, const struct wi_event *event);

#endif
