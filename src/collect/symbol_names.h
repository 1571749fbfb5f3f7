/* Addresses of native code -> file, function and offset, from the mappings of this process and the
 * symbol tables of the files; no library of the system is asked, none of its locks taken.
 * Threads: the helper. May not: allocate; be called on the hot path. */
#ifndef WI_COLLECT_SYMBOL_NAMES_H
#define WI_COLLECT_SYMBOL_NAMES_H

#include <stdint.h>

#include "symbols/elf_symbols.h"

struct wi_symbol {
    const char *path; /* of the file, valid until the next call */
    const char *file; /* the last part of it */
    uint64_t address; /* in the file's own terms (what addr2line wants) */
    struct wi_place_name place;
    char build_id[WI_BUILD_ID_TEXT]; /* "" if unknown, or if address is not in the file's terms */
};

/* The file that address lies in; 0, or WI_ERR_NOT_FOUND if it is none (generated code). */
int wi_symbol_file(uintptr_t address, struct wi_symbol *symbol);
/* Adds function and offset, source file and line to what wi_symbol_file gave. */
void wi_symbol_name(struct wi_symbol *symbol);
/* 1 if it is a library of the system or a framework: frame_modules.def. */
int wi_symbol_is_runtime(const struct wi_symbol *symbol);

#endif
