/* How many libraries the dynamic linker has loaded and unloaded: what looks for one in this process
 * need look again only when that has changed.
 * Threads: any. May not: allocate. */
#ifndef WI_COLLECT_LIBRARIES_H
#define WI_COLLECT_LIBRARIES_H

#include <stdint.h>

struct wi_libraries {
    uint64_t loaded, unloaded; /* since the process began, in all name spaces; 0: not told */
};

struct wi_libraries wi_libraries(void);
/* 1 if it is not known that they are what *known says; notes them there. */
int wi_libraries_changed(struct wi_libraries *known);

#endif
