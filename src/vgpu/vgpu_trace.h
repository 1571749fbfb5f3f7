/* Telling the tracer. All do nothing without one.
 * Threads: any, the model's lock not held. May not: change the model. */
#ifndef VGPU_TRACE_H
#define VGPU_TRACE_H

#include "vgpu_engine.h"

void vg_trace_operation(const struct vgpu_op *op);
void vg_trace_sync(uint32_t type, const struct vg_stream *stream, const struct vg_context *context,
                   const struct vg_event *event, uint64_t start_ns);
void vg_trace_overhead(uint32_t kind, uint32_t correlation, uint64_t start_ns, uint64_t end_ns);
void vg_trace_resource(uint32_t cbid, struct vg_context *context, void *stream, uint32_t module);

void vg_call_enter(struct vgpu_call *call);
int vg_call_leave(struct vgpu_call *call, int result);
/* The correlation id of the call this thread is in. */
uint32_t vg_call_correlation(void);

#endif
