/* The steps of a device in words, and figures per step.
 * Threads: the owner of the writer. May not: allocate, use stdio. */
#ifndef WI_REPORT_STEP_TEXT_H
#define WI_REPORT_STEP_TEXT_H

#include "report/layout.h"
#include "report/report.h"

/* The used device of that id; NULL if there is none. */
const struct wi_device_result *wi_report_device(const struct wi_report *report, int32_t id);
/* The first device that did something; NULL if none did. */
const struct wi_device_result *wi_first_device(const struct wi_report *report);
/* From one start to the next, mean over all; WI_UNKNOWN where the steps are not known. */
int64_t wi_step_mean_ns(const struct wi_device_result *device);
/* What a nanosecond of the device's window is in a step: the mean step by the time outside
 * start-up, so that the parts of a step add up to it, whatever lies before the first step and
 * behind the last. 0 where the steps are not known. */
double wi_step_scale(const struct wi_device_result *device);
/* ns of the window in a step, by that scale; WI_UNKNOWN where the steps are not known. */
int64_t wi_per_step_ns(const struct wi_device_result *device, int64_t ns);
/* "215 of every 306 ms": time of each step in the unit of the step. Returns 0, and writes nothing,
 * where the steps are not known, or the time does not fit into one or is below 0.1 % of it. */
int wi_put_of_every(struct wi_out *out, const struct wi_device_result *device, int64_t ns);
/* "4.5 a step" of a count; writes nothing below one in twenty steps. Returns 1 if it wrote. */
int wi_put_a_step(struct wi_out *out, const struct wi_device_result *device, uint64_t count);
/* The line "steps": how many, how long, and those that take much longer. */
void wi_text_steps(struct wi_layout *layout, const struct wi_device_result *device);
/* The object of the report document; null where the steps are not known. */
void wi_steps_json(struct wi_out *out, const struct wi_device_result *device);

#endif
