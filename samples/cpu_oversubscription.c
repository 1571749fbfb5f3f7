/* Twice as many loader processes as cores, each with two threads that compute: whoever launches
 * kernels gets a core only now and then.
 * Expected: data-loading/cpu-oversubscription.
 * Threads: one; in each worker process two. */
#include <pthread.h>
#include <unistd.h>

#include "crew.h"
#include "gpu.h"
#include "step.h"

static void *decode(void *unused)
{
    for (;;)
        step_burn(STEP_MS);
    return unused;
}

static void work(void)
{
    pthread_t other;

    if (!pthread_create(&other, NULL, decode, NULL))
        decode(NULL);
}

int main(void)
{
    int cores = (int)sysconf(_SC_NPROCESSORS_ONLN);

    if (crew_start(2 * (cores < 16 ? cores : 16), work) || gpu_init())
        return 1;
    while (step_more()) {
        for (int i = 0; i < 20; i++) {
            step_burn(STEP_MS / 5);
            step_run(1, STEP_MS / 10);
        }
        gpu_sync();
    }
    crew_end();
    return 0;
}
