/* Error codes: negative, one table (err.def).
 * Threads: any, signal safe. May not: allocate. */
#ifndef WI_BASE_ERR_H
#define WI_BASE_ERR_H

enum wi_err {
    WI_OK = 0,
#define ERR(name, code, sentence) WI_ERR_##name = code,
#include "base/err.def"
#undef ERR
};

/* The sentence for a code, never NULL; unknown codes give "unknown error". */
const char *wi_err_str(int code);

#endif
