/* Which CPython this process runs, and where that release keeps what a stack walk reads.
 * Threads: wi_py_find runs on the helper, once it succeeds the result is read-only.
 * May not: call Python, beyond reading its version string and asking for a thread's own state. */
#ifndef WI_COLLECT_PY_VERSION_H
#define WI_COLLECT_PY_VERSION_H

#include <stdint.h>

#define WI_PY_NONE      UINT32_MAX /* this release has no such field */
#define WI_PY_MINOR_MIN 8
#define WI_PY_MINOR_MAX 14

enum wi_py_instr {
    WI_PY_INSTR_BYTES,  /* a number of bytes */
    WI_PY_INSTR_UNITS,  /* a number of 2-byte units */
    WI_PY_INSTR_POINTER /* a pointer into the bytecode, which lies in the code object */
};

/* Formats of the table from bytecode offsets to lines. */
enum wi_py_lines { WI_PY_LNOTAB, WI_PY_LINETABLE, WI_PY_LOCATIONS };

/* Offsets in bytes; WI_PY_NONE where the release has no such field. */
struct wi_py_layout {
    uint32_t tstate_frame; /* newest frame, or the C frame that knows it */
    uint32_t cframe_frame; /* newest frame in that C frame */
    uint32_t tstate_interp, tstate_thread /* pthread_t */;
    uint32_t frame_prev, frame_code, frame_instr, frame_owner;
    uint32_t code_file, code_function, code_qualname, code_first, code_table, code_bytecode;
    uint32_t object_type, var_size;
    uint32_t bytes_size, bytes_data;
    uint32_t text_length, text_state, text_ascii, text_wide;
    uint32_t text_state_shift; /* bits of the state word before the kind */
    uint32_t finalizing;       /* in _PyRuntime */
    uint32_t gc_collecting;    /* in the interpreter state */
    enum wi_py_instr instr;
    enum wi_py_lines lines;
};

struct wi_py {
    int minor; /* 3.minor */
    int free_threaded;
    struct wi_py_layout at;
    void *(*own_state)(void); /* PyGILState_GetThisThreadState: a look into thread-local storage */
    uintptr_t runtime, code_type, text_type, bytes_type;
};

/* Looks for an interpreter in this process. Returns 0, WI_ERR_NOT_FOUND, or WI_ERR_UNSUPPORTED for
 * a release that is not known here. */
int wi_py_find(struct wi_py *py);
/* The same for given symbols; version is what Py_GetVersion gives, "3.11.7 (main...". */
int wi_py_layout_of(struct wi_py *py, const char *version);

#endif
