/* The one clock of the model: CLOCK_REALTIME, the clock of CUPTI's time stamps.
 * Threads: any. May not: be stepped during a run. */
#ifndef VGPU_CLOCK_H
#define VGPU_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t vg_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Returns at due_ns or a little later; the last spin_ns are spun. */
static inline void vg_sleep_until(uint64_t due_ns, uint64_t spin_ns)
{
    uint64_t wake_ns = due_ns > spin_ns ? due_ns - spin_ns : 0;
    struct timespec wake = {(time_t)(wake_ns / 1000000000u), (long)(wake_ns % 1000000000u)};
    if (vg_now_ns() < wake_ns) {
        while (clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &wake, NULL) != 0) {
        }
    }
    while (vg_now_ns() < due_ns) {
    }
}

#endif
