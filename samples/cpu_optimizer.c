/* The state of the optimizer lies in CPU memory: gradients come from the device, eight threads
 * update the parameters, which go back.
 * Expected: host/cpu-optimizer.
 * Threads: the launching thread, and eight that update for a while in every step. */
#include <pthread.h>

#include "gpu.h"
#include "pace.h"
#include "step.h"

#define THREADS    8
#define PARAMETERS (4 << 20)
#define UPDATE_NS  (20 * STEP_MS)

static float *parameters, *gradients;

/* Every thread takes every eighth block. Not inlined, so that the stack shows it. */
__attribute__((noinline)) void *cpu_adam_update(void *thread)
{
    int64_t end = pace_now() + UPDATE_NS;

    for (int i = (int)(long)thread * 4096; pace_now() < end; i = (i + THREADS * 4096) % PARAMETERS)
        for (int j = i; j < i + 4096; j++)
            parameters[j] -= 0.001f * gradients[j];
    return NULL;
}

static void update(void)
{
    pthread_t other[THREADS];

    for (long i = 1; i < THREADS; i++)
        if (pthread_create(&other[i], NULL, cpu_adam_update, (void *)i))
            other[i] = pthread_self();
    cpu_adam_update(NULL);
    for (int i = 1; i < THREADS; i++)
        if (!pthread_equal(other[i], pthread_self()))
            pthread_join(other[i], NULL);
}

int main(void)
{
    if (gpu_init())
        return 1;
    void *device = gpu_alloc(PARAMETERS * sizeof(float));
    parameters = gpu_host_alloc(PARAMETERS * sizeof(float));
    gradients = gpu_host_alloc(PARAMETERS * sizeof(float));
    while (step_more()) {
        step_run(5, STEP_MS);
        gpu_download(gradients, device, PARAMETERS * sizeof(float));
        update();
        gpu_upload_async(device, parameters, PARAMETERS * sizeof(float), NULL);
    }
    return 0;
}
