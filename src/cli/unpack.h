/* Line tables that are packed (distributions pack their debug information): unpacked into memory
 * that reads like a file.
 * Threads: main. Bounded; nothing is written to the disk. */
#ifndef WI_CLI_UNPACK_H
#define WI_CLI_UNPACK_H

#include "symbols/dwarf_lines.h"

/* Fills *sections with where they lie in the file whose descriptor is returned, for the caller to
 * close; -1 if the line table of the file is not packed, or cannot be unpacked. */
int wi_unpack_lines(int fd, struct wi_dwarf_sections *sections);

#endif
