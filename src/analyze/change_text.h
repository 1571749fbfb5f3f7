/* A change as a text (--what-if): UNIVERSE[:KEY=VALUE[,KEY=VALUE]...][+UNIVERSE...].
 * The keys: universe_keys.def; which of them mean something for a universe: universe_uses.def.
 * Threads: any. Pure. */
#ifndef WI_ANALYZE_CHANGE_TEXT_H
#define WI_ANALYZE_CHANGE_TEXT_H

#include "analyze/change.h"

/* Why a text is no change. What would be passed over in silence is refused. */
struct wi_change_problem {
    int at;         /* bytes before the place that it is about */
    int universe;   /* whose keys and values stand there, -1 = a universe should */
    char text[320]; /* what is wrong, what is allowed instead, and an example */
};

/* Adds what the text says to a run as it was. 0, or WI_ERR_FORMAT and *problem. */
int wi_change_parse(struct wi_change *change, const char *text, struct wi_change_problem *problem);

/* The sentence that is true of the universe once this key is given. */
const char *wi_universe_said(enum wi_universe universe, const char *key);
/* 1 if the key means something for the universe. */
int wi_universe_uses(enum wi_universe universe, const char *key);

#endif
