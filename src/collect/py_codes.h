/* The Python functions seen on stacks: what their code objects said when first met.
 * A code object is known by its address together with its first line, the addresses of its names
 * and a fingerprint of its file name and line table, since memory is used again; the texts are
 * copies, so that the object may go.
 *
 * Threads: any thread adds and looks up, without locks; entries never change once visible.
 * May not: allocate after init; call the system when peek is NULL. */
#ifndef WI_COLLECT_PY_CODES_H
#define WI_COLLECT_PY_CODES_H

#include <stdint.h>

#include "base/out.h"
#include "collect/peek.h"
#include "collect/py_version.h"

#define WI_PY_CODES 4096 /* further functions are not told apart: their frames give no site */

enum wi_code_kind { WI_CODE_OWN, WI_CODE_LIBRARY, WI_CODE_RUNTIME }; /* frame_paths.def */

struct wi_py_code {
    _Atomic uint32_t state;
    uint32_t table_len;
    uintptr_t code, file_object, function_object;
    uint64_t fingerprint;
    int32_t first;
    uint8_t kind;                /* enum wi_code_kind */
    uint8_t fact;                /* row of frame_facts.def + 1, 0 = none */
    uint8_t lines;               /* enum wi_py_lines */
    const char *file, *function; /* UTF-8; "" if there was no room */
    const uint8_t *table;
};

/* Maps the table; once, while arming. Returns 0 or WI_ERR_NOMEM. */
int wi_py_codes_init(void);
/* The number of a code object, adding it if it is new; negative if it cannot be read or the table
 * is full. */
int wi_py_code_of(const struct wi_py *py, struct wi_peek *peek, uintptr_t code);
const struct wi_py_code *wi_py_code_at(int index);
/* Whose a code object is that found no room in the table; slower than a look into it. */
enum wi_code_kind wi_py_kind_of(const struct wi_py *py, struct wi_peek *peek, uintptr_t code);
/* The line of the instruction at this byte offset. */
int32_t wi_py_code_line(const struct wi_py_code *code, uint32_t instr);
/* "train.py:58 in main"; without the function where it is a module's own code. Nothing if the code
 * has no file. */
void wi_py_code_place(const struct wi_py_code *code, uint32_t instr, struct wi_out *out);
/* enum wi_span_kind of a fact. */
int wi_py_fact_span(unsigned fact);
/* Memory in use at most by now. */
int64_t wi_py_codes_bytes(void);

/* Whose code a file is; the row + 1 of frame_facts.def that a function fits, or 0. For the table
 * itself and its test. */
enum wi_code_kind wi_code_kind_of(const char *file);
unsigned wi_code_fact_of(const char *file, const char *function);

#endif
