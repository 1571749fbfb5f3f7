/* Thresholds of the analysis as constants, expanded from limits.def.
 * Threads: none. */
#ifndef WI_ANALYZE_LIMITS_H
#define WI_ANALYZE_LIMITS_H

#include <stdint.h>

#define LIMIT(id, value, unit, reason)                                                             \
    static const int64_t WI_LIMIT_##id __attribute__((unused)) = value;
#include "analyze/limits.def"
#undef LIMIT

#endif
