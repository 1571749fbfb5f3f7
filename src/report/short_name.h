/* Long C++ names in a narrow place: what tells one kernel from another stays, the rest goes.
 * Threads: the owner of the writer. May not: allocate, use stdio. */
#ifndef WI_REPORT_SHORT_NAME_H
#define WI_REPORT_SHORT_NAME_H

#include "base/out.h"

/* The name in at most `columns` characters. Tried in turn until it fits: the whole name; without
 * its arguments and its type; with template arguments inside others as "...", then with all of them
 * so; without its namespaces; cut. Of a name as the compiler wrote it what can be read without a
 * demangler is shown: "at::native::kernel<...>". */
void wi_put_short_name(struct wi_out *out, const char *text, int columns);
/* The name without its arguments and its type: "ns::Trainer::step" of "void
 * ns::Trainer::step(int)".
 */
void wi_put_bare_name(struct wi_out *out, const char *text);

#endif
