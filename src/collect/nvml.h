/* What the driver's monitor says of the devices in use; a cross-check, never the measurement.
 * Threads: the helper. May not: be needed; without the library or on MIG figures are unknown. */
#ifndef WI_COLLECT_NVML_H
#define WI_COLLECT_NVML_H

#include "model/event.h"

/* Fills the device figures of a sample from the devices known to the feed, matched by UUID:
 * utilisation is their mean, free memory and the link those of the worst, and one device with
 * held-down clocks is enough. Where the monitor takes long they are unknown, and come with a later
 * sample. */
void wi_nvml_sample(struct wi_host_sample *sample);
/* Between two samples: goes on asking, for 2 ms or one question. */
void wi_nvml_go_on(void);

#endif
