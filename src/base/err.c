/* Error sentences, expanded from err.def.
 * Threads: any, signal safe. May not: allocate. */
#include "base/err.h"

const char *wi_err_str(int code)
{
    switch (code) {
    case WI_OK:
        return "success";
#define ERR(name, code, sentence)                                                                  \
    case WI_ERR_##name:                                                                            \
        return sentence;
#include "base/err.def"
#undef ERR
    default:
        return "unknown error";
    }
}
