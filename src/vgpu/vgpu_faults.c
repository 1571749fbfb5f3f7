/* Parses VGPU_FAULT: words, or word=number, separated by commas.
 * Threads: any; the first caller parses. May not: fail, an unknown word is told on stderr. */
#include "vgpu_faults.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct vg_faults faults;

static void set_fault(const char *word, uint64_t number)
{
#define FAULT(id, name, sentence)                                                                  \
    if (strcmp(word, name) == 0) {                                                                 \
        faults.id = number;                                                                        \
        return;                                                                                    \
    }
#include "vgpu_faults.def"
#undef FAULT
    fprintf(stderr, "virtual GPU: VGPU_FAULT: no fault is called %s\n", word);
}

static void read_faults(void)
{
    const char *text = getenv("VGPU_FAULT");
    char copy[512], *rest = copy, *word;
    snprintf(copy, sizeof(copy), "%s", text != NULL ? text : "");
    while ((word = strsep(&rest, ",")) != NULL) {
        char *number = strchr(word, '=');
        if (number != NULL) {
            *number++ = 0;
        }
        if (strcmp(word, "deliver-thread") == 0 && number != NULL) {
            faults.deliver_caller = strcmp(number, "caller") == 0;
        } else if (*word != 0) {
            set_fault(word, number != NULL ? strtoull(number, NULL, 10) : 1);
        }
    }
}

const struct vg_faults *vg_faults(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_faults);
    return &faults;
}
