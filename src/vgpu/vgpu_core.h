/* The private contract between the stand-in driver, runtime and CUPTI: what an API call and a
 * device operation look like to a tracer, and the table the driver hands out for it.
 * Threads: all functions of the table may be called from any thread. May not: be used by the
 * product; real libraries have nothing like it. */
#ifndef VGPU_CORE_H
#define VGPU_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VGPU_API         __attribute__((visibility("default")))
#define VGPU_NAME        "whyidle virtual GPU"
#define VGPU_MAX_DEVICES 16

/* Callback domains, numbered as CUPTI does. */
enum { VGPU_DOMAIN_DRIVER = 1, VGPU_DOMAIN_RUNTIME = 2, VGPU_DOMAIN_RESOURCE = 3 };

/* Resource callback ids, numbered as CUPTI does. */
enum {
    VGPU_CONTEXT_CREATED = 1,
    VGPU_CONTEXT_DESTROYED = 2,
    VGPU_STREAM_CREATED = 3,
    VGPU_STREAM_DESTROYED = 4,
    VGPU_INIT_FINISHED = 5,
    VGPU_MODULE_LOADED = 6,
    VGPU_MODULE_UNLOADED = 7,
};

/* One API call in flight; lives on the caller's stack from enter to leave. */
struct vgpu_call {
    int domain;
    uint32_t cbid;
    const char *name;
    const void *params; /* the struct of arguments, laid out as CUPTI documents it */
    const char *symbol; /* the kernel's name, NULL when none is launched */
    struct vgpu_call *outer;
    uint32_t correlation; /* the outermost call's, as CUPTI gives nested driver calls */
    uint32_t context_id;
    void *context;
    uint64_t enter_ns;
    uint64_t data; /* the subscriber's, kept between enter and leave */
    int result;
    bool entered; /* the tracer saw the entry, so it gets the exit */
};

enum vgpu_op_kind { VGPU_KERNEL, VGPU_COPY, VGPU_MEMSET, VGPU_GRAPH };

/* Memory kinds and copy kinds, numbered as CUPTI does. */
enum { VGPU_MEM_PAGEABLE = 1, VGPU_MEM_PINNED = 2, VGPU_MEM_DEVICE = 3, VGPU_MEM_MANAGED = 5 };
enum { VGPU_HTOD = 1, VGPU_DTOH = 2, VGPU_DTOD = 8, VGPU_HTOH = 9, VGPU_PTOP = 10 };

/* A device operation with its times, which may lie in the future. */
struct vgpu_op {
    enum vgpu_op_kind kind;
    uint32_t device, context_id, stream_id, correlation;
    uint64_t start_ns, end_ns, queued_ns;
    uint32_t graph_id; /* 0: not part of a graph */
    uint64_t graph_node_id;
    const char *name; /* kernels only; lives as long as the process */
    uint32_t grid[3], block[3], shared_static, shared_dynamic, registers;
    uint64_t bytes, copies; /* copies: more than one in a batch */
    uint32_t value;         /* memsets only */
    uint8_t copy_kind, source_kind, target_kind, asynchronous;
    uint32_t source_device, target_device;
};

/* Synchronisation types, numbered as CUPTI does. */
enum { VGPU_SYNC_EVENT = 1, VGPU_SYNC_WAIT_EVENT = 2, VGPU_SYNC_STREAM = 3, VGPU_SYNC_CONTEXT = 4 };

struct vgpu_sync {
    uint32_t type, correlation, context_id, stream_id, event_id;
    uint64_t start_ns, end_ns;
};

/* Overhead kinds, numbered as CUPTI does. */
enum {
    VGPU_OVERHEAD_COMPILER = 1,
    VGPU_OVERHEAD_MODULE_LOADING = 4 << 16,
    VGPU_OVERHEAD_FUNCTION_LOADING = 5 << 16,
    VGPU_OVERHEAD_QUEUE_FULL = 6 << 16
};

struct vgpu_overhead {
    uint32_t kind, correlation, thread;
    uint64_t start_ns, end_ns;
};

struct vgpu_resource {
    uint32_t cbid, device, context_id;
    void *context, *stream;
    uint32_t module_id;
};

/* What a tracer is told. Called with no lock of the driver held, in the calling thread, or in the
 * host-function thread for operations that had to wait for a host function. */
struct vgpu_tracer {
    void (*enter)(struct vgpu_call *call);
    void (*leave)(struct vgpu_call *call);
    void (*operation)(const struct vgpu_op *op);
    void (*sync)(const struct vgpu_sync *sync);
    void (*overhead)(const struct vgpu_overhead *overhead);
    void (*resource)(const struct vgpu_resource *resource);
};

struct vgpu_device_info {
    char name[64];
    uint8_t uuid[16];
    uint64_t memory_bytes, used_bytes, bandwidth_bytes_per_s;
    uint32_t sms, clock_mhz, busy_percent; /* busy: share of the last 250 ms with a kernel */
    uint32_t context_id;                   /* of the primary context; 0 while there is none */
    int machine_device;                    /* the ordinal without CUDA_VISIBLE_DEVICES */
};

struct vgpu_core {
    uint32_t size_bytes;
    void (*call_enter)(struct vgpu_call *call);
    int (*call_leave)(struct vgpu_call *call, int result);
    /* The driver serves one tracer: false while another is there. NULL: none any more. */
    bool (*set_tracer)(const struct vgpu_tracer *tracer);
    int (*device_info)(int device, struct vgpu_device_info *info); /* 0, or -1: no such device */
    /* The same by the machine's ordinal, hidden devices too. */
    int (*machine_device_info)(int machine_device, struct vgpu_device_info *info);
    uint32_t (*stream_id)(void *context, void *stream, bool per_thread);
    uint32_t (*context_id)(void *context);
    int (*context_device)(void *context);
    void *(*current_context)(void);
    const char *(*function_name)(const void *function); /* NULL: no kernel's handle */
    bool (*torn_down)(void);                            /* the driver's own exit handler has run */
};

/* The id of the table for cuGetExportTable. */
#define VGPU_CORE_UUID "whyidle-vgpu-v1" /* 15 letters and the ending 0 */

/* The table, or NULL when no stand-in driver can be opened. */
const struct vgpu_core *vgpu_core_open(void);

#endif
