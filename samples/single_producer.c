/* One other thread of the process prepares every batch; the launching thread sleeps until it is
 * there.
 * Expected: data-loading/single-producer.
 * Threads: the launching thread and the producer. */
#include <pthread.h>
#include <semaphore.h>

#include "gpu.h"
#include "step.h"

#define BATCH_BYTES (1 << 20)
#define PREPARE_NS  (15 * STEP_MS)

static sem_t batches, room;

static void *produce(void *unused)
{
    for (;;) {
        step_burn(PREPARE_NS);
        sem_wait(&room);
        sem_post(&batches);
    }
    return unused;
}

int main(void)
{
    pthread_t producer;

    if (gpu_init() || sem_init(&batches, 0, 0) || sem_init(&room, 0, 2) ||
        pthread_create(&producer, NULL, produce, NULL))
        return 1;
    void *device = gpu_alloc(BATCH_BYTES), *batch = gpu_host_alloc(BATCH_BYTES);
    while (step_more()) {
        sem_wait(&batches);
        sem_post(&room);
        gpu_upload_async(device, batch, BATCH_BYTES, NULL);
        step_run(5, STEP_MS);
        gpu_sync();
    }
    return 0;
}
