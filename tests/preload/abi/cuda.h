/* The few names of the CUDA driver's header that the vendor's cupti_activity.h mentions, so that
 * the record layouts of any version can be compiled from its wheel alone. Threads: none. May not:
 * be used where the toolkit's own header is wanted. */
#ifndef WI_TESTS_ABI_CUDA_H
#define WI_TESTS_ABI_CUDA_H

#include <stddef.h>
#include <stdint.h>

#define CUDAAPI
#define CUDA_VERSION 13000

typedef int CUresult, CUdevice;
typedef struct CUctx_st *CUcontext;
typedef struct CUevent_st *CUevent;
typedef struct CUaccessPolicyWindow_st CUaccessPolicyWindow;
typedef struct CUstream_st *CUstream;
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphNode_st *CUgraphNode;
typedef struct CUgraphExec_st *CUgraphExec;
typedef struct CUfunc_st *CUfunction;
typedef struct CUmod_st *CUmodule;
typedef struct {
    char bytes[16];
} CUuuid;
typedef uint64_t cuuint64_t;
typedef uint32_t cuuint32_t;
typedef unsigned CUmemAllocationHandleType;
typedef int CUgraphNodeType, CUstreamAttrID;
typedef union CUstreamAttrValue_un CUstreamAttrValue;
typedef int CUfunc_cache, CUsharedconfig, CUdevice_attribute;

#endif
