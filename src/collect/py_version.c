/* Finds the interpreter and its layout, see py_version.h.
 * Threads: the helper. May not: call Python. */
#include "collect/py_version.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#include "base/attr.h"
#include "base/err.h"
#include "base/glibc.h"
#include "collect/map_list.h"

#define MAX_OFFSET (UINT32_C(1) << 20) /* the interpreter state is the largest thing: 0.4 MB */

enum section {
    RUNTIME,
    INTERP,
    TSTATE,
    FRAME,
    CODE,
    OBJECT,
    TYPE,
    TUPLE,
    LIST,
    SET,
    DICT,
    FLOAT,
    LONG,
    BYTES,
    TEXT,
    GC,
    SECTIONS
};

/* What PyObject, str and bytes have looked like since 3.8; a row overrides it. */
#define COMMON                                                                                     \
    .cframe_frame = WI_PY_NONE, .tstate_interp = 16, .frame_owner = WI_PY_NONE,                    \
    .code_bytecode = WI_PY_NONE, .object_type = 8, .var_size = 16, .bytes_size = 16,               \
    .bytes_data = 32, .text_length = 16, .text_state = 32, .text_state_shift = 2

#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Winitializer-overrides"
#else
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverride-init"
#endif
static const struct {
    int minor;
    struct wi_py_layout at;
} RELEASES[] = {
#define PY_RELEASE(number, ...) {.minor = number, .at = {COMMON, __VA_ARGS__}},
#include "collect/py_offsets.def"
};
#if defined(__clang__)
#pragma clang diagnostic pop
#else
#pragma GCC diagnostic pop
#endif

static const struct {
    int minor;
    enum section section;
    int words;
} LAYOUT[] = {
#define PY_SECTION(number, name, words) {number, name, words},
#include "collect/py_offsets.def"
};

static const struct {
    size_t field;
    enum section section;
    int word;
} FIELDS[] = {
#define PY_FIELD(name, section, word) {offsetof(struct wi_py_layout, name), section, word},
#include "collect/py_offsets.def"
};

/* A section begins with the size of what it describes: every offset in it must lie inside. */
static int section_is_sound(const uint64_t *words, int count)
{
    if (!words[0] || words[0] > MAX_OFFSET)
        return 0;
    for (int i = 1; i < count; i++)
        if (words[i] > words[0])
            return 0;
    return 1;
}

/* 3.13 and later describe themselves: cookie, version, free-threaded, then the sections. */
static int read_description(struct wi_py *py, const uint64_t *at)
{
    const uint64_t *start[SECTIONS] = {NULL};
    uint64_t version = at[1];
    if (memcmp(at, "xdebugpy", 8) != 0 || version >> 24 != 3 ||
        (version >> 16 & 255) != (uint64_t)py->minor)
        return WI_ERR_UNSUPPORTED;
    py->free_threaded = at[2] != 0;
    at += 3;
    for (size_t i = 0; i < WI_ARRAY_LEN(LAYOUT); i++) {
        if (LAYOUT[i].minor != py->minor)
            continue;
        if (LAYOUT[i].section != TEXT && !section_is_sound(at, LAYOUT[i].words))
            return WI_ERR_UNSUPPORTED;
        start[LAYOUT[i].section] = at;
        at += LAYOUT[i].words;
    }
    for (size_t i = 0; i < WI_ARRAY_LEN(FIELDS); i++) {
        uint32_t value = (uint32_t)start[FIELDS[i].section][FIELDS[i].word];
        memcpy((char *)&py->at + FIELDS[i].field, &value, sizeof(value));
    }
    py->at.cframe_frame = WI_PY_NONE;
    py->at.text_ascii = (uint32_t)start[TEXT][3];
    py->at.text_wide = py->at.text_ascii + 16; /* the UTF-8 copy's length and pointer lie between */
    py->at.text_state_shift = py->minor >= 14 ? 16 : 2;
    py->at.var_size = (uint32_t)start[OBJECT][0];
    py->at.gc_collecting = (uint32_t)(start[INTERP][py->minor >= 14 ? 5 : 4] + start[GC][1]);
    py->at.instr = WI_PY_INSTR_POINTER;
    py->at.lines = WI_PY_LOCATIONS;
    return 0;
}

static int minor_of(const char *version)
{
    int minor = 0;
    if (strncmp(version, "3.", 2) != 0)
        return 0;
    for (version += 2; *version >= '0' && *version <= '9' && minor < 1000; version++)
        minor = minor * 10 + (*version - '0');
    return minor;
}

int wi_py_layout_of(struct wi_py *py, const char *version)
{
    py->minor = minor_of(version);
    if (py->minor < WI_PY_MINOR_MIN || py->minor > WI_PY_MINOR_MAX)
        return WI_ERR_UNSUPPORTED;
    for (size_t i = 0; i < WI_ARRAY_LEN(RELEASES); i++) {
        if (RELEASES[i].minor == py->minor) {
            py->at = RELEASES[i].at;
            return 0;
        }
    }
    return read_description(py, (const uint64_t *)py->runtime);
}

/* A program that embeds Python may have opened it for itself only. */
static void *open_local(void)
{
    char path[512];
    if (!wi_map_path_with("/libpython3.", path, sizeof(path)))
        return NULL;
    return dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
}

int wi_py_find(struct wi_py *py)
{
    const char *(*version)(void);
    void *from = RTLD_DEFAULT;
    memset(py, 0, sizeof(*py));
    if (!dlsym(from, "PyGILState_GetThisThreadState")) {
        from = open_local();
        if (!from)
            return WI_ERR_NOT_FOUND;
    }
    *(void **)&py->own_state = dlsym(from, "PyGILState_GetThisThreadState");
    *(void **)&version = dlsym(from, "Py_GetVersion");
    py->runtime = (uintptr_t)dlsym(from, "_PyRuntime");
    py->code_type = (uintptr_t)dlsym(from, "PyCode_Type");
    py->text_type = (uintptr_t)dlsym(from, "PyUnicode_Type");
    py->bytes_type = (uintptr_t)dlsym(from, "PyBytes_Type");
    if (!py->own_state || !version || !py->runtime || !py->code_type || !py->text_type ||
        !py->bytes_type)
        return WI_ERR_NOT_FOUND;
    return wi_py_layout_of(py, version());
}
