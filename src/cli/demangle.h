/* The C++ library's demangler, opened when there are names for it: the command needs it for nothing
 * else.
 * Threads: main. */
#ifndef WI_CLI_DEMANGLE_H
#define WI_CLI_DEMANGLE_H

#include "analyze/result.h"
#include "model/names.h"

/* wi_pretty_names() with it; nothing where no such library is installed. */
void wi_demangle(struct wi_result *result, struct wi_names *names);

#endif
