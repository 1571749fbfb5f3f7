/* Compares our own ABI headers with the vendor's. Compiled only where the vendor's are installed
 * (CUDA_HOME or /usr/local/cuda); every comparison is a static assertion, so building is the test.
 * Threads: none. */
#include <stddef.h>
#include <stdio.h>

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <cupti.h>
#include <nvtx3/nvToolsExt.h>

#include "cuda/call_table.h"
#include "cuda/cupti_abi.h"
#include "cuda/nvtx_abi.h"

#define SAME_OFFSET(ours, mine, theirs, yours)                                                     \
    _Static_assert(offsetof(struct ours, mine) == offsetof(theirs, yours), #ours "." #mine)
#define SAME_VALUE(mine, yours) _Static_assert((int)(mine) == (int)(yours), #mine)

SAME_VALUE(sizeof(struct wi_dim3), sizeof(dim3));
SAME_VALUE(sizeof(struct wi_extent), sizeof(struct cudaExtent));
SAME_VALUE(sizeof(struct wi_pitched), sizeof(struct cudaPitchedPtr));
SAME_VALUE(sizeof(struct wi_location), sizeof(struct cudaMemLocation));
SAME_OFFSET(wi_launch_config, stream, cudaLaunchConfig_t, stream);
SAME_OFFSET(wi_launch_config, stream, CUlaunchConfig, hStream);
SAME_OFFSET(wi_copy3d, extent, struct cudaMemcpy3DParms, extent);
SAME_OFFSET(wi_copy3d, kind, struct cudaMemcpy3DParms, kind);
SAME_VALUE(WI_CUDA_NOT_READY, cudaErrorNotReady);
SAME_VALUE(WI_CUDA_UNKNOWN, cudaErrorUnknown);
SAME_VALUE(WI_CUDA_NO_DEVICE, cudaErrorNoDevice);
SAME_VALUE(WI_CUDA_INSUFFICIENT_DRIVER, cudaErrorInsufficientDriver);
SAME_VALUE(WI_CUDA_STUB_LIBRARY, cudaErrorStubLibrary);
SAME_VALUE(WI_CUDA_INIT_ERROR, cudaErrorInitializationError);

SAME_VALUE(WI_CUPTI_MAX_LIMIT, CUPTI_ERROR_MAX_LIMIT_REACHED);
SAME_VALUE(WI_CUPTI_NOT_COMPATIBLE, CUPTI_ERROR_NOT_COMPATIBLE);
SAME_VALUE(WI_CUPTI_NOT_INITIALIZED, CUPTI_ERROR_NOT_INITIALIZED);
SAME_VALUE(WI_CUPTI_PRIVILEGES, CUPTI_ERROR_INSUFFICIENT_PRIVILEGES);
SAME_VALUE(WI_CUPTI_MULTIPLE_SUBSCRIBERS, CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
SAME_VALUE(WI_CUPTI_ATTR_PER_THREAD_BUFFER, CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER);
SAME_VALUE(WI_CUPTI_THREAD_ID_SYSTEM, CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM);
SAME_VALUE(WI_CUPTI_FLUSH_FORCED, CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
SAME_VALUE(WI_KIND_GRAPH_TRACE, CUPTI_ACTIVITY_KIND_GRAPH_TRACE);
SAME_VALUE(WI_KIND_MEMCPY2, CUPTI_ACTIVITY_KIND_MEMCPY2);
SAME_VALUE(WI_KIND_OVERHEAD, CUPTI_ACTIVITY_KIND_OVERHEAD);
SAME_VALUE(WI_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
SAME_VALUE(WI_OVERHEAD_COMPILER, CUPTI_ACTIVITY_OVERHEAD_DRIVER_COMPILER);
SAME_VALUE(WI_OVERHEAD_MODULE_LOADING, CUPTI_ACTIVITY_OVERHEAD_RUNTIME_TRIGGERED_MODULE_LOADING);
SAME_VALUE(WI_OVERHEAD_FUNCTION_LOADING, CUPTI_ACTIVITY_OVERHEAD_LAZY_FUNCTION_LOADING);
SAME_VALUE(WI_OVERHEAD_QUEUE_FULL, CUPTI_ACTIVITY_OVERHEAD_COMMAND_BUFFER_FULL);
SAME_VALUE(WI_OVERHEAD_BUFFER_REQUEST, CUPTI_ACTIVITY_OVERHEAD_ACTIVITY_BUFFER_REQUEST);
SAME_VALUE(WI_OBJECT_THREAD, CUPTI_ACTIVITY_OBJECT_THREAD);
SAME_VALUE(WI_OVERHEAD_BUFFER_FLUSH, CUPTI_ACTIVITY_OVERHEAD_CUPTI_BUFFER_FLUSH);
SAME_VALUE(WI_OVERHEAD_INSTRUMENTATION, CUPTI_ACTIVITY_OVERHEAD_CUPTI_INSTRUMENTATION);
SAME_VALUE(WI_OVERHEAD_RESOURCE, CUPTI_ACTIVITY_OVERHEAD_CUPTI_RESOURCE);

SAME_OFFSET(wi_cupti_call, params, CUpti_CallbackData, functionParams);
SAME_OFFSET(wi_cupti_call, result, CUpti_CallbackData, functionReturnValue);
SAME_OFFSET(wi_cupti_call, context_uid, CUpti_CallbackData, contextUid);
SAME_OFFSET(wi_cupti_call, corr, CUpti_CallbackData, correlationId);

SAME_VALUE(sizeof(struct wi_nvtx_attributes), sizeof(nvtxEventAttributes_t));
SAME_OFFSET(wi_nvtx_attributes, size, nvtxEventAttributes_t, size);
SAME_OFFSET(wi_nvtx_attributes, message_type, nvtxEventAttributes_t, messageType);
SAME_OFFSET(wi_nvtx_attributes, message, nvtxEventAttributes_t, message);
SAME_OFFSET(wi_nvtx_callbacks, table, NvtxExportTableCallbacks, GetModuleFunctionTable);
SAME_VALUE(WI_NVTX_TABLE_CALLBACKS, NVTX_ETID_CALLBACKS);
SAME_VALUE(WI_NVTX_CORE, NVTX_CB_MODULE_CORE);
SAME_VALUE(WI_NVTX_CORE2, NVTX_CB_MODULE_CORE2);
SAME_VALUE(WI_NVTX_ASCII, NVTX_MESSAGE_TYPE_ASCII);
SAME_VALUE(WI_NVTX_UNICODE, NVTX_MESSAGE_TYPE_UNICODE);
SAME_VALUE(WI_NVTX_REGISTERED, NVTX_MESSAGE_TYPE_REGISTERED);
SAME_VALUE(WI_NVTX_NO_TRACKING, NVTX_NO_PUSH_POP_TRACKING);
#define NVTX_SLOT(module, index, name) SAME_VALUE(index, NVTX_CBID_##module##_##name);
#include "cuda/nvtx_slots.def"
#undef NVTX_SLOT

#define KERNEL(mine, yours) SAME_OFFSET(wi_rec_kernel, mine, CUpti_ActivityKernel9, yours)
KERNEL(registers, registersPerThread);
KERNEL(start, start);
KERNEL(end, end);
KERNEL(device, deviceId);
KERNEL(stream, streamId);
KERNEL(grid, gridX);
KERNEL(block, blockX);
KERNEL(static_shared, staticSharedMemory);
KERNEL(corr, correlationId);
KERNEL(name, name);
KERNEL(graph_node, graphNodeId);
#define COPY(mine, yours) SAME_OFFSET(wi_rec_copy, mine, CUpti_ActivityMemcpy5, yours)
COPY(copy_kind, copyKind);
COPY(dst_kind, dstKind);
COPY(bytes, bytes);
COPY(start, start);
COPY(device, deviceId);
COPY(stream, streamId);
COPY(corr, correlationId);
COPY(graph_node, graphNodeId);
#define PEER(mine, yours) SAME_OFFSET(wi_rec_peer, mine, CUpti_ActivityMemcpyPtoP4, yours)
PEER(start, start);
PEER(src_device, srcDeviceId);
PEER(dst_device, dstDeviceId);
PEER(corr, correlationId);
PEER(graph_node, graphNodeId);
#define MEMSET(mine, yours) SAME_OFFSET(wi_rec_memset, mine, CUpti_ActivityMemset4, yours)
MEMSET(bytes, bytes);
MEMSET(start, start);
MEMSET(corr, correlationId);
MEMSET(memory_kind, memoryKind);
MEMSET(graph_node, graphNodeId);
SAME_OFFSET(wi_rec_graph, corr, CUpti_ActivityGraphTrace2, correlationId);
SAME_OFFSET(wi_rec_graph, start, CUpti_ActivityGraphTrace2, start);
SAME_OFFSET(wi_rec_graph, stream, CUpti_ActivityGraphTrace2, streamId);
SAME_OFFSET(wi_rec_api, thread, CUpti_ActivityAPI, threadId);
SAME_OFFSET(wi_rec_api, corr, CUpti_ActivityAPI, correlationId);
SAME_OFFSET(wi_rec_overhead, overhead, CUpti_ActivityOverhead3, overheadKind);
SAME_OFFSET(wi_rec_overhead, object, CUpti_ActivityOverhead3, objectKind);
SAME_OFFSET(wi_rec_overhead, object_id, CUpti_ActivityOverhead3, objectId);
SAME_OFFSET(wi_rec_overhead, start, CUpti_ActivityOverhead3, start);
SAME_OFFSET(wi_rec_context, context, CUpti_ActivityContext3, contextId);
SAME_OFFSET(wi_rec_context, device, CUpti_ActivityContext3, deviceId);
#define DEVICE(mine, yours) SAME_OFFSET(wi_rec_device, mine, CUpti_ActivityDevice5, yours)
DEVICE(memory_bytes, globalMemorySize);
DEVICE(sms, numMultiprocessors);
DEVICE(warps_per_sm, maxWarpsPerMultiprocessor);
DEVICE(blocks_per_sm, maxBlocksPerMultiprocessor);
DEVICE(shared_per_sm, maxSharedMemoryPerMultiprocessor);
DEVICE(registers_per_sm, maxRegistersPerMultiprocessor);
DEVICE(id, id);
DEVICE(uuid, uuid);
DEVICE(name, name);

/* The parameter structures CUPTI passes, where a member is read. */
SAME_OFFSET(wi_args_LAUNCH, stream, cudaLaunchKernel_v7000_params, stream);
SAME_OFFSET(wi_args_COPY_ASYNC, stream, cudaMemcpyAsync_v3020_params, stream);
SAME_OFFSET(wi_args_COPY_ASYNC, kind, cudaMemcpyAsync_v3020_params, kind);
SAME_OFFSET(wi_args_COPY2D_ASYNC, stream, cudaMemcpy2DAsync_v3020_params, stream);
SAME_OFFSET(wi_args_COPY_SYMBOL_ASYNC, stream, cudaMemcpyToSymbolAsync_v3020_params, stream);
SAME_OFFSET(wi_args_COPY_PEER_ASYNC, stream, cudaMemcpyPeerAsync_v4000_params, stream);
SAME_OFFSET(wi_args_BATCH, stream, cudaMemcpyBatchAsync_v13000_params, stream);
SAME_OFFSET(wi_args_BATCH3D, stream, cudaMemcpy3DBatchAsync_v13000_params, stream);
SAME_OFFSET(wi_args_PREFETCH, stream, cudaMemPrefetchAsync_v12020_params, stream);
SAME_OFFSET(wi_args_SET_ASYNC, stream, cudaMemsetAsync_v3020_params, stream);
SAME_OFFSET(wi_args_SET2D_ASYNC, stream, cudaMemset2DAsync_v3020_params, stream);
SAME_OFFSET(wi_args_SET3D_ASYNC, stream, cudaMemset3DAsync_v3020_params, stream);
SAME_OFFSET(wi_args_SET3D_ASYNC, extent, cudaMemset3DAsync_v3020_params, extent);
SAME_OFFSET(wi_args_ALLOC_POOL, stream, cudaMallocFromPoolAsync_v11020_params, stream);
SAME_OFFSET(wi_args_D_LAUNCH, stream, cuLaunchKernel_params, hStream);
SAME_OFFSET(wi_args_LAUNCH_EX, config, cuLaunchKernelEx_params, config);
SAME_OFFSET(wi_args_D_H2D_ASYNC, stream, cuMemcpyHtoDAsync_v2_params, hStream);
SAME_OFFSET(wi_args_D_PEER_ASYNC, stream, cuMemcpyPeerAsync_params, hStream);
SAME_OFFSET(wi_args_D_SET_ASYNC, stream, cuMemsetD8Async_params, hStream);
SAME_OFFSET(wi_args_D_SET2D_ASYNC, stream, cuMemsetD2D8Async_params, hStream);
SAME_OFFSET(wi_args_D_SET2D_ASYNC, height, cuMemsetD2D8Async_params, Height);
SAME_OFFSET(wi_args_BATCH_FAIL, stream, cuMemcpyBatchAsync_params, hStream);
SAME_OFFSET(wi_args_BATCH3D_FAIL, stream, cuMemcpy3DBatchAsync_params, hStream);

/* cbid and name belong together, for every row that has a number. */
static int same_names(void)
{
    int bad = 0;
    for (int id = 0; id < WI_CALL_IDS; id++) {
        const struct wi_call_info *row = &wi_call_rows[id];
        const char *name = NULL;
        if (!row->cbid)
            continue;
        if (cuptiGetCallbackName((CUpti_CallbackDomain)row->domain, row->cbid, &name) != 0)
            name = "(none)";
        size_t len = 0;
        while (name[len] && name[len] == wi_call_name(id)[len])
            len++;
        int version = name[len] == '_' && name[len + 1] == 'v'; /* cudaMalloc_v3020 */
        if (wi_call_name(id)[len] || (name[len] && !version)) {
            printf("%s has the number of %s\n", wi_call_name(id), name);
            bad = 1;
        }
    }
    return bad;
}

int main(void)
{
    return same_names();
}
