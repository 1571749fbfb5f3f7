/* The demangler that the job itself carries, if it does: this library needs no C++ library.
 * Threads: wi_demangler_look on the helper; the result from then on wherever a report is made.
 * May not: be used on the hot path, or where the job ends without its exit handlers (it allocates,
 * and the thread that ends it there may be inside the allocator). */
#ifndef WI_COLLECT_DEMANGLER_H
#define WI_COLLECT_DEMANGLER_H

#include "report/pretty_names.h"

/* Looks for it, again later if it was not there; at most some thirty times. */
void wi_demangler_look(void);
/* NULL while there is none. */
const struct wi_demangler *wi_demangler(void);

#endif
