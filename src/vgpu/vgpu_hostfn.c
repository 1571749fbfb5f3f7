/* The thread that runs host functions of streams, one at a time and in time order.
 * Threads: schedule under the model's lock; one own thread, all signals blocked. May not: hold the
 * lock while a function runs. */
#include "vgpu_clock.h"
#include "vgpu_engine.h"

#include <signal.h>
#include <stdlib.h>

struct job {
    struct vg_item *item;
    uint64_t ready_ns;
    struct job *next;
};

static struct {
    pthread_cond_t wake;
    bool started;
    struct job *jobs; /* by ready_ns; guarded by the model's lock */
} state = {.wake = PTHREAD_COND_INITIALIZER};

static void *run(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&vg_model.lock);
    for (;;) {
        while (state.jobs == NULL) {
            pthread_cond_wait(&state.wake, &vg_model.lock);
        }
        struct job *job = state.jobs;
        if (job->ready_ns > vg_now_ns()) {
            struct timespec due = {(time_t)(job->ready_ns / 1000000000u),
                                   (long)(job->ready_ns % 1000000000u)};
            pthread_cond_timedwait(&state.wake, &vg_model.lock, &due);
            continue;
        }
        state.jobs = job->next;
        pthread_mutex_unlock(&vg_model.lock);
        vg_effects_settle();
        job->item->host_function(job->item->host_argument);
        vg_host_function_done(job->item);
        free(job);
        pthread_mutex_lock(&vg_model.lock);
    }
    return NULL;
}

static void start(void)
{
    sigset_t all, before;
    pthread_t thread;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (pthread_create(&thread, NULL, run, NULL) == 0) {
        pthread_detach(thread);
        state.started = true;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void vg_host_function_schedule(struct vg_item *item, uint64_t ready_ns)
{
    struct job *job = malloc(sizeof(*job)), **link = &state.jobs;
    if (job == NULL) {
        abort(); /* a stand-in for tests: no way to run on without the function */
    }
    *job = (struct job){item, ready_ns, NULL};
    while (*link != NULL && (*link)->ready_ns <= ready_ns) {
        link = &(*link)->next;
    }
    job->next = *link;
    *link = job;
    if (!state.started) {
        start();
    }
    pthread_cond_signal(&state.wake);
}
