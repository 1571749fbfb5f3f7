/* Opens the demangler, see demangle.h.
 * Threads: main. */
#include "cli/demangle.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "report/pretty_names.h"

static int any_encoded(const struct wi_names *names)
{
    for (uint32_t id = 1; id < wi_names_count(names); id++)
        if (strstr(wi_names_text(names, id), "_Z"))
            return 1;
    return 0;
}

void wi_demangle(struct wi_result *result, struct wi_names *names)
{
    static const char *const LIBRARIES[] = {"libstdc++.so.6", "libc++abi.so.1"};
    struct wi_demangler with = {.release = free};
    if (!any_encoded(names))
        return;
    for (size_t i = 0; i < sizeof(LIBRARIES) / sizeof(LIBRARIES[0]) && !with.demangle; i++) {
        void *library = dlopen(LIBRARIES[i], RTLD_NOW | RTLD_LOCAL);
        if (library)
            *(void **)&with.demangle = dlsym(library, "__cxa_demangle");
    }
    if (with.demangle)
        wi_pretty_names(result, names, &with);
}
