/* What the functions on a stack say about a thread's work, by the table frames.def.
 * Threads: any. Pure. */
#ifndef WI_ANALYZE_FRAMES_H
#define WI_ANALYZE_FRAMES_H

enum wi_frame_kind {
#define FRAME_KIND(id, sentence) WI_FRAME_##id,
#include "analyze/frames.def"
#undef FRAME_KIND
    WI_FRAME_COUNT
};

/* The kind of a frame's name, -1 if it says nothing. */
int wi_frame_kind_of(const char *name);

#endif
