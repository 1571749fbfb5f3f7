/* The newest (13.0) layouts of the activity records the model writes. Older versions are prefixes.
 * Threads: none. May not: lose or move a field; offsets are the ABI. */
#ifndef VGPU_CUPTI_RECORDS_H
#define VGPU_CUPTI_RECORDS_H

#include <stddef.h>
#include <stdint.h>

struct ct_kernel {
    uint32_t kind;
    uint8_t cache_config, shared_config;
    uint16_t registers;
    uint32_t partition_requested, partition_executed;
    uint64_t start, end, completed;
    uint32_t device, context, stream;
    int32_t grid[3], block[3], shared_static, shared_dynamic;
    uint32_t local_per_thread, local_total, correlation;
    int64_t grid_id;
    const char *name;
    void *reserved;
    uint64_t queued, submitted;
    uint8_t launch_type, carveout_requested, carveout, padding;
    uint32_t shared_executed;
    uint64_t graph_node_id;
    uint32_t shared_limit, graph_id;
    void *access_policy;
    uint32_t channel, channel_type, cluster[3], cluster_policy;
    uint64_t local_total_v2;
    uint32_t max_potential_cluster, max_active_clusters;
    uint8_t device_launched, padding2[7];
};
_Static_assert(sizeof(struct ct_kernel) == 216, "kernel record");
_Static_assert(offsetof(struct ct_kernel, grid) == 52, "kernel record");
_Static_assert(offsetof(struct ct_kernel, correlation) == 92, "kernel record");
_Static_assert(offsetof(struct ct_kernel, name) == 104, "kernel record");
_Static_assert(offsetof(struct ct_kernel, graph_node_id) == 144, "kernel record");
_Static_assert(offsetof(struct ct_kernel, graph_id) == 156, "kernel record");
_Static_assert(offsetof(struct ct_kernel, device_launched) == 208, "kernel record");

struct ct_memcpy {
    uint32_t kind;
    uint8_t copy_kind, source_kind, target_kind, flags;
    uint64_t bytes, start, end;
    uint32_t device, context, stream, correlation, runtime_correlation, padding;
    void *reserved;
    uint64_t graph_node_id;
    uint32_t graph_id, channel, channel_type;
    uint8_t device_launched, padding2[3];
    uint64_t copy_count;
};
_Static_assert(sizeof(struct ct_memcpy) == 96, "memcpy record");
_Static_assert(offsetof(struct ct_memcpy, graph_node_id) == 64, "memcpy record");
_Static_assert(offsetof(struct ct_memcpy, copy_count) == 88, "memcpy record");

struct ct_peer_memcpy {
    uint32_t kind;
    uint8_t copy_kind, source_kind, target_kind, flags;
    uint64_t bytes, start, end;
    uint32_t device, context, stream, source_device, source_context, target_device, target_context;
    uint32_t correlation;
    void *reserved;
    uint64_t graph_node_id;
    uint32_t graph_id, channel, channel_type, padding;
};
_Static_assert(sizeof(struct ct_peer_memcpy) == 96, "peer memcpy record");

struct ct_memset {
    uint32_t kind, value;
    uint64_t bytes, start, end;
    uint32_t device, context, stream, correlation;
    uint16_t flags, memory_kind;
    uint32_t padding;
    void *reserved;
    uint64_t graph_node_id;
    uint32_t graph_id, channel, channel_type;
    uint8_t device_launched, padding2[3];
};
_Static_assert(sizeof(struct ct_memset) == 88, "memset record");

struct ct_api {
    uint32_t kind, cbid;
    uint64_t start, end;
    uint32_t process, thread, correlation, result;
};
_Static_assert(sizeof(struct ct_api) == 40, "api record");

struct ct_synchronization {
    uint32_t kind, type;
    uint64_t start, end;
    uint32_t correlation, context, stream, event;
    uint64_t event_sync;
    uint32_t result, padding;
};
_Static_assert(sizeof(struct ct_synchronization) == 56, "synchronization record");

struct ct_overhead {
    uint32_t kind, overhead_kind, object_kind, object[3]; /* object of a thread: process, thread */
    uint64_t start, end;
    uint32_t correlation, reserved;
    void *data;
};
_Static_assert(sizeof(struct ct_overhead) == 56, "overhead record");

struct ct_graph {
    uint32_t kind, correlation;
    uint64_t start, end;
    uint32_t device, graph, context, stream;
    void *reserved;
    uint32_t end_device, end_context;
};
_Static_assert(sizeof(struct ct_graph) == 56, "graph record");

struct ct_context {
    uint32_t kind, context, device;
    uint16_t api, null_stream;
    uint32_t parent;
    uint8_t green, padding;
    uint16_t multiprocessors;
    uint32_t cig_mode, padding2;
};
_Static_assert(sizeof(struct ct_context) == 32, "context record");

struct ct_device {
    uint32_t kind, flags;
    uint64_t bandwidth, memory_bytes;
    uint32_t constant_bytes, l2_bytes, warp, clock_khz, copy_engines, multiprocessors, ipc;
    uint32_t warps_per_sm, blocks_per_sm, shared_per_sm, registers_per_sm, registers_per_block;
    uint32_t shared_per_block, threads_per_block, block[3], grid[3], major, minor, id, ecc;
    uint8_t uuid[16];
    const char *name;
    uint8_t visible, mig, reserved[6];
    uint32_t gpu_instance, compute_instance;
    uint8_t mig_uuid[16];
    uint32_t numa, numa_id;
};
_Static_assert(sizeof(struct ct_device) == 184, "device record");

#endif
