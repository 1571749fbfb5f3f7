/* A job that is dear to look at: its thread waits for a lock, which another one holds asleep, among
 * so many threads that have nothing to do; who holds it is looked for among them.
 *   dear_job STEPS THREADS      prints its own account of the waits: "waited_ns N"
 * Threads: one that calls CUDA, one that holds the lock, THREADS that sleep. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "gpu.h"

#define HELD_NS   200000000
#define KERNEL_NS 1000000
#define BLOCK     256

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t held;

static int64_t now_ns(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static void *sleep_always(void *unused)
{
    for (;;)
        pause();
    return unused;
}

static void *hold(void *unused)
{
    struct timespec ts = {0, HELD_NS};
    for (;;) {
        pthread_mutex_lock(&lock);
        pthread_barrier_wait(&held);
        nanosleep(&ts, NULL);
        pthread_mutex_unlock(&lock);
        pthread_barrier_wait(&held); /* the other one has had it */
    }
    return unused;
}

static void start(void *(*run)(void *))
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, run, NULL) != 0)
        exit(1);
}

static int64_t wait_for_lock(void)
{
    pthread_barrier_wait(&held);
    int64_t began = now_ns();
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    int64_t waited = now_ns() - began;
    pthread_barrier_wait(&held);
    return waited;
}

int main(int argc, char **argv)
{
    if (argc != 3 || gpu_init() || pthread_barrier_init(&held, NULL, 2) != 0)
        return 2;
    for (int i = 0, threads = atoi(argv[2]); i < threads; i++)
        start(sleep_always);
    start(hold);
    int64_t waited = 0;
    for (int i = 0, steps = atoi(argv[1]); i < steps; i++) {
        gpu_spin(GPU_SPIN, KERNEL_NS, gpu_full_grid(), BLOCK, NULL);
        waited += wait_for_lock();
        gpu_spin(GPU_SPIN, KERNEL_NS, gpu_full_grid(), BLOCK, NULL);
        gpu_sync();
    }
    printf("waited_ns %lld\n", (long long)waited);
    return 0;
}
