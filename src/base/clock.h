/* Clocks of the system in nanoseconds.
 * Threads: any, signal safe. May not: change errno where the clock can be read. */
#ifndef WI_BASE_CLOCK_H
#define WI_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

/* 0 if the clock cannot be read: a sandbox may deny the call that stands behind the quick way. */
static inline int64_t wi_clock_ns(clockid_t clock)
{
    struct timespec ts = {0, 0};
    clock_gettime(clock, &ts);
    return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

#endif
