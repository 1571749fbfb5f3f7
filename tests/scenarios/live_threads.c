/* Other threads of the process, see live_threads.h.
 * Threads: the launching thread, one producer, one lock holder, computing threads.
 * All but the launching thread are nice: the timeline has a core for each, this machine may not. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "live_threads.h"
#include "live_workers.h"
#include "pace.h"

#define THREAD_NICE 10
#define CROWD_NICE  19 /* of the computing threads, which are more than there are cores */
#define COMPUTERS   8  /* at most: each more takes some of the launching thread's core */
#define BUSY        50 /* percent of a core: from here on the producer never sleeps */
#define UNMAP_BYTES (32u << 20)

static struct {
    const struct tl_side *side;
    pthread_mutex_t lock;
    pthread_cond_t asked, woken;
    int64_t due; /* of the producer */
    int producing, busy;
    pthread_mutex_t held; /* what the holder holds until hold_due */
    int64_t hold_due;
    int holding;
    atomic_int has_it;
    atomic_int computing;
    int computers;
} threads = {.lock = PTHREAD_MUTEX_INITIALIZER,
             .asked = PTHREAD_COND_INITIALIZER,
             .woken = PTHREAD_COND_INITIALIZER,
             .held = PTHREAD_MUTEX_INITIALIZER};

static void *prepare(void *name)
{
    pthread_setname_np(pthread_self(), name);
    setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), THREAD_NICE);
    return NULL;
}

static const char *name_or(const char *otherwise)
{
    return threads.side->thread_name[0] ? threads.side->thread_name : otherwise;
}

/* Works or sleeps until due; the lock is free meanwhile. */
static void until_due(int64_t due)
{
    pthread_mutex_unlock(&threads.lock);
    if (threads.busy)
        pace_burn_until(due);
    else
        pace_sleep_until(due);
    pthread_mutex_lock(&threads.lock);
}

static void *producer(void *unused)
{
    (void)unused;
    prepare((void *)name_or("producer"));
    pthread_mutex_lock(&threads.lock);
    for (;;) {
        while (!threads.due) {
            if (threads.busy)
                until_due(pace_now() + 100000);
            else
                pthread_cond_wait(&threads.asked, &threads.lock);
        }
        until_due(threads.due);
        threads.due = 0;
        pthread_cond_signal(&threads.woken);
    }
    return NULL;
}

static int start(void *(*run)(void *))
{
    pthread_t thread;

    return pthread_create(&thread, NULL, run, NULL) ? -1 : 0;
}

int live_threads_start(const struct tl_block *block)
{
    const struct tl_side *side = threads.side = &block->side;
    int waits = 0;

    for (int i = 0; i < block->rank[0].lines; i++)
        waits |=
            block->rank[0].program[i].op == TL_WAIT && block->rank[0].program[i].how == TL_FUTEX;
    threads.busy = waits && side->thread_cpu_percent >= BUSY && side->threads_in_gap != 1;
    if (!threads.busy)
        return 0;
    threads.producing = 1;
    return start(producer);
}

void live_thread_wait(int64_t due_ns)
{
    pthread_mutex_lock(&threads.lock);
    if (!threads.producing)
        threads.producing = !start(producer);
    threads.due = due_ns;
    pthread_cond_signal(&threads.asked);
    while (threads.due)
        pthread_cond_wait(&threads.woken, &threads.lock);
    pthread_mutex_unlock(&threads.lock);
}

static void give_back_memory(void)
{
    void *memory = mmap(NULL, UNMAP_BYTES, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

    if (memory != MAP_FAILED)
        munmap(memory, UNMAP_BYTES);
}

static void *holder(void *unused)
{
    (void)unused;
    prepare((void *)name_or("holder"));
    pthread_mutex_lock(&threads.lock);
    for (;;) {
        while (!threads.hold_due)
            pthread_cond_wait(&threads.asked, &threads.lock);
        int64_t due = threads.hold_due;

        threads.hold_due = 0;
        pthread_mutex_unlock(&threads.lock);
        pthread_mutex_lock(&threads.held);
        atomic_store(&threads.has_it, 1);
        while (pace_now() < due)
            give_back_memory();
        pthread_mutex_unlock(&threads.held);
        pthread_mutex_lock(&threads.lock);
    }
    return NULL;
}

void live_thread_lock(int64_t due_ns)
{
    pthread_mutex_lock(&threads.lock);
    if (!threads.holding)
        threads.holding = !start(holder);
    atomic_store(&threads.has_it, 0);
    threads.hold_due = due_ns;
    pthread_cond_broadcast(&threads.asked);
    pthread_mutex_unlock(&threads.lock);
    while (!atomic_load(&threads.has_it))
        pace_sleep_until(pace_now() + 50000);
    pthread_mutex_lock(&threads.held);
    pthread_mutex_unlock(&threads.held);
}

static void *computer(void *unused)
{
    (void)unused;
    prepare("compute");
    setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), CROWD_NICE);
    for (;;) {
        while (!atomic_load(&threads.computing))
            pace_sleep_until(pace_now() + 1000000);
        while (atomic_load(&threads.computing))
            pace_burn_until(pace_now() + 100000);
    }
    return NULL;
}

void live_thread_compute(int64_t due_ns)
{
    const struct tl_side *side = threads.side;
    int wanted = side->threads_in_gap == 1 && side->thread_cpu_percent >= BUSY ? COMPUTERS : 0;

    if (wanted > side->threads)
        wanted = (int)side->threads;
    for (; threads.computers < wanted; threads.computers++)
        if (start(computer)) {
            perror("starting a thread");
            exit(1);
        }
    atomic_store(&threads.computing, wanted > 0);
    pace_burn_until(due_ns);
    atomic_store(&threads.computing, 0);
}
