/* The device utilisation that nvidia-smi shows; a cross-check, never the measurement.
 * Threads: the helper. May not: be needed; without the library or on MIG it is unknown. */
#ifndef WI_COLLECT_NVML_H
#define WI_COLLECT_NVML_H

#include <stdint.h>

/* Mean over the devices known to the feed, matched by UUID; WI_UNKNOWN if not to be had. */
int64_t wi_nvml_utilisation(void);

#endif
