/* Words of the result, see result.h.
 * Threads: any. May not: allocate. */
#include "analyze/result.h"

const char *wi_confidence_word(enum wi_confidence value)
{
    static const char *const WORDS[] = {"inconclusive", "low", "medium", "high"};
    return (unsigned)value <= WI_CONF_HIGH ? WORDS[value] : "inconclusive";
}
