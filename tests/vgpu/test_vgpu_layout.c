/* Compares the stand-ins' structs and callback ids with the vendor's headers, at compile time.
 * Where there are no headers the program says so and exits with 77. Threads: none. May not: compare
 * with anything but the real headers. */
#include <stdio.h>

#if defined(__has_include)
#if __has_include(<cupti.h>)
#define HAVE_HEADERS 1
#endif
#endif

#ifdef HAVE_HEADERS
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <cupti.h>
/* The headers turn these into their newest versions; the table has both. */
#undef cuMemcpyBatchAsync
#undef cuMemPrefetchAsync
#undef cuStreamBeginCapture
#undef cuMemcpy2D
#if CUDART_VERSION >= 13000 && CUDART_VERSION < 13010
#define COMPARE 1
#endif
#endif

#ifdef COMPARE
#include "vgpu_cupti.h"
#include "vgpu_cupti_records.h"
#include "vgpu_driver.h"
#include "vgpu_runtime.h"

#define SAME_SIZE(ours, theirs) _Static_assert(sizeof(ours) == sizeof(theirs), #ours)
#define SAME_PLACE(ours, field, theirs, real)                                                      \
    _Static_assert(offsetof(ours, field) == offsetof(theirs, real), #ours "." #field)

/* Arguments: every call of the tables with at least one. */
#define PARAMS_0(ours, theirs)
#define PARAMS_1(ours, theirs) SAME_SIZE(struct ours, theirs);
#define PARAMS_2               PARAMS_1
#define PARAMS_3               PARAMS_1
#define PARAMS_4               PARAMS_1
#define PARAMS_5               PARAMS_1
#define PARAMS_6               PARAMS_1
#define PARAMS_7               PARAMS_1
#define PARAMS_8               PARAMS_1
#define PARAMS_9               PARAMS_1
#define PARAMS_10              PARAMS_1
#define PARAMS_11              PARAMS_1

#define RT1(impl, symbol, count, list, name, cbid, version)                                        \
    PARAMS_##count(rt_a_##impl, name##_v##version##_params) _Static_assert(                        \
        CUPTI_RUNTIME_TRACE_CBID_##name##_v##version == cbid, #name);
#define RT2(impl, symbol, count, list, name, cbid, version, name2, cbid2, version2)                \
    RT1(impl, symbol, count, list, name, cbid, version)                                            \
    RT1(impl, symbol, count, list, name2, cbid2, version2)
#include "vgpu_runtime_calls.def"
#undef RT1
#undef RT2

#define DRV1(impl, symbol, count, list, name, cbid)                                                \
    PARAMS_##count(vg_a_##impl,                                                                    \
                   name##_params) _Static_assert(CUPTI_DRIVER_TRACE_CBID_##name == cbid, #name);
#define DRV2(impl, symbol, count, list, name, cbid, name2, cbid2)                                  \
    DRV1(impl, symbol, count, list, name, cbid)                                                    \
    DRV1(impl, symbol, count, list, name2, cbid2)
#include "vgpu_driver_calls.def"
#undef DRV1
#undef DRV2

SAME_PLACE(struct rt_a_launch, block, cudaLaunchKernel_v7000_params, blockDim);
SAME_PLACE(struct rt_a_launch, stream, cudaLaunchKernel_v7000_params, stream);
SAME_PLACE(struct rt_a_copy_async, bytes, cudaMemcpyAsync_v3020_params, count);
SAME_PLACE(struct rt_a_copy_async, stream, cudaMemcpyAsync_v3020_params, stream);
SAME_PLACE(struct vg_a_launch, stream, cuLaunchKernel_params, hStream);
SAME_SIZE(struct vg_launch_config, CUlaunchConfig);
SAME_PLACE(struct vg_launch_config, stream, CUlaunchConfig, hStream);
SAME_SIZE(struct vg_runtime_config, cudaLaunchConfig_t);
SAME_PLACE(struct vg_runtime_config, stream, cudaLaunchConfig_t, stream);
SAME_SIZE(struct vg_copy_2d, CUDA_MEMCPY2D);
SAME_PLACE(struct vg_copy_2d, target_device, CUDA_MEMCPY2D, dstDevice);
SAME_PLACE(struct vg_copy_2d, width, CUDA_MEMCPY2D, WidthInBytes);

/* Records. */
SAME_SIZE(struct ct_kernel, CUpti_ActivityKernel10);
SAME_PLACE(struct ct_kernel, registers, CUpti_ActivityKernel10, registersPerThread);
SAME_PLACE(struct ct_kernel, start, CUpti_ActivityKernel10, start);
SAME_PLACE(struct ct_kernel, device, CUpti_ActivityKernel10, deviceId);
SAME_PLACE(struct ct_kernel, grid, CUpti_ActivityKernel10, gridX);
SAME_PLACE(struct ct_kernel, shared_dynamic, CUpti_ActivityKernel10, dynamicSharedMemory);
SAME_PLACE(struct ct_kernel, correlation, CUpti_ActivityKernel10, correlationId);
SAME_PLACE(struct ct_kernel, name, CUpti_ActivityKernel10, name);
SAME_PLACE(struct ct_kernel, graph_node_id, CUpti_ActivityKernel10, graphNodeId);
SAME_PLACE(struct ct_kernel, graph_id, CUpti_ActivityKernel10, graphId);
SAME_SIZE(struct ct_memcpy, CUpti_ActivityMemcpy6);
SAME_PLACE(struct ct_memcpy, bytes, CUpti_ActivityMemcpy6, bytes);
SAME_PLACE(struct ct_memcpy, correlation, CUpti_ActivityMemcpy6, correlationId);
SAME_PLACE(struct ct_memcpy, graph_id, CUpti_ActivityMemcpy6, graphId);
SAME_PLACE(struct ct_memcpy, copy_count, CUpti_ActivityMemcpy6, copyCount);
SAME_SIZE(struct ct_peer_memcpy, CUpti_ActivityMemcpyPtoP4);
SAME_PLACE(struct ct_peer_memcpy, correlation, CUpti_ActivityMemcpyPtoP4, correlationId);
SAME_PLACE(struct ct_peer_memcpy, source_device, CUpti_ActivityMemcpyPtoP4, srcDeviceId);
SAME_SIZE(struct ct_memset, CUpti_ActivityMemset4);
SAME_PLACE(struct ct_memset, memory_kind, CUpti_ActivityMemset4, memoryKind);
SAME_PLACE(struct ct_memset, graph_id, CUpti_ActivityMemset4, graphId);
SAME_SIZE(struct ct_api, CUpti_ActivityAPI);
SAME_PLACE(struct ct_api, correlation, CUpti_ActivityAPI, correlationId);
SAME_SIZE(struct ct_synchronization, CUpti_ActivitySynchronization2);
SAME_PLACE(struct ct_synchronization, stream, CUpti_ActivitySynchronization2, streamId);
SAME_SIZE(struct ct_overhead, CUpti_ActivityOverhead3);
SAME_PLACE(struct ct_overhead, start, CUpti_ActivityOverhead3, start);
SAME_PLACE(struct ct_overhead, object, CUpti_ActivityOverhead3, objectId);
SAME_SIZE(struct ct_graph, CUpti_ActivityGraphTrace2);
SAME_PLACE(struct ct_graph, graph, CUpti_ActivityGraphTrace2, graphId);
SAME_SIZE(struct ct_context, CUpti_ActivityContext3);
SAME_PLACE(struct ct_context, null_stream, CUpti_ActivityContext3, nullStreamId);
SAME_SIZE(struct ct_device, CUpti_ActivityDevice5);
SAME_PLACE(struct ct_device, multiprocessors, CUpti_ActivityDevice5, numMultiprocessors);
SAME_PLACE(struct ct_device, id, CUpti_ActivityDevice5, id);
SAME_PLACE(struct ct_device, uuid, CUpti_ActivityDevice5, uuid);
SAME_PLACE(struct ct_device, name, CUpti_ActivityDevice5, name);

/* Device properties of the newest layout. */
struct vg_uuid {
    uint8_t bytes[16];
};
#define FIELD_ANY(type, name, elements) type name[elements];
#define FIELD_OLD(type, name, elements)
#define FIELD_NEW FIELD_ANY
struct properties {
#define PROPERTY(when, type, name, elements, attributes) FIELD_##when(type, name, elements)
#include "vgpu_properties.def"
#undef PROPERTY
};
#define CHECK_ANY(name) SAME_PLACE(struct properties, name, struct cudaDeviceProp, name);
#define CHECK_OLD(name)
#define CHECK_NEW                                        CHECK_ANY
#define PROPERTY(when, type, name, elements, attributes) CHECK_##when(name)
#include "vgpu_properties.def"
#undef PROPERTY
SAME_SIZE(struct properties, struct cudaDeviceProp);

/* Numbers. */
#define KIND(number, name, v11, v12, v13)                                                          \
    _Static_assert((int)CUPTI_ACTIVITY_KIND_##name == number, #name);
#include "vgpu_cupti_kinds.def"
#undef KIND
_Static_assert((int)CUPTI_ERROR_MAX_LIMIT_REACHED == CT_MAX_LIMIT_REACHED, "result");
_Static_assert((int)CUPTI_ERROR_NOT_COMPATIBLE == CT_NOT_COMPATIBLE, "result");
_Static_assert((int)CUPTI_ERROR_INVALID_KIND == CT_INVALID_KIND, "result");
_Static_assert((int)CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED == CT_MULTIPLE_SUBSCRIBERS,
               "result");
_Static_assert((int)CUPTI_ACTIVITY_OVERHEAD_COMMAND_BUFFER_FULL == VGPU_OVERHEAD_QUEUE_FULL,
               "overhead");
_Static_assert((int)CUPTI_ACTIVITY_OVERHEAD_DRIVER_COMPILER == VGPU_OVERHEAD_COMPILER, "overhead");
_Static_assert((int)CUPTI_ACTIVITY_OVERHEAD_RUNTIME_TRIGGERED_MODULE_LOADING ==
                   VGPU_OVERHEAD_MODULE_LOADING,
               "overhead");
_Static_assert((int)CUPTI_ACTIVITY_OVERHEAD_LAZY_FUNCTION_LOADING == VGPU_OVERHEAD_FUNCTION_LOADING,
               "overhead");
_Static_assert((int)CUPTI_ACTIVITY_MEMORY_KIND_PINNED == VGPU_MEM_PINNED, "memory kind");
_Static_assert((int)CUPTI_ACTIVITY_MEMCPY_KIND_PTOP == VGPU_PTOP, "copy kind");
_Static_assert((int)CUPTI_CBID_RESOURCE_MODULE_LOADED == VGPU_MODULE_LOADED, "resource");

int main(void)
{
    puts("the layouts and ids agree with the headers");
    return 0;
}
#else
int main(void)
{
    puts("skipped: no CUDA 13.0 headers");
    return 77;
}
#endif
