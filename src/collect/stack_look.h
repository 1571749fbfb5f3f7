/* What a thread of the job that is between two CUDA calls is doing, by its Python stack: read from
 * outside, without signals and without the interpreter's lock.
 * Threads: the helper. May not: allocate; trust one reading: what is told was read twice alike. */
#ifndef WI_COLLECT_STACK_LOOK_H
#define WI_COLLECT_STACK_LOOK_H

#include <stdint.h>

#include "base/out.h"
#include "collect/py_version.h"

struct wi_look {
    int span;       /* enum wi_span_kind: INPUT_WAIT..., FRAME if the stack says no more */
    int code;       /* the function that says so, wi_py_code_at(code) */
    int own;        /* innermost function of the job's own code, -1 = none */
    uint32_t instr; /* where in it */
    int collecting; /* the garbage collector runs */
};

/* Looks at the thread (its pthread_t) whose interpreter state this is. Returns 0, or
 * WI_ERR_NOT_FOUND: no stack, a stack that changed meanwhile, a state that is no longer that
 * thread's, or nothing that can be read. */
int wi_look_at(const struct wi_py *py, uintptr_t tstate, uintptr_t thread, struct wi_look *look);
/* "PIL/Image.py:open", "train.py:main". */
void wi_look_name(int code, struct wi_out *out);

#endif
