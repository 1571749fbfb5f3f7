/* The greater and the lesser of two.
 * Threads: any. */
#ifndef WI_BASE_EXTREMES_H
#define WI_BASE_EXTREMES_H

#include <stdint.h>

static inline int64_t wi_most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static inline int64_t wi_least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

#endif
