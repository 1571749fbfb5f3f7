/* whyidle report --what-if: one change to a recorded run, replayed.
 * Threads: main. */
#ifndef WI_CLI_WHAT_IF_H
#define WI_CLI_WHAT_IF_H

#include "analyze/change.h"
#include "cli/input.h"
#include "cli/options.h"

/* Reads the text of the option. 0, or -1 after the place that cannot be read, and what could stand
 * there, on stderr. */
int wi_what_if_parse(const char *text, struct wi_change *change);
/* Prints what the change would bring to the run in `input`, as text or as the document
 * whyidle-what-if/1. Returns the exit status; complains on stderr, naming path. */
int wi_what_if_show(const struct wi_args *args, const struct wi_change *change,
                    struct wi_input *input, const char *path);

#endif
