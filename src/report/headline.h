/* The sentence that answers the question: why does the GPU not work.
 * Threads: the owner of the writer. May not: allocate, use stdio. */
#ifndef WI_REPORT_HEADLINE_H
#define WI_REPORT_HEADLINE_H

#include "base/out.h"
#include "report/report.h"

enum wi_tone { WI_TONE_BAD, WI_TONE_GOOD, WI_TONE_OPEN };

/* The headline: `shout` receives the part in capitals, `rest` what follows it. Where start-up, or
 * what lies around the window, is half of the run and more (WI_LIMIT_OUTSIDE_PERMILLE), both say
 * so: the answer is about what is left. */
enum wi_tone wi_headline(const struct wi_report *report, struct wi_out *shout, struct wi_out *rest);
/* Both parts in one line, without the confidence: the text of the verdict in JSON. */
void wi_headline_text(struct wi_out *out, const struct wi_report *report);
/* The finding the verdict stands on, NULL if none. */
const struct wi_finding *wi_verdict_finding(const struct wi_report *report);
/* The device that the headline is about: the verdict's, else the first used one; NULL if none. */
const struct wi_device_result *wi_verdict_device(const struct wi_report *report);
/* Number of devices that did something. */
int wi_used_devices(const struct wi_report *report);
/* Length of a device's window, 0 if it was not used. */
int64_t wi_window_ns(const struct wi_device_result *device);

#endif
