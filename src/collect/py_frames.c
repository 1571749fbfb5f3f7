/* Python stacks, see py_frames.h.
 * Threads: any. May not: allocate, lock; call the system when peek is NULL. */
#include "collect/py_frames.h"

#include "base/err.h"

#define OWNED_BY_C   3         /* from here on `owner` marks frames of the interpreter itself */
#define MAX_BYTECODE (1 << 28) /* a larger offset is a misreading */
#define MAX_LINE     100000000

static uintptr_t newest_frame(const struct wi_py *py, struct wi_peek *peek, uintptr_t tstate)
{
    uintptr_t frame = wi_py_pointer(peek, tstate + py->at.tstate_frame);
    if (py->at.cframe_frame != WI_PY_NONE)
        frame = frame ? wi_py_pointer(peek, frame + py->at.cframe_frame) : 0;
    return frame;
}

/* Byte offset of the instruction that runs, or negative where it makes no sense: a free-threaded
 * interpreter runs copies of the bytecode that lie elsewhere. */
static int64_t instruction(const struct wi_py *py, struct wi_peek *peek, uintptr_t frame,
                           uintptr_t code)
{
    int32_t number = -1;
    int64_t units = 0;
    if (py->at.instr != WI_PY_INSTR_POINTER) {
        wi_py_get(peek, frame + py->at.frame_instr, &number, sizeof(number));
        if (number < 0 || number > MAX_BYTECODE)
            return -1;
        return (int64_t)number * (py->at.instr == WI_PY_INSTR_UNITS ? 2 : 1);
    }
    uintptr_t at = 0, start = code + py->at.code_bytecode;
    if (wi_py_get(peek, frame + py->at.frame_instr, &at, sizeof(at)) != 0 ||
        wi_py_get(peek, code + py->at.var_size, &units, sizeof(units)) != 0 || units <= 0)
        return -1;
    return at >= start && at - start < (uintptr_t)units * 2 ? (int64_t)(at - start) : -1;
}

/* 1: a frame of Python code; 0: one of the interpreter's own; negative: not a frame. */
static int read_frame(const struct wi_py *py, struct wi_peek *peek, uintptr_t frame,
                      struct wi_py_frame *out)
{
    uint8_t owner = 0;
    if (py->at.frame_owner != WI_PY_NONE &&
        wi_py_get(peek, frame + py->at.frame_owner, &owner, 1) != 0)
        return WI_ERR_FORMAT;
    if (owner >= OWNED_BY_C)
        return 0;
    uintptr_t code = wi_py_pointer(peek, frame + py->at.frame_code);
    if (py->minor >= 14)
        code &= ~(uintptr_t)7; /* the low bits say how the reference is held */
    if (!wi_py_is(py, peek, code, py->code_type))
        return WI_ERR_FORMAT;
    int64_t instr = instruction(py, peek, frame, code);
    out->code = code;
    out->instr = instr < 0 ? 0 : (uint32_t)instr; /* else the function's first line */
    return 1;
}

int wi_py_walk(const struct wi_py *py, struct wi_peek *peek, uintptr_t tstate,
               struct wi_py_frame *frames, int most, int *ended)
{
    int count = 0, steps = 0;
    uintptr_t frame = newest_frame(py, peek, tstate);
    while (frame && count < most) {
        if (!wi_py_plausible(frame) || ++steps > 2 * most + 8)
            return WI_ERR_FORMAT;
        int kind = read_frame(py, peek, frame, &frames[count]);
        if (kind < 0)
            return kind;
        count += kind;
        frame = wi_py_pointer(peek, frame + py->at.frame_prev);
    }
    if (ended)
        *ended = !frame;
    return count;
}

static int code_is_sound(const struct wi_py *py, struct wi_peek *peek, uintptr_t code)
{
    int32_t first = -1;
    const struct wi_py_layout *at = &py->at;
    return wi_py_is(py, peek, code, py->code_type) &&
           wi_py_is(py, peek, wi_py_pointer(peek, code + at->code_file), py->text_type) &&
           wi_py_is(py, peek, wi_py_pointer(peek, code + at->code_function), py->text_type) &&
           wi_py_is(py, peek, wi_py_pointer(peek, code + at->code_qualname), py->text_type) &&
           wi_py_is(py, peek, wi_py_pointer(peek, code + at->code_table), py->bytes_type) &&
           wi_py_get(peek, code + at->code_first, &first, sizeof(first)) == 0 && first >= 0 &&
           first < MAX_LINE;
}

/* The chain itself is walked to its end, however long: a wrong offset would not find that. */
static int chain_ends(const struct wi_py *py, struct wi_peek *peek, uintptr_t tstate)
{
    struct wi_py_frame one;
    uintptr_t frame = newest_frame(py, peek, tstate);
    for (int i = 0; i < WI_PY_TEST_MOST; i++) {
        if (!frame)
            return 1;
        one.code = 0;
        if (!wi_py_plausible(frame) || read_frame(py, peek, frame, &one) < 0)
            return 0;
        if (one.code && !py->free_threaded && instruction(py, peek, frame, one.code) < 0)
            return 0;
        frame = wi_py_pointer(peek, frame + py->at.frame_prev);
    }
    return 1; /* deep recursion: everything was a frame so far */
}

int wi_py_self_test(const struct wi_py *py, uintptr_t tstate)
{
    static struct wi_peek peek; /* too large for a small stack */
    struct wi_py_frame frames[8];
    wi_peek_reset(&peek);
    int count = wi_py_walk(py, &peek, tstate, frames, 8, NULL);
    if (!count)
        return WI_ERR_NOT_FOUND; /* a thread of the framework: it has a state and no frames */
    if (count < 0 || !chain_ends(py, &peek, tstate))
        return WI_ERR_UNSUPPORTED;
    for (int i = 0; i < count; i++)
        if (!code_is_sound(py, &peek, frames[i].code))
            return WI_ERR_UNSUPPORTED;
    return 0;
}

int wi_py_finalizing(const struct wi_py *py)
{
    return __atomic_load_n((void *const *)(py->runtime + py->at.finalizing), __ATOMIC_RELAXED) !=
           NULL;
}

int wi_py_collecting(const struct wi_py *py, struct wi_peek *peek, uintptr_t tstate)
{
    int32_t collecting = 0;
    uintptr_t interp = wi_py_pointer(peek, tstate + py->at.tstate_interp);
    if (py->at.gc_collecting == WI_PY_NONE || !interp ||
        wi_py_get(peek, interp + py->at.gc_collecting, &collecting, sizeof(collecting)) != 0)
        return WI_ERR_UNSUPPORTED;
    return collecting == 0 || collecting == 1 ? collecting : WI_ERR_UNSUPPORTED;
}
