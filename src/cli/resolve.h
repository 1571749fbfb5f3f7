/* Finds the source lines of native code that the job could not, where the files are or came later.
 * Threads: main. Opens the files that the report names, regular ones only, and trusts only what
 * carries the build id that the job saw. */
#ifndef WI_CLI_RESOLVE_H
#define WI_CLI_RESOLVE_H

#include "analyze/result.h"
#include "model/names.h"

/* Renames the sites of findings whose lines are found and takes their places out of the list. */
void wi_resolve(struct wi_result *result, struct wi_names *names);

#endif
