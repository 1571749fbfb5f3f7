/* Native stacks of the calling thread, by whatever unwinder this machine has.
 * Threads: wi_native_open on the helper; wi_native_walk on any thread, afterwards.
 * May not: put an unwinder into the job's global scope: C++ exceptions would use it. */
#ifndef WI_COLLECT_NATIVE_STACK_H
#define WI_COLLECT_NATIVE_STACK_H

#include <stdint.h>

#define WI_NATIVE_FRAMES 24

enum wi_unwinder {
    WI_UNWIND_NONE, /* not opened yet */
    WI_UNWIND_LIBUNWIND,
    WI_UNWIND_LIBGCC,
    WI_UNWIND_POINTERS /* the chain of frame pointers, as far as the code keeps one */
};

/* Opens the best unwinder there is, not better than `best` (for tests; else WI_UNWIND_LIBUNWIND).
 */
void wi_native_open(enum wi_unwinder best);
/* Helper, about once a second: libunwind remembers how to unwind from an address for good, also
 * when its library has been unloaded and another lies there. From the first unloading on it is not
 * used. */
void wi_native_check(void);
enum wi_unwinder wi_native_how(void);
/* In words, for the report. */
const char *wi_native_words(enum wi_unwinder how);

/* Return addresses, innermost first, beginning with the caller; returns how many. */
int wi_native_walk(uintptr_t *frames, int most);

#endif
