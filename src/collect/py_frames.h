/* Walks the frames of a Python thread without calling Python, taking references or the lock.
 *
 * On the thread itself (peek NULL): plain loads. While a thread is inside C its chain of frames
 * stands still and owns the code objects in it, with and without the interpreter's lock.
 * Of another thread: guarded reads; what comes out is a guess until a second walk gives the same.
 *
 * Threads: any. May not: allocate, lock; call the system when peek is NULL. */
#ifndef WI_COLLECT_PY_FRAMES_H
#define WI_COLLECT_PY_FRAMES_H

#include <stdint.h>
#include <string.h>

#include "collect/peek.h"
#include "collect/py_version.h"

#define WI_PY_FRAMES    64   /* innermost ones that are looked at */
#define WI_PY_TEST_MOST 1024 /* the self-test must have come to the end of the chain by here */

struct wi_py_frame {
    uintptr_t code;
    uint32_t instr; /* byte offset into the bytecode */
};

/* The newest frames of the thread with this state, innermost first. Returns how many, or
 * WI_ERR_FORMAT where something is not what it should be (frames found before that are given up).
 * ended: set to 1 if the chain ended, 0 if there was more than `most`; may be NULL. */
int wi_py_walk(const struct wi_py *py, struct wi_peek *peek, uintptr_t tstate,
               struct wi_py_frame *frames, int most, int *ended);

/* Reads the calling thread's own stack in the guarded way and holds everything that later walks
 * rely on against the types of this interpreter. Returns 0, or WI_ERR_UNSUPPORTED: then Python
 * stacks stay off in this process. WI_ERR_NOT_FOUND: nothing to test on, try on another call.
 * One thread at a time. */
int wi_py_self_test(const struct wi_py *py, uintptr_t tstate);

/* 1 once the interpreter is being shut down: threads' states are freed under their feet. */
int wi_py_finalizing(const struct wi_py *py);
/* 1 if the collector runs, 0 if not, WI_ERR_UNSUPPORTED if that cannot be seen. */
int wi_py_collecting(const struct wi_py *py, struct wi_peek *peek, uintptr_t tstate);

/* size bytes at `from`: a load, or a guarded read. */
static inline int wi_py_get(struct wi_peek *peek, uintptr_t from, void *to, size_t size)
{
    if (peek)
        return wi_peek_read(peek, from, to, size);
    memcpy(to, (const void *)from, size);
    return 0;
}

/* Could it be the address of an object? */
static inline int wi_py_plausible(uintptr_t address)
{
    return address >= 4096 && address < UINTPTR_MAX / 2 && address % 8 == 0;
}

/* The pointer at `from`, 0 if unreadable. */
static inline uintptr_t wi_py_pointer(struct wi_peek *peek, uintptr_t from)
{
    uintptr_t value = 0;
    return wi_py_plausible(from) && wi_py_get(peek, from, &value, sizeof(value)) == 0 ? value : 0;
}

static inline int wi_py_is(const struct wi_py *py, struct wi_peek *peek, uintptr_t object,
                           uintptr_t type)
{
    return wi_py_plausible(object) && wi_py_pointer(peek, object + py->at.object_type) == type;
}

#endif
