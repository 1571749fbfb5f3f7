/* The stand-in driver's life: initialisation with injection, the current context of each thread,
 * and the teardown at exit.
 * Threads: any. May not: let injected code, which runs under the lock of initialisation, get past
 * the check of the phase. */
#include "vgpu_config.h"
#include "vgpu_driver.h"
#include "vgpu_faults.h"
#include "vgpu_trace.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STACK_DEPTH = 16 };
enum { NOT_YET, INITIALISING, RUNNING, TORN_DOWN, FORKED };

static struct {
    pthread_mutex_t lock;
    atomic_int phase; /* index into the errors of vg_driver_state */
    pthread_t initialiser;
} state = {.lock = PTHREAD_MUTEX_INITIALIZER};

static __thread struct {
    struct vg_context *contexts[STACK_DEPTH];
    int depth;
} current;

/* What the real driver does with CUDA_INJECTION64_PATH. */
static void inject(void)
{
    const char *path = getenv("CUDA_INJECTION64_PATH");
    if (path == NULL || *path == 0) {
        return;
    }
    void *library = dlopen(path, RTLD_NOW);
    if (library == NULL) {
        fprintf(stderr, "virtual GPU: injection failed: %s\n", dlerror());
        return;
    }
    int (*start)(void) = NULL;
    *(void **)&start = dlsym(library, "InitializeInjection");
    if (start != NULL) {
        start();
    }
}

/* Real drivers may fork while they initialise; handlers of tools then run in that child. */
static void fork_once(void)
{
    pid_t child = fork();
    if (child == 0) {
        _exit(0);
    }
    waitpid(child, NULL, 0);
}

static void tear_down(void)
{
    atomic_store(&state.phase, TORN_DOWN);
}

/* The device does not survive a fork: every call of the child fails. */
static void forked(void)
{
    atomic_store(&state.phase, FORKED);
    vg_set_tracer(NULL);
}

int vg_driver_state(void)
{
    static const int errors[] = {[NOT_YET] = VG_NOT_INITIALIZED,
                                 [INITIALISING] = VG_NOT_INITIALIZED,
                                 [RUNNING] = VG_SUCCESS,
                                 [TORN_DOWN] = VG_DEINITIALIZED,
                                 [FORKED] = VG_NOT_INITIALIZED};
    return errors[atomic_load_explicit(&state.phase, memory_order_acquire)];
}

int vg_do_init(const struct vg_a_init *a, bool per_thread)
{
    (void)per_thread;
    int phase = atomic_load(&state.phase);
    if (phase >= RUNNING) {
        return vg_driver_state();
    }
    if (a->flags != 0) {
        return VG_INVALID_VALUE;
    }
    if (phase == INITIALISING && pthread_equal(state.initialiser, pthread_self())) {
        return VG_SUCCESS; /* injected code that calls back in */
    }
    if (vg_device_count() == 0) {
        return VG_NO_DEVICE;
    }
    pthread_mutex_lock(&state.lock);
    if (atomic_load(&state.phase) == NOT_YET) {
        state.initialiser = pthread_self();
        atomic_store(&state.phase, INITIALISING);
        if (vg_faults()->init_fork) {
            fork_once();
        }
        inject();
        /* After the injection, so that this runs before what the injected code registered: the
         * order that hurts. */
        atexit(tear_down);
        pthread_atfork(NULL, NULL, forked);
        atomic_store(&state.phase, RUNNING);
        vg_trace_resource(VGPU_INIT_FINISHED, NULL, NULL, 0);
    }
    pthread_mutex_unlock(&state.lock);
    return vg_driver_state();
}

struct vg_context *vg_current_context(void)
{
    return current.depth > 0 ? current.contexts[current.depth - 1] : NULL;
}

static void set_current(struct vg_context *context)
{
    if (current.depth == 0) {
        current.depth = 1;
    }
    current.contexts[current.depth - 1] = context;
}

static bool valid(const struct vg_context *context)
{
    return context != NULL && context->magic == VG_CONTEXT_MAGIC;
}

static struct vg_context *new_context(int device, uint32_t flags)
{
    struct vg_context *context = vg_context_create(device, flags);
    if (context != NULL) {
        vg_burn_call((uint64_t)vg_config()->context_ns);
        vg_trace_resource(VGPU_CONTEXT_CREATED, context, NULL, 0);
    }
    return context;
}

int vg_do_primary_retain(const struct vg_a_primary_retain *a, bool per_thread)
{
    (void)per_thread;
    if (vg_machine_device(a->device) < 0) {
        return VG_INVALID_DEVICE;
    }
    struct vg_device *device = &vg_model.devices[a->device];
    pthread_mutex_lock(&state.lock);
    if (device->primary == NULL) {
        device->primary = new_context(a->device, 0);
    }
    device->primary_users += device->primary != NULL;
    *a->context = device->primary;
    pthread_mutex_unlock(&state.lock);
    return *a->context != NULL ? VG_SUCCESS : VG_OUT_OF_MEMORY;
}

static int drop_primary(int ordinal, bool all)
{
    if (vg_machine_device(ordinal) < 0) {
        return VG_INVALID_DEVICE;
    }
    struct vg_device *device = &vg_model.devices[ordinal];
    pthread_mutex_lock(&state.lock);
    struct vg_context *context = device->primary;
    if (context != NULL && (all || --device->primary_users == 0)) {
        vg_wait_context(context);
        vg_trace_resource(VGPU_CONTEXT_DESTROYED, context, NULL, 0);
        device->primary = NULL;
        device->primary_users = 0;
        vg_context_destroy(context);
    }
    pthread_mutex_unlock(&state.lock);
    return VG_SUCCESS;
}

int vg_do_primary_release(const struct vg_a_primary_release *a, bool per_thread)
{
    (void)per_thread;
    return drop_primary(a->device, false);
}

int vg_do_primary_reset(const struct vg_a_primary_reset *a, bool per_thread)
{
    (void)per_thread;
    return drop_primary(a->device, true);
}

int vg_do_primary_set_flags(const struct vg_a_primary_set_flags *a, bool per_thread)
{
    (void)per_thread;
    return vg_machine_device(a->device) < 0 ? VG_INVALID_DEVICE : VG_SUCCESS;
}

int vg_do_primary_state(const struct vg_a_primary_state *a, bool per_thread)
{
    (void)per_thread;
    if (vg_machine_device(a->device) < 0) {
        return VG_INVALID_DEVICE;
    }
    *a->flags = 0;
    *a->active = vg_model.devices[a->device].primary != NULL;
    return VG_SUCCESS;
}

int vg_do_context_create(const struct vg_a_context_create *a, bool per_thread)
{
    (void)per_thread;
    if (vg_machine_device(a->device) < 0) {
        return VG_INVALID_DEVICE;
    }
    struct vg_context *context =
        current.depth < STACK_DEPTH ? new_context(a->device, a->flags) : NULL;
    if (context == NULL) {
        return VG_OUT_OF_MEMORY;
    }
    current.contexts[current.depth++] = context;
    *a->context = context;
    return VG_SUCCESS;
}

int vg_do_context_destroy(const struct vg_a_context_destroy *a, bool per_thread)
{
    (void)per_thread;
    struct vg_context *context = a->context;
    if (!valid(context)) {
        return VG_INVALID_CONTEXT;
    }
    vg_wait_context(context);
    vg_trace_resource(VGPU_CONTEXT_DESTROYED, context, NULL, 0);
    vg_context_destroy(context);
    if (vg_current_context() == context) {
        current.depth--;
    }
    return VG_SUCCESS;
}

int vg_do_context_push(const struct vg_a_context_push *a, bool per_thread)
{
    (void)per_thread;
    if (!valid(a->context) || current.depth == STACK_DEPTH) {
        return VG_INVALID_CONTEXT;
    }
    current.contexts[current.depth++] = a->context;
    return VG_SUCCESS;
}

int vg_do_context_pop(const struct vg_a_context_pop *a, bool per_thread)
{
    (void)per_thread;
    if (current.depth == 0) {
        return VG_INVALID_CONTEXT;
    }
    current.depth--;
    if (a->context != NULL) {
        *a->context = current.contexts[current.depth];
    }
    return VG_SUCCESS;
}

int vg_do_context_set(const struct vg_a_context_set *a, bool per_thread)
{
    (void)per_thread;
    if (a->context != NULL && !valid(a->context)) {
        return VG_INVALID_CONTEXT;
    }
    set_current(a->context);
    return VG_SUCCESS;
}

int vg_do_context_get(const struct vg_a_context_get *a, bool per_thread)
{
    (void)per_thread;
    *a->context = vg_current_context();
    return VG_SUCCESS;
}

int vg_do_context_device(const struct vg_a_context_device *a, bool per_thread)
{
    (void)per_thread;
    if (vg_current_context() == NULL) {
        return VG_INVALID_CONTEXT;
    }
    *a->device = vg_current_context()->device;
    return VG_SUCCESS;
}

int vg_do_context_flags(const struct vg_a_context_flags *a, bool per_thread)
{
    (void)per_thread;
    if (vg_current_context() == NULL) {
        return VG_INVALID_CONTEXT;
    }
    *a->flags = vg_current_context()->flags;
    return VG_SUCCESS;
}

struct vg_stream *vg_call_stream(void *handle, bool per_thread, int *error)
{
    struct vg_context *context = vg_current_context();
    *error = VG_INVALID_CONTEXT;
    if (!valid(context)) {
        return NULL;
    }
    *error = VG_INVALID_HANDLE;
    struct vg_stream *stream = vg_stream_from_handle(context, handle, per_thread);
    *error = stream != NULL ? VG_SUCCESS : *error;
    return stream;
}
