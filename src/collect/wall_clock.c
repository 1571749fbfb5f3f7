/* Steps of the wall clock, see wall_clock.h.
 * Threads: as noted there. May not: allocate, wait. All times are of the wall clock,
 * as CUPTI's are; what spans a step of it cannot be measured. The other clock tells it: the two go
 * apart by a step only, slewing stays below 0.5 ms a second. */
#include "collect/wall_clock.h"

#include <stdint.h>

#include "base/clock.h"
#include "collect/feed.h"
#include "model/event.h"

#define STEP_NS INT64_C(5000000)
#define LOOK_NS INT64_C(1000000) /* a look that took longer was interrupted, and says nothing */

static int64_t last_ns, last_ahead_ns; /* 0 before the first look */

void wi_wall_clock_look(void)
{
    int64_t before = wi_clock_ns(CLOCK_MONOTONIC), wall = wi_now_ns();
    int64_t after = wi_clock_ns(CLOCK_MONOTONIC), ahead = wall - before;
    if (!before || !wall || after - before > LOOK_NS || after < before)
        return;
    int64_t step = ahead - last_ahead_ns;
    if (last_ns && (step > STEP_NS || step < -STEP_NS))
        wi_feed_loss(WI_LOSS_BLIND, 0, last_ns < wall ? last_ns : wall,
                     last_ns < wall ? wall : last_ns);
    last_ns = wall;
    last_ahead_ns = ahead;
}
