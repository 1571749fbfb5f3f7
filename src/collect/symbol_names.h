/* Addresses of native code -> file, function and offset, from the mappings of this process and the
 * symbol tables of the files; no library of the system is asked, none of its locks taken.
 * Threads: the helper. May not: allocate; be called on the hot path. */
#ifndef WI_COLLECT_SYMBOL_NAMES_H
#define WI_COLLECT_SYMBOL_NAMES_H

#include <stdint.h>

struct wi_symbol {
    const char *path; /* of the file, valid until the next call */
    const char *file; /* the last part of it */
    uint64_t address; /* in the file's own terms (what addr2line wants) */
    char name[200];   /* of the function, "" if the file has no symbol for it */
    uint64_t offset;  /* of the address in the function */
    char source[100]; /* last part of the source file's name, "" without debug information */
    uint32_t line;
};

/* The file that address lies in; 0, or WI_ERR_NOT_FOUND if it is none (generated code). */
int wi_symbol_file(uintptr_t address, struct wi_symbol *symbol);
/* Adds function and offset, source file and line to what wi_symbol_file gave. */
void wi_symbol_name(struct wi_symbol *symbol);
/* 1 if it is a library of the system or a framework: frame_modules.def. */
int wi_symbol_is_runtime(const struct wi_symbol *symbol);

#endif
