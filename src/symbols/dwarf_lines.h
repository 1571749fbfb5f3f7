/* Source lines of native code from the line table (.debug_line, DWARF 2 to 5) of its file.
 * Threads: the helper. May not: allocate; map files; read more than a bounded amount. */
#ifndef WI_SYMBOLS_DWARF_LINES_H
#define WI_SYMBOLS_DWARF_LINES_H

#include <stddef.h>
#include <stdint.h>

/* Where the sections lie in the file; size 0 = the file has none. */
struct wi_dwarf_sections {
    struct wi_dwarf_section {
        uint64_t offset, size;
    } line, line_str, str;
};

/* Finds the last part of the source file's name and the line of address, which is in the file's own
 * terms. Returns 0, WI_ERR_NOT_FOUND, or WI_ERR_FORMAT for a table that makes no sense. */
int wi_dwarf_line(int fd, const struct wi_dwarf_sections *sections, uint64_t address, char *file,
                  size_t cap, uint32_t *line);

#endif
