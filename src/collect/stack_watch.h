/* Looks at the Python stacks of threads that have been silent for long, and tells the engine what
 * they were doing.
 * Threads: the helper, or after wi_helper_stop() the thread that ends the process.
 * May not: allocate; cost more than 0.3 % of a core. */
#ifndef WI_COLLECT_STACK_WATCH_H
#define WI_COLLECT_STACK_WATCH_H

#include <stdint.h>

/* Once a round of the helper. now_ns: the wall clock. Returns in how many ns it wants to be called
 * again at the latest; INT64_MAX if no thread is silent. */
int64_t wi_stack_watch(int64_t now_ns);
/* A call of this thread began: what it was last seen at lasted until then. */
void wi_stack_watch_call(uint32_t thread, int64_t enter_ns);

#endif
