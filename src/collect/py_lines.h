/* Line numbers of Python code from a copy of the code object's line table.
 * Threads: any; a pure function. May not: read anything but the copy. */
#ifndef WI_COLLECT_PY_LINES_H
#define WI_COLLECT_PY_LINES_H

#include <stddef.h>
#include <stdint.h>

#include "collect/py_version.h"

/* The line of the instruction at byte offset instr; first if the table does not say. */
int32_t wi_py_line(enum wi_py_lines format, const uint8_t *table, size_t len, int32_t first,
                   uint32_t instr);

#endif
