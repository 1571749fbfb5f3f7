/* The stand-in CUPTI's parts. One recursive lock is held around every entry and every callback, so
 * that a tool that calls in with a lock of its own held deadlocks here as it may on hardware.
 * Threads: any. May not: change what the device does. */
#ifndef VGPU_CUPTI_H
#define VGPU_CUPTI_H

#include "vgpu_core.h"
#include "vgpu_faults.h"

#include <pthread.h>

/* Result codes, numbered as CUPTI does. */
enum {
    CT_SUCCESS = 0,
    CT_INVALID_PARAMETER = 1,
    CT_INVALID_DEVICE = 2,
    CT_INVALID_CONTEXT = 3,
    CT_NOT_COMPATIBLE = 14,
    CT_MAX_LIMIT_REACHED = 12,
    CT_NOT_INITIALIZED = 15,
    CT_INVALID_STREAM = 20,
    CT_INVALID_KIND = 21,
    CT_MULTIPLE_SUBSCRIBERS = 39,
    CT_UNKNOWN = 999,
};

enum ct_kind {
#define KIND(number, name, v11, v12, v13) CT_##name = number,
#include "vgpu_cupti_kinds.def"
#undef KIND
    CT_KINDS = 64,
};

extern pthread_mutex_t ct_lock;
/* Whether a stand-in driver is there and no fault forbids the call. */
int ct_ready(void);
/* The same, and makes this library the driver's tracer; fails while another image of it is. */
int ct_attach(void);
/* Lets the driver go once nobody is subscribed and no kind is enabled. */
void ct_detach_if_idle(void);
bool ct_any_subscriber(void);
bool ct_any_kind(void);
const struct vgpu_core *ct_core(void);
uint64_t ct_now(void);
/* A driver time in the clock of the records. */
uint64_t ct_clock(uint64_t ns);
uint32_t ct_thread(void);

/* The record size of a kind in the emulated version; 0: unknown kind. */
size_t ct_stride(uint32_t kind);
bool ct_kind_enabled(uint32_t kind);
/* Appends a record of ct_stride(kind) bytes from *record. end_ns: when it is complete (driver
 * time). Lock held. */
void ct_append(uint32_t kind, const void *record, uint64_t start_ns, uint64_t end_ns);

/* Tracer parts. */
void ct_callback(struct vgpu_call *call, bool exit);
void ct_callback_resource(const struct vgpu_resource *resource);
void ct_record_operation(const struct vgpu_op *op);
void ct_record_call(const struct vgpu_call *call);
void ct_record_sync(const struct vgpu_sync *sync);
void ct_record_overhead(const struct vgpu_overhead *overhead);
void ct_record_resource(const struct vgpu_resource *resource);
void ct_record_device(int device);
void ct_deliver_full(void);
void ct_forget_subscriber(void);
void ct_forget_activities(void);

enum ct_attribute { CT_ZEROED = 5, CT_PER_THREAD = 9 };
uint64_t ct_attribute(enum ct_attribute attribute);
void ct_forget_attributes(void);

/* Every exported entry opens with ENTER and closes with LEAVE. */
void ct_enter(void);
int ct_leave(int result);

#endif
