/* C++ names as people write them: "at::native::kernel<float>(float*)" of "_ZN2at6native...".
 * Threads: the owner of the result and its names. May not: allocate; the demangler does, so it is
 * the caller's, and so is the moment. */
#ifndef WI_REPORT_PRETTY_NAMES_H
#define WI_REPORT_PRETTY_NAMES_H

#include <stddef.h>

#include "analyze/result.h"
#include "model/names.h"

struct wi_demangler {
    char *(*demangle)(const char *name, char *to, size_t *cap, int *status); /* __cxa_demangle */
    void (*release)(void *text);                                             /* free */
};

/* Renames kernels, and the functions in call sites, of everything that the result tells. */
void wi_pretty_names(struct wi_result *result, struct wi_names *names,
                     const struct wi_demangler *with);

#endif
