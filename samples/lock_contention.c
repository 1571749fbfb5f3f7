/* A second thread computes while it holds the lock that the launching thread needs in the middle
 * of its step, as the pin-memory thread of a framework holds the interpreter's.
 * Expected: data-loading/gil-contention.
 * Threads: the launching thread, and one that holds the lock. */
#include <pthread.h>

#include "gpu.h"
#include "pace.h"
#include "step.h"

static pthread_mutex_t interpreter = PTHREAD_MUTEX_INITIALIZER;

static void *copy_batches(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&interpreter);
        step_burn(10 * STEP_MS);
        pthread_mutex_unlock(&interpreter);
        pace_sleep_until(pace_now() + 2 * STEP_MS);
    }
    return unused;
}

int main(void)
{
    pthread_t other;

    if (gpu_init() || pthread_create(&other, NULL, copy_batches, NULL))
        return 1;
    while (step_more()) {
        step_run(2, STEP_MS);
        pthread_mutex_lock(&interpreter);
        pthread_mutex_unlock(&interpreter);
        step_run(2, STEP_MS);
        gpu_sync();
    }
    return 0;
}
