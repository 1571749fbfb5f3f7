/* The few questions asked of the driver itself, outside any call of the job.
 * Threads: the helper or the thread that ends the process; never inside a call of the job (the
 * driver may hold its locks there). Needs no context and makes none. */
#ifndef WI_CUDA_DRIVER_H
#define WI_CUDA_DRIVER_H

#include "model/event.h"
#include "model/names.h"

/* 1000 * major + 10 * minor, or 0 if no driver is loaded. */
int wi_driver_version(void);
/* 1 once the driver answers about its devices. */
int wi_driver_is_up(void);
/* Describes the n-th device the process sees; 0, or a negative code from the count on. The driver
 * must have been initialised by the job. */
int wi_driver_device(int n, struct wi_names *names, struct wi_device_info *info);

#endif
