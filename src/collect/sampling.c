/* The governor of this process, see sampling.h.
 * Threads: as there. May not: allocate. */
#include "collect/sampling.h"

#include <time.h>

#include "base/clock.h"
#include "base/log.h"
#include "collect/governor.h"

static struct wi_governor governor;

int64_t wi_sampling_apart(void)
{
    return wi_governor_apart(&governor);
}

int64_t wi_sampling_begin(void)
{
    return wi_clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

void wi_sampling_end(int64_t began_ns)
{
    wi_governor_spent(&governor, wi_clock_ns(CLOCK_THREAD_CPUTIME_ID) - began_ns);
}

void wi_sampling_spent(int64_t cpu_ns)
{
    wi_governor_spent(&governor, cpu_ns);
}

void wi_sampling_hold(int64_t steady_ns)
{
    if (!wi_governor_is_due(&governor, steady_ns))
        return;
    int64_t cpu_ns = wi_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    if (wi_governor_hold(&governor, steady_ns, cpu_ns) && governor.halvings == 1)
        wi_log(WI_LOG_LIFE, "the helper takes more than 1 %% of a core: it looks at threads and at "
                            "the machine half as often");
}

void wi_sampling_tell(struct wi_job *job)
{
    job->looks_apart = (int64_t)1 << governor.most_halved;
    job->looks_halvings = governor.halvings;
    job->looks_spared_ns = wi_governor_spared_ns(&governor, wi_clock_ns(CLOCK_MONOTONIC));
}
