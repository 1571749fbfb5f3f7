/* Calls in flight, their correlation ids, and the hand-over to the tracer.
 * Threads: any. May not: hold the model's lock while the tracer runs. */
#include "vgpu_trace.h"

#include "vgpu_clock.h"
#include "vgpu_driver.h"

#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct {
    _Atomic(const struct vgpu_tracer *) tracer;
    atomic_uint correlation;
} state;

static __thread struct vgpu_call *current_call;

bool vg_set_tracer(const struct vgpu_tracer *tracer)
{
    const struct vgpu_tracer *none = NULL;
    if (tracer == NULL) {
        atomic_store(&state.tracer, NULL);
        return true;
    }
    return atomic_compare_exchange_strong(&state.tracer, &none, tracer) || none == tracer;
}

/* For players of exact timelines: the host time of this thread's next launch, copy, allocation,
 * release or load. */
static __thread uint64_t next_call_ns;

VGPU_API void vgpu_next_call_ns(uint64_t host_ns);
void vgpu_next_call_ns(uint64_t host_ns)
{
    next_call_ns = host_ns;
}

void vg_burn(uint64_t host_ns)
{
    if (host_ns != 0) {
        vg_sleep_until(vg_now_ns() + host_ns, host_ns);
    }
}

void vg_burn_call(uint64_t model_ns)
{
    uint64_t host_ns = next_call_ns != 0 ? next_call_ns : model_ns;
    next_call_ns = 0;
    vg_burn(host_ns);
}

static const struct vgpu_tracer *tracer(void)
{
    return atomic_load_explicit(&state.tracer, memory_order_acquire);
}

void vg_call_enter(struct vgpu_call *call)
{
    const struct vgpu_tracer *told = tracer(); /* Read once: it may be taken away meanwhile. */
    struct vg_context *context = vg_current_context();
    call->outer = current_call;
    call->correlation = current_call != NULL ? current_call->correlation
                                             : atomic_fetch_add(&state.correlation, 1) + 1;
    call->context = context;
    call->context_id = context != NULL ? context->id : 0;
    call->data = 0;
    call->entered = false;
    current_call = call;
    if (told != NULL) {
        call->entered = true;
        call->enter_ns = vg_now_ns();
        told->enter(call);
    }
}

int vg_call_leave(struct vgpu_call *call, int result)
{
    const struct vgpu_tracer *told = tracer();
    struct vg_context *context = vg_current_context();
    call->result = result;
    call->context = context;
    call->context_id = context != NULL ? context->id : 0;
    if (told != NULL && call->entered) {
        told->leave(call);
    }
    current_call = call->outer;
    return result;
}

uint32_t vg_call_correlation(void)
{
    return current_call != NULL ? current_call->correlation : 0;
}

void vg_trace_operation(const struct vgpu_op *op)
{
    const struct vgpu_tracer *told = tracer();
    if (told != NULL) {
        told->operation(op);
    }
}

void vg_trace_sync(uint32_t type, const struct vg_stream *stream, const struct vg_context *context,
                   const struct vg_event *event, uint64_t start_ns)
{
    const struct vgpu_tracer *told = tracer();
    if (told == NULL) {
        return;
    }
    struct vgpu_sync sync = {.type = type, .correlation = vg_call_correlation()};
    sync.context_id = context->id;
    sync.stream_id = stream != NULL ? stream->id : UINT32_MAX;
    sync.event_id = event != NULL ? event->id : UINT32_MAX;
    sync.start_ns = start_ns;
    sync.end_ns = vg_now_ns();
    told->sync(&sync);
}

void vg_trace_overhead(uint32_t kind, uint32_t correlation, uint64_t start_ns, uint64_t end_ns)
{
    const struct vgpu_tracer *told = tracer();
    if (told != NULL) {
        uint32_t thread = (uint32_t)syscall(SYS_gettid);
        struct vgpu_overhead overhead = {kind, correlation, thread, start_ns, end_ns};
        told->overhead(&overhead);
    }
}

void vg_trace_resource(uint32_t cbid, struct vg_context *context, void *stream, uint32_t module)
{
    const struct vgpu_tracer *told = tracer();
    if (told != NULL) {
        struct vgpu_resource resource = {.cbid = cbid, .context = context, .stream = stream};
        resource.device = context != NULL ? (uint32_t)context->device : 0;
        resource.context_id = context != NULL ? context->id : 0;
        resource.module_id = module;
        told->resource(&resource);
    }
}
