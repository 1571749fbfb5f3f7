/* Opens the demangler, see demangle.h.
 * Threads: main. */
#include "cli/demangle.h"

#include <dlfcn.h>
#include <stdlib.h>

#include "report/pretty_names.h"

void wi_demangle(struct wi_result *result, struct wi_names *names)
{
    static const char *const LIBRARIES[] = {"libstdc++.so.6", "libc++abi.so.1"};
    struct wi_demangler with = {.release = free};
    for (size_t i = 0; i < sizeof(LIBRARIES) / sizeof(LIBRARIES[0]) && !with.demangle; i++) {
        void *library = dlopen(LIBRARIES[i], RTLD_NOW | RTLD_LOCAL);
        if (library)
            *(void **)&with.demangle = dlsym(library, "__cxa_demangle");
    }
    if (with.demangle)
        wi_pretty_names(result, names, &with);
}
