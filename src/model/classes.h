/* The classes and sub-causes, expanded from classes.def and subcauses.def.
 * Threads: any. May not: allocate. */
#ifndef WI_MODEL_CLASSES_H
#define WI_MODEL_CLASSES_H

enum wi_class {
#define CLASS(id, word, stall, people, sentence) WI_CLASS_##id,
#include "model/classes.def"
#undef CLASS
    WI_CLASS_COUNT
};

enum wi_subcause {
#define SUBCAUSE(id, class_id, id_text, people) WI_SUB_##id,
#include "model/subcauses.def"
#undef SUBCAUSE
    WI_SUB_COUNT
};

/* "data-loading" */
const char *wi_class_word(enum wi_class value);
/* "waiting for input" */
const char *wi_class_people(enum wi_class value);
/* 1 if removing time of this class would speed the job up */
int wi_class_is_stall(enum wi_class value);
enum wi_class wi_subcause_class(enum wi_subcause value);
/* "data-loading/too-few-workers" */
const char *wi_subcause_id(enum wi_subcause value);
/* 0 for those that say that the cause could not be seen */
int wi_subcause_is_known(enum wi_subcause value);
/* "too few loader workers" */
const char *wi_subcause_people(enum wi_subcause value);
/* The sub-cause of an id, or of its last part alone; -1 if there is none. */
int wi_subcause_find(const char *id);
/* The class of a word, -1 if there is none. */
int wi_class_find(const char *word);

#endif
