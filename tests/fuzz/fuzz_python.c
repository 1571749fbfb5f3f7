/* Any memory as the objects of a Python interpreter: the guarded walk over another thread's frames
 * ends, whatever the pointers say, and what it takes from code objects fits. Also any bytes as each
 * kind of line table. A word whose third byte is 'P' becomes a pointer into the memory.
 * Threads: one. Built by scripts/fuzz.sh. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/out.h"
#include "collect/peek.h"
#include "collect/py_codes.h"
#include "collect/py_frames.h"
#include "collect/py_lines.h"

#define IMAGE_BYTES 8192u

static const char *const VERSIONS[] = {"3.8.1", "3.9.2", "3.10.3", "3.11.4", "3.12.5"};

static void require(int truth)
{
    if (!truth)
        abort();
}

static void fill(unsigned char *image, const unsigned char *data, size_t len)
{
    memset(image, 0, IMAGE_BYTES);
    memcpy(image, data, len < IMAGE_BYTES ? len : IMAGE_BYTES);
    for (size_t at = 0; at < IMAGE_BYTES; at += 8) {
        if (image[at + 2] != 'P')
            continue;
        uint64_t pointer = (uint64_t)(uintptr_t)image + (image[at] | image[at + 1] << 8);
        memcpy(image + at, &pointer, sizeof(pointer));
    }
}

static void walk(struct wi_py *py, struct wi_peek *peek, uintptr_t tstate)
{
    struct wi_py_frame frames[64];
    char text[64];
    struct wi_out out;
    wi_peek_reset(peek);
    int count = wi_py_walk(py, peek, tstate, frames, 64, NULL);
    require(count <= 64);
    for (int i = 0; i < count; i++) {
        int code = wi_py_code_of(py, peek, frames[i].code);
        wi_py_kind_of(py, peek, frames[i].code);
        if (code < 0)
            continue;
        wi_out_mem(&out, text, sizeof(text));
        wi_py_code_place(wi_py_code_at(code), frames[i].instr, &out);
        wi_out_finish(&out);
    }
    wi_py_collecting(py, peek, tstate);
    wi_py_self_test(py, tstate);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t len)
{
    static unsigned char *image;
    static struct wi_peek peek;
    struct wi_py py;
    if (!image) {
        image = mmap(NULL, IMAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        require(image != MAP_FAILED && wi_py_codes_init() == 0);
        wi_peek_init();
    }
    if (len < 2)
        return 0;
    memset(&py, 0, sizeof(py));
    require(wi_py_layout_of(&py, VERSIONS[data[0] % 5]) == 0);
    py.runtime = (uintptr_t)image;
    py.code_type = (uintptr_t)image + 0x10; /* any addresses that objects can name */
    py.text_type = (uintptr_t)image + 0x20;
    py.bytes_type = (uintptr_t)image + 0x30;
    fill(image, data + 2, len - 2);
    walk(&py, &peek, (uintptr_t)image + data[1] * 8u);
    for (int format = WI_PY_LNOTAB; format <= WI_PY_LOCATIONS; format++)
        wi_py_line((enum wi_py_lines)format, data + 2, len - 2, 1, data[1] * 2u);
    return 0;
}
