/* The few facts of the CUDA runtime's ABI that wrappers and records need, in our own words so that
 * the build needs no toolkit. tests/preload/abi_real.c compares them with the vendor's headers.
 * Threads: plain data. May not: be included outside src/cuda and src/collect. */
#ifndef WI_CUDA_CUDA_ABI_H
#define WI_CUDA_CUDA_ABI_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

/* Return values that are acted upon (cudaError_t and CUresult agree on them). */
enum wi_cuda_error {
    WI_CUDA_SUCCESS = 0,
    WI_CUDA_INIT_ERROR = 3,
    WI_CUDA_STUB_LIBRARY = 34,
    WI_CUDA_INSUFFICIENT_DRIVER = 35,
    WI_CUDA_NO_DEVICE = 100,
    WI_CUDA_NOT_READY = 600, /* the answer "not yet" of a query, no failure */
    WI_CUDA_UNKNOWN = 999
};

struct wi_dim3 {
    unsigned x, y, z;
};
struct wi_extent {
    size_t width, height, depth;
};
struct wi_pitched {
    void *ptr;
    size_t pitch, xsize, ysize;
};
struct wi_location {
    int type, id;
};
/* cudaLaunchConfig_t; CUlaunchConfig has the stream at the same place. */
struct wi_launch_config {
    struct wi_dim3 grid, block;
    size_t shared;
    void *stream;
};
/* cudaMemcpy3DParms */
struct wi_copy3d {
    void *src_array;
    size_t src_pos[3];
    struct wi_pitched src;
    void *dst_array;
    size_t dst_pos[3];
    struct wi_pitched dst;
    struct wi_extent extent;
    int kind;
};

static_assert(sizeof(struct wi_dim3) == 12, "dim3 is passed by value");
static_assert(sizeof(struct wi_extent) == 24, "cudaExtent is passed by value");
static_assert(sizeof(struct wi_pitched) == 32, "cudaPitchedPtr is passed by value");
static_assert(sizeof(struct wi_location) == 8, "cudaMemLocation is passed by value");
static_assert(offsetof(struct wi_launch_config, stream) == 32, "both launch configurations");
static_assert(offsetof(struct wi_copy3d, extent) == 128, "cudaMemcpy3DParms");
static_assert(offsetof(struct wi_copy3d, kind) == 152, "cudaMemcpy3DParms");

/* Stream handles with a meaning of their own. */
#define WI_STREAM_LEGACY     1u
#define WI_STREAM_PER_THREAD 2u

#endif
