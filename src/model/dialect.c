/* Frameworks and their marks, see dialect.h.
 * Threads: any. Pure. */
#include "model/dialect.h"

#include <string.h>

#include "base/attr.h"

enum where { PROGRAM, KERNEL };

static const struct {
    enum wi_dialect dialect;
    enum where where;
    const char *text;
} MARKS[] = {
#define DIALECT_MARK(dialect, where, text) {WI_DIALECT_##dialect, where, text},
#include "model/dialect_marks.def"
#undef DIALECT_MARK
};

const char *wi_dialect_word(unsigned dialect)
{
    static const char *const WORDS[] = {
#define DIALECT(id, word, people) word,
#include "model/dialects.def"
#undef DIALECT
    };
    return WORDS[dialect < WI_ARRAY_LEN(WORDS) ? dialect : 0];
}

const char *wi_dialect_people(unsigned dialect)
{
    static const char *const PEOPLE[] = {
#define DIALECT(id, word, people) people,
#include "model/dialects.def"
#undef DIALECT
    };
    return PEOPLE[dialect < WI_ARRAY_LEN(PEOPLE) ? dialect : 0];
}

int wi_dialect_mark_program(const char *program)
{
    for (size_t i = 0; program && i < WI_ARRAY_LEN(MARKS); i++)
        if (MARKS[i].where == PROGRAM && !strncmp(program, MARKS[i].text, strlen(MARKS[i].text)))
            return (int)i;
    return -1;
}

int wi_dialect_mark_kernel(const char *kernel)
{
    for (size_t i = 0; kernel && i < WI_ARRAY_LEN(MARKS); i++)
        if (MARKS[i].where == KERNEL && strstr(kernel, MARKS[i].text))
            return (int)i;
    return -1;
}

enum wi_dialect wi_dialect_of_mark(int mark)
{
    return mark >= 0 && mark < (int)WI_ARRAY_LEN(MARKS) ? MARKS[mark].dialect : WI_DIALECT_GENERIC;
}
