/* `side` lines: prose about other threads, processes and the machine, of which a few figures count.
 * Threads: one. */
#ifndef WI_TIMELINE_SIDE_H
#define WI_TIMELINE_SIDE_H

#include "timeline.h"

/* Nothing is given yet. */
void tl_side_clear(struct tl_side *side);
/* Takes what it understands from the text after "side", which it cuts up. */
void tl_parse_side(struct tl_side *side, char *text);

#endif
