/* Words of the classes and sub-causes, see classes.h.
 * Threads: any. May not: allocate. */
#include "model/classes.h"

#include <string.h>

struct class_row {
    const char *word, *people;
    int stall;
};

static const struct class_row CLASSES[] = {
#define CLASS(id, word, stall, people, sentence) {word, people, stall},
#include "model/classes.def"
#undef CLASS
};

struct subcause_row {
    enum wi_class class_id;
    const char *id, *people;
};

static const struct subcause_row SUBCAUSES[] = {
#define SUBCAUSE(id, class_id, id_text, people) {WI_CLASS_##class_id, id_text, people},
#include "model/subcauses.def"
#undef SUBCAUSE
};

const char *wi_class_word(enum wi_class value)
{
    return (unsigned)value < WI_CLASS_COUNT ? CLASSES[value].word : "unknown";
}

const char *wi_class_people(enum wi_class value)
{
    return (unsigned)value < WI_CLASS_COUNT ? CLASSES[value].people : "not known";
}

int wi_class_is_stall(enum wi_class value)
{
    return (unsigned)value < WI_CLASS_COUNT && CLASSES[value].stall;
}

enum wi_class wi_subcause_class(enum wi_subcause value)
{
    return (unsigned)value < WI_SUB_COUNT ? SUBCAUSES[value].class_id : WI_CLASS_UNKNOWN;
}

const char *wi_subcause_id(enum wi_subcause value)
{
    return (unsigned)value < WI_SUB_COUNT ? SUBCAUSES[value].id : SUBCAUSES[WI_SUB_UNDETERMINED].id;
}

const char *wi_subcause_people(enum wi_subcause value)
{
    return (unsigned)value < WI_SUB_COUNT ? SUBCAUSES[value].people : "not known";
}

int wi_subcause_is_known(enum wi_subcause value)
{
    return wi_subcause_class(value) != WI_CLASS_UNKNOWN &&
           strcmp(strchr(wi_subcause_id(value), '/') + 1, "undetermined") != 0;
}

int wi_subcause_find(const char *id)
{
    for (int i = 0; i < WI_SUB_COUNT; i++)
        if (!strcmp(SUBCAUSES[i].id, id))
            return i;
    for (int i = 0; i < WI_SUB_COUNT; i++)
        if (!strcmp(strchr(SUBCAUSES[i].id, '/') + 1, id))
            return i;
    return -1;
}

int wi_class_find(const char *word)
{
    for (int i = 0; i < WI_CLASS_COUNT; i++)
        if (!strcmp(CLASSES[i].word, word))
            return i;
    return -1;
}
