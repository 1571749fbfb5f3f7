/* Samples the machine, see watch.h.
 * Threads: the helper. May not: allocate; sample more often than a few times a second. */
#include "collect/watch.h"

#include "base/clock.h"
#include "collect/feed.h"
#include "collect/hot.h"
#include "collect/nvml.h"
#include "collect/sampling.h"
#include "collect/watch_parts.h"

#define TICK_NS INT64_C(90000000) /* a helper that rests 100 ms at a time is to tick each time */

static struct {
    int64_t steady_ns, ticked_ns; /* of a clock that nobody sets */
    int started;
} state;

void wi_watch_sample(void)
{
    int64_t steady_ns = wi_clock_ns(CLOCK_MONOTONIC);
    int64_t interval_ns = state.started ? steady_ns - state.steady_ns : 0;
    struct wi_event event = {.kind = WI_EVENT_SAMPLE};
    struct wi_host_sample *sample = &event.u.sample;
    if (!steady_ns) /* the clock cannot be read */
        return;
    int64_t began_ns = wi_sampling_begin();
    wi_host_sample_clear(sample);
    sample->at_ns = wi_now_ns();
    sample->interval_ns = interval_ns;
    wi_watch_children(sample, interval_ns); /* first: others ask for the children */
    wi_watch_cores(sample, interval_ns);
    wi_watch_threads(sample, interval_ns);
    wi_watch_serving(sample, interval_ns);
    wi_nvml_sample(sample);
    wi_sampling_end(began_ns);
    state.steady_ns = steady_ns;
    if (interval_ns > 0)
        wi_feed_event(&event);
    state.started = 1;
}

void wi_watch_tick(int64_t now)
{
    if (now - state.ticked_ns < TICK_NS * wi_sampling_apart() && now >= state.ticked_ns)
        return;
    int64_t began_ns = wi_sampling_begin();
    state.ticked_ns = now;
    wi_nvml_go_on();
    wi_watch_children_tick();
    wi_watch_cores_tick();
    wi_watch_serving_tick();
    wi_sampling_end(began_ns);
}
