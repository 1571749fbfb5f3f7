/* What an ELF file says about an address: function, source line; and who the file is (build id,
 * where its debug information lies).
 * Threads: one at a time. May not: allocate; map files (one that is cut meanwhile would end the
 * process). Every offset in a file is distrusted; work is bounded. */
#ifndef WI_SYMBOLS_ELF_SYMBOLS_H
#define WI_SYMBOLS_ELF_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

#include "base/out.h"
#include "symbols/dwarf_lines.h"

#define WI_BUILD_ID_TEXT 65 /* two digits a byte, at most 32 bytes, and the end */

struct wi_place_name {
    char name[200];   /* of the function as the compiler wrote it, "" if the file has no symbol */
    uint64_t offset;  /* of the address in the function */
    char source[100]; /* last part of the source file's name, "" without debug information */
    uint32_t line;
};

/* From a place in the file to the address that its symbols are in (what addr2line wants). Returns 0
 * or WI_ERR_NOT_FOUND. */
int wi_elf_address(int fd, uint64_t file_offset, uint64_t *address);
/* Where the sections of the line table lie, those that are packed apart. */
void wi_elf_lines(int fd, struct wi_dwarf_sections *plain, struct wi_dwarf_sections *packed);
/* Fills what the file knows of the address; fields that it does not know are left empty. */
void wi_elf_name(int fd, uint64_t address, struct wi_place_name *place);
/* "train.cu:58 in train_step" with a line, else "train_step+0x1f (libfoo.so)", else
 * "libfoo.so+0x1f2a". address: of the call, one before the one that it returns to. */
void wi_place_text(struct wi_out *out, const struct wi_place_name *place, const char *file,
                   uint64_t address);
/* The build id in hexadecimal, "" if the file has none. */
void wi_elf_build_id(int fd, char id[WI_BUILD_ID_TEXT]);
/* Name of the file with the debug information (.gnu_debuglink), "" if it names none. */
void wi_elf_debug_link(int fd, char *name, size_t cap);

#endif
