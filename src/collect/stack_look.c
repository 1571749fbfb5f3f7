/* Looks at the Python stack of a waiting thread, see stack_look.h.
 * Threads: the helper. May not: allocate. */
#include "collect/stack_look.h"

#include <string.h>

#include "base/err.h"
#include "collect/py_codes.h"
#include "collect/py_frames.h"
#include "model/event.h"

#define PACKAGES "-packages/"
#define LIBRARY  "/lib/python3"

/* Innermost frame that fits a row of frame_facts.def; else the innermost that is not the
 * framework's or the language's own. And the innermost that is the job's own. */
static int judge(const struct wi_py *py, struct wi_peek *peek, const struct wi_py_frame *frames,
                 int count, struct wi_look *look)
{
    int decided = 0;
    look->code = look->own = -1;
    look->span = WI_SPAN_FRAME;
    for (int i = 0; i < count && (!decided || look->own < 0); i++) {
        int index = wi_py_code_of(py, peek, frames[i].code);
        if (index < 0)
            return decided ? 0 : WI_ERR_NOT_FOUND;
        const struct wi_py_code *code = wi_py_code_at(index);
        if (look->own < 0 && code->kind == WI_CODE_OWN) {
            look->own = index;
            look->instr = frames[i].instr;
        }
        if (!decided && code->fact) {
            look->code = index;
            look->span = wi_py_fact_span(code->fact);
            decided = 1;
        }
        if (look->code < 0 && code->kind != WI_CODE_RUNTIME)
            look->code = index;
    }
    return look->code < 0 ? WI_ERR_NOT_FOUND : 0;
}

static int same_frames(const struct wi_py_frame *a, const struct wi_py_frame *b, int count)
{
    for (int i = 0; i < count; i++)
        if (a[i].code != b[i].code)
            return 0;
    return 1;
}

/* Walk, read what the frames say, walk again: code objects that are on the stack before and after
 * were there in between, and so was what they own. */
int wi_look_at(const struct wi_py *py, uintptr_t tstate, uintptr_t thread, struct wi_look *look)
{
    static struct wi_peek peek;
    static struct wi_py_frame first[WI_PY_FRAMES], second[WI_PY_FRAMES];
    memset(look, 0, sizeof(*look));
    if (wi_py_finalizing(py))
        return WI_ERR_NOT_FOUND;
    wi_peek_reset(&peek);
    if (wi_py_pointer(&peek, tstate + py->at.tstate_thread) != thread)
        return WI_ERR_NOT_FOUND;
    int count = wi_py_walk(py, &peek, tstate, first, WI_PY_FRAMES, NULL);
    if (count <= 0)
        return WI_ERR_NOT_FOUND;
    wi_peek_reset(&peek);
    if (wi_py_walk(py, &peek, tstate, second, WI_PY_FRAMES, NULL) != count ||
        !same_frames(first, second, count))
        return WI_ERR_NOT_FOUND;
    int result = judge(py, &peek, first, count, look);
    look->collecting = wi_py_collecting(py, &peek, tstate) == 1;
    wi_peek_reset(&peek);
    if (wi_py_walk(py, &peek, tstate, second, WI_PY_FRAMES, NULL) != count ||
        !same_frames(first, second, count))
        return WI_ERR_NOT_FOUND;
    return result;
}

/* "PIL/Image.py:open" for a package, "logging/__init__.py:info" for the language's own library, the
 * last part of the path for the rest. */
void wi_look_name(int index, struct wi_out *out)
{
    const struct wi_py_code *code = wi_py_code_at(index);
    const char *package = strstr(code->file, PACKAGES), *slash = strrchr(code->file, '/');
    const char *library = strstr(code->file, LIBRARY);
    const char *from = library ? strchr(library + strlen(LIBRARY), '/') : slash;
    if (package)
        from = package + strlen(PACKAGES) - 1;
    wi_out_f(out, "%s:%s", from ? from + 1 : code->file, code->function);
}
