/* Numbers of call sites -> name ids of the engine.
 * Threads: the helper, or after wi_helper_stop() the thread that ends the process.
 * May not: be called on the hot path. */
#ifndef WI_COLLECT_SITE_NAMES_H
#define WI_COLLECT_SITE_NAMES_H

#include <stdint.h>

#include "model/names.h"

/* The name of the site of a call that thread entered at enter_ns. A call whose stack nobody looked
 * at has the site at which its thread was seen last, if that was shortly before; calls of one
 * thread come in order. WI_NO_NAME if unknown. */
uint32_t wi_site_name(struct wi_names *names, uint32_t thread, int64_t enter_ns, uint16_t site);

#endif
