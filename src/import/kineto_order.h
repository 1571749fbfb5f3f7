/* The last stage of a Kineto import: sorted events in, what the engine expects out. It moves times
 * to the base time, leaves out what is nested, marks nodes of graphs and adds WI_EVENT_ADVANCE.
 * Threads: one at a time. May use: malloc. Memory is bounded for any number of threads and calls.
 */
#ifndef WI_IMPORT_KINETO_ORDER_H
#define WI_IMPORT_KINETO_ORDER_H

#include "import/import.h"
#include "import/paced_sink.h"

struct wi_kineto_order;

/* NULL if there is no memory. */
struct wi_kineto_order *wi_kineto_order_create(struct wi_paced_sink *sink, int64_t base_ns);
void wi_kineto_order_free(struct wi_kineto_order *order);
/* A wi_event_sink; user is the struct wi_kineto_order. */
int wi_kineto_order_event(void *order, const struct wi_event *event);

#endif
