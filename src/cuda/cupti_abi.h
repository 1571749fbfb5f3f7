/* The part of CUPTI's ABI that is used, in our own words (no toolkit needed to build): functions,
 * the callback's data, and the prefixes of activity records that every version since CUDA 11.0
 * shares. Whether a record has a field beyond the oldest size is decided by its measured stride
 * (cuda/cupti_lib.h). tests/preload/abi_real.c compares all of it with the vendor's headers.
 * Threads: plain data. May not: be included outside src/cuda and src/collect. */
#ifndef WI_CUDA_CUPTI_ABI_H
#define WI_CUDA_CUPTI_ABI_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

enum wi_cupti_result {
    WI_CUPTI_SUCCESS = 0,
    WI_CUPTI_MAX_LIMIT = 12,      /* second subscriber, before CUDA 11 */
    WI_CUPTI_NOT_COMPATIBLE = 14, /* another client uses the subscriber-scoped calls */
    WI_CUPTI_NOT_INITIALIZED = 15,
    WI_CUPTI_PRIVILEGES = 35,
    WI_CUPTI_MULTIPLE_SUBSCRIBERS = 39,
    WI_CUPTI_CONFIDENTIAL = 41,
    WI_CUPTI_UNKNOWN = 999
};

enum wi_cupti_domain { WI_CUPTI_DRIVER = 1, WI_CUPTI_RUNTIME = 2 };
enum wi_cupti_site { WI_CUPTI_ENTER = 0, WI_CUPTI_EXIT = 1 };

/* CUpti_CallbackData */
struct wi_cupti_call {
    int site;
    const char *function;
    const void *params;
    void *result;
    const char *symbol;
    void *context;
    uint32_t context_uid;
    uint64_t *correlation_data;
    uint32_t corr;
};

enum wi_cupti_kind {
    WI_KIND_MEMCPY = 1,
    WI_KIND_MEMSET = 2,
    WI_KIND_DRIVER = 4,
    WI_KIND_RUNTIME = 5,
    WI_KIND_DEVICE = 8,
    WI_KIND_CONTEXT = 9,
    WI_KIND_CONCURRENT_KERNEL = 10,
    WI_KIND_OVERHEAD = 17,
    WI_KIND_MEMCPY2 = 22,
    WI_KIND_GRAPH_TRACE = 51
};

#define WI_CUPTI_FLUSH_FORCED           1u
#define WI_CUPTI_ATTR_PER_THREAD_BUFFER 9
#define WI_CUPTI_THREAD_ID_SYSTEM       1

/* Records are aligned to 8 bytes and laid out naturally. */
struct wi_rec_kernel {
    uint32_t kind;
    uint8_t cache_config, shared_config;
    uint16_t registers;
    uint32_t cache_requested, cache_executed;
    uint64_t start, end, completed;
    uint32_t device, context, stream;
    int32_t grid[3], block[3];
    int32_t static_shared, dynamic_shared;
    uint32_t local_thread, local_total;
    uint32_t corr;
    int64_t grid_id;
    const char *name;
    void *reserved;
    uint64_t queued, submitted;
    uint8_t launch_type, carveout_requested, carveout, pad;
    uint32_t shared_executed;
    uint64_t graph_node; /* from CUDA 11.0: the oldest size this struct is used with */
};
struct wi_rec_copy {
    uint32_t kind;
    uint8_t copy_kind, src_kind, dst_kind, flags;
    uint64_t bytes, start, end;
    uint32_t device, context, stream, corr, runtime_corr, pad;
    void *reserved;
    uint64_t graph_node;
};
struct wi_rec_peer {
    uint32_t kind;
    uint8_t copy_kind, src_kind, dst_kind, flags;
    uint64_t bytes, start, end;
    uint32_t device, context, stream;
    uint32_t src_device, src_context, dst_device, dst_context;
    uint32_t corr;
    void *reserved;
    uint64_t graph_node;
};
struct wi_rec_memset {
    uint32_t kind, value;
    uint64_t bytes, start, end;
    uint32_t device, context, stream, corr;
    uint16_t flags, memory_kind;
    uint32_t pad;
    void *reserved;
    uint64_t graph_node;
};
struct wi_rec_graph {
    uint32_t kind, corr;
    uint64_t start, end;
    uint32_t device, graph, context, stream;
};
struct wi_rec_api {
    uint32_t kind, cbid;
    uint64_t start, end;
    uint32_t process, thread, corr, result;
};
struct wi_rec_overhead {
    uint32_t kind, overhead, object;
    uint32_t object_id[3]; /* of a thread: process, thread */
    uint64_t start, end;
};
struct wi_rec_context {
    uint32_t kind, context, device;
    uint16_t api, null_stream;
};
struct wi_rec_device {
    uint32_t kind, flags;
    uint64_t bandwidth, memory_bytes;
    uint32_t constant_bytes, l2_bytes, warp_threads, clock, copy_engines;
    uint32_t sms, max_ipc, warps_per_sm, blocks_per_sm;
    uint32_t shared_per_sm, registers_per_sm, registers_per_block, shared_per_block;
    uint32_t threads_per_block, block_dim[3], grid_dim[3];
    uint32_t capability_major, capability_minor;
    uint32_t id, ecc;
    uint8_t uuid[16];
    const char *name;
};

static_assert(offsetof(struct wi_cupti_call, corr) == 64, "CUpti_CallbackData");
static_assert(offsetof(struct wi_rec_kernel, start) == 16, "kernel record");
static_assert(offsetof(struct wi_rec_kernel, grid) == 52, "kernel record");
static_assert(offsetof(struct wi_rec_kernel, corr) == 92, "kernel record");
static_assert(offsetof(struct wi_rec_kernel, name) == 104, "kernel record");
static_assert(offsetof(struct wi_rec_kernel, graph_node) == 144, "kernel record");
static_assert(offsetof(struct wi_rec_copy, corr) == 44, "copy record");
static_assert(offsetof(struct wi_rec_copy, graph_node) == 64, "copy record");
static_assert(offsetof(struct wi_rec_peer, corr) == 60, "peer copy record");
static_assert(offsetof(struct wi_rec_memset, corr) == 44, "memset record");
static_assert(sizeof(struct wi_rec_graph) == 40, "graph record");
static_assert(sizeof(struct wi_rec_api) == 40, "API record");
static_assert(offsetof(struct wi_rec_device, id) == 112, "device record");
static_assert(offsetof(struct wi_rec_device, name) == 136, "device record");

/* CUpti_ActivityOverheadKind; those above 3 << 16 since CUDA 12.3 (loading) and 12.4. */
enum wi_overhead {
    WI_OVERHEAD_COMPILER = 1,
    WI_OVERHEAD_BUFFER_FLUSH = 1 << 16,
    WI_OVERHEAD_INSTRUMENTATION = 2 << 16,
    WI_OVERHEAD_RESOURCE = 3 << 16,
    WI_OVERHEAD_MODULE_LOADING = 4 << 16,
    WI_OVERHEAD_FUNCTION_LOADING = 5 << 16,
    WI_OVERHEAD_QUEUE_FULL = 6 << 16,
    WI_OVERHEAD_BUFFER_REQUEST = 7 << 16
};
#define WI_OBJECT_THREAD 2 /* CUpti_ActivityObjectKind */

typedef void (*wi_cupti_callback)(void *user, int domain, uint32_t cbid,
                                  const struct wi_cupti_call *call);
typedef void (*wi_cupti_requested)(uint8_t **buffer, size_t *size, size_t *max_records);
typedef void (*wi_cupti_completed)(void *context, uint32_t stream, uint8_t *buffer, size_t size,
                                   size_t valid);

#endif
