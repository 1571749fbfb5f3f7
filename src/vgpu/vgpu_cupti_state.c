/* The stand-in CUPTI's lock, faults, clock and its place as the driver's tracer.
 * Threads: any. May not: load the driver under the lock of a callback. */
#include "vgpu_cupti.h"

#include "vgpu_clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

pthread_mutex_t ct_lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

static struct {
    pthread_once_t core_once;
    const struct vgpu_core *core;
    bool tracing; /* this image of the library is the driver's tracer */
    bool system_threads;
} state = {.core_once = PTHREAD_ONCE_INIT};

static void open_core(void)
{
    state.core = vgpu_core_open();
}

const struct vgpu_core *ct_core(void)
{
    pthread_once(&state.core_once, open_core);
    return state.core;
}

void ct_enter(void)
{
    if (vg_faults()->abort_after_teardown && ct_core() != NULL && ct_core()->torn_down()) {
        fprintf(stderr, "virtual GPU: a CUPTI call after the driver's teardown\n");
        abort();
    }
    pthread_mutex_lock(&ct_lock);
}

int ct_leave(int result)
{
    pthread_mutex_unlock(&ct_lock);
    return result;
}

static void enter(struct vgpu_call *call)
{
    pthread_mutex_lock(&ct_lock);
    ct_callback(call, false);
    pthread_mutex_unlock(&ct_lock);
}

static void leave(struct vgpu_call *call)
{
    pthread_mutex_lock(&ct_lock);
    ct_record_call(call);
    ct_callback(call, true);
    ct_deliver_full();
    pthread_mutex_unlock(&ct_lock);
}

static void operation(const struct vgpu_op *op)
{
    pthread_mutex_lock(&ct_lock);
    ct_record_operation(op);
    pthread_mutex_unlock(&ct_lock);
}

static void synchronization(const struct vgpu_sync *sync)
{
    pthread_mutex_lock(&ct_lock);
    ct_record_sync(sync);
    pthread_mutex_unlock(&ct_lock);
}

static void overhead(const struct vgpu_overhead *overhead)
{
    pthread_mutex_lock(&ct_lock);
    ct_record_overhead(overhead);
    pthread_mutex_unlock(&ct_lock);
}

static void resource(const struct vgpu_resource *resource)
{
    pthread_mutex_lock(&ct_lock);
    ct_record_resource(resource);
    ct_callback_resource(resource);
    pthread_mutex_unlock(&ct_lock);
}

int ct_ready(void)
{
    if (vg_faults()->subscribe != 0) {
        return (int)vg_faults()->subscribe;
    }
    if (ct_core() == NULL) {
        return CT_UNKNOWN; /* what the real library says without a driver */
    }
    if (ct_core()->torn_down()) {
        return CT_NOT_INITIALIZED;
    }
    return CT_SUCCESS;
}

int ct_attach(void)
{
    static const struct vgpu_tracer tracer = {enter,           leave,    operation,
                                              synchronization, overhead, resource};
    int result = ct_ready();
    if (result == CT_SUCCESS && !state.tracing) {
        state.tracing = ct_core()->set_tracer(&tracer);
        result = state.tracing ? CT_SUCCESS : CT_MULTIPLE_SUBSCRIBERS;
    }
    return result;
}

void ct_detach_if_idle(void)
{
    if (state.tracing && !ct_any_subscriber() && !ct_any_kind()) {
        ct_core()->set_tracer(NULL);
        state.tracing = false;
    }
}

/* A clock a tool registered is the clock of the records from then on: the model's times are put
 * into it by its rate, measured over a millisecond when it is registered. */
static struct {
    uint64_t (*read)(void);
    double rate;
} own_clock;

struct moment {
    uint64_t ns, reading;
};

/* Both clocks at one moment, not with a pause of the thread between. */
static struct moment moment_of(uint64_t (*read)(void))
{
    struct moment at;
    uint64_t after_ns;
    int tries = 100;
    do {
        at.ns = vg_now_ns();
        at.reading = read();
        after_ns = vg_now_ns();
    } while (after_ns - at.ns > 1000 && --tries > 0);
    return at;
}

static double rate_of(uint64_t (*read)(void))
{
    const uint64_t span_ns = 1000000;
    struct moment from = moment_of(read);
    while (vg_now_ns() - from.ns < span_ns) {
    }
    struct moment to = moment_of(read);
    return (double)(to.reading - from.reading) / (double)(to.ns - from.ns);
}

static uint64_t in_own_clock(uint64_t ns)
{
    struct moment now = moment_of(own_clock.read);
    return (uint64_t)((int64_t)now.reading +
                      (int64_t)((double)(int64_t)(ns - now.ns) * own_clock.rate));
}

VGPU_API int cuptiActivityRegisterTimestampCallback(uint64_t (*read)(void));
int cuptiActivityRegisterTimestampCallback(uint64_t (*read)(void))
{
    ct_enter();
    int result = ct_ready();
    if (result == CT_SUCCESS) {
        own_clock.rate = read != NULL ? rate_of(read) : 1;
        own_clock.read = read;
    }
    return ct_leave(result);
}

uint64_t ct_clock(uint64_t ns)
{
    if (own_clock.read != NULL) {
        return in_own_clock(ns);
    }
    const uint64_t boot_ns =
        1600000000000000000u; /* any fixed origin: ticks count from elsewhere */
    return vg_faults()->clock_ticks && ns > boot_ns ? (ns - boot_ns) * 3 : ns;
}

uint64_t ct_now(void)
{
    return ct_clock(vg_now_ns());
}

uint32_t ct_thread(void)
{
    if (state.system_threads) {
        return (uint32_t)syscall(SYS_gettid);
    }
    return (uint32_t)(uintptr_t)pthread_self();
}

VGPU_API int cuptiSetThreadIdType(uint32_t type);
int cuptiSetThreadIdType(uint32_t type)
{
    ct_enter();
    state.system_threads = type == 1;
    return ct_leave(type <= 1 ? CT_SUCCESS : CT_INVALID_PARAMETER);
}

VGPU_API int cuptiGetThreadIdType(uint32_t *type);
int cuptiGetThreadIdType(uint32_t *type)
{
    if (type == NULL) {
        return CT_INVALID_PARAMETER;
    }
    ct_enter();
    *type = state.system_threads ? 1 : 0;
    return ct_leave(CT_SUCCESS);
}

/* Takes the library back to the state in which it was loaded: whoever used it has to begin anew. */
VGPU_API int cuptiFinalize(void);
int cuptiFinalize(void)
{
    ct_enter();
    ct_forget_subscriber();
    ct_forget_activities();
    ct_detach_if_idle();
    own_clock.read = NULL;
    state.system_threads = false;
    return ct_leave(CT_SUCCESS);
}
