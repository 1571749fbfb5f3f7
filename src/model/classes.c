/* Words of the classes and sub-causes, see classes.h.
 * Threads: any. May not: allocate. */
#include "model/classes.h"

#include <stdint.h>
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

static const uint8_t CLASS_OF[] = {
#define SUBCAUSE(id, class_id, id_text, people) WI_CLASS_##class_id,
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
    return (unsigned)value < WI_SUB_COUNT ? (enum wi_class)CLASS_OF[value] : WI_CLASS_UNKNOWN;
}

/* By switch: an array of addresses is relocated in every process that has the preload. */
const char *wi_subcause_id(enum wi_subcause value)
{
    switch (value) {
#define SUBCAUSE(id, class_id, id_text, people)                                                    \
    case WI_SUB_##id:                                                                              \
        return id_text;
#include "model/subcauses.def"
#undef SUBCAUSE
    default:
        return wi_subcause_id(WI_SUB_UNDETERMINED);
    }
}

const char *wi_subcause_people(enum wi_subcause value)
{
    switch (value) {
#define SUBCAUSE(id, class_id, id_text, people)                                                    \
    case WI_SUB_##id:                                                                              \
        return people;
#include "model/subcauses.def"
#undef SUBCAUSE
    default:
        return "not known";
    }
}

int wi_subcause_is_known(enum wi_subcause value)
{
    return wi_subcause_class(value) != WI_CLASS_UNKNOWN &&
           strcmp(strchr(wi_subcause_id(value), '/') + 1, "undetermined") != 0;
}

int wi_subcause_find(const char *id)
{
    for (int i = 0; i < WI_SUB_COUNT; i++)
        if (!strcmp(wi_subcause_id((enum wi_subcause)i), id))
            return i;
    for (int i = 0; i < WI_SUB_COUNT; i++)
        if (!strcmp(strchr(wi_subcause_id((enum wi_subcause)i), '/') + 1, id))
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
