/* The framework in whose words a report tells what to change (dialects.def, dialect_marks.def).
 * Threads: any. Pure. */
#ifndef WI_MODEL_DIALECT_H
#define WI_MODEL_DIALECT_H

enum wi_dialect {
#define DIALECT(id, word, people) WI_DIALECT_##id,
#include "model/dialects.def"
#undef DIALECT
    WI_DIALECT_COUNT
};

/* "pytorch" */
const char *wi_dialect_word(unsigned dialect);
/* "PyTorch" */
const char *wi_dialect_people(unsigned dialect);
/* The rank of the mark in a program's or kernel's name, the smaller the surer; -1 if there is none.
 * NULL is no name. */
int wi_dialect_mark_program(const char *program);
int wi_dialect_mark_kernel(const char *kernel);
/* The dialect of a mark; GENERIC for -1. */
enum wi_dialect wi_dialect_of_mark(int mark);

#endif
