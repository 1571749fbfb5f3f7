/* The few runtime functions the test jobs call, declared as the vendor declares them (a C program
 * compiled with the toolkit's headers calls the same symbols).
 * Threads: any. */
#ifndef WI_TESTS_PRELOAD_JOB_CUDA_H
#define WI_TESTS_PRELOAD_JOB_CUDA_H

#include <stddef.h>

struct job_dim3 {
    unsigned x, y, z;
};

enum { JOB_H2D = 1, JOB_D2H = 2, JOB_D2D = 3 };

int cudaMalloc(void **ptr, size_t size);
int cudaFree(void *ptr);
int cudaMallocHost(void **ptr, size_t size);
int cudaFreeHost(void *ptr);
int cudaMemcpy(void *dst, const void *src, size_t count, int kind);
int cudaMemcpyAsync(void *dst, const void *src, size_t count, int kind, void *stream);
int cudaMemcpyPeer(void *dst, int dst_device, const void *src, int src_device, size_t count);
int cudaMemset(void *ptr, int value, size_t count);
int cudaMemsetAsync(void *ptr, int value, size_t count, void *stream);
int cudaDeviceSynchronize(void);
int cudaStreamCreateWithFlags(void **stream, unsigned flags);
int cudaStreamSynchronize(void *stream);
int cudaStreamQuery(void *stream);
int cudaStreamDestroy(void *stream);
int cudaLaunchKernel(const void *func, struct job_dim3 grid, struct job_dim3 block, void **args,
                     size_t shared, void *stream);
int cudaSetDevice(int device);
int cudaGetLastError(void);
int cudaGetDeviceCount(int *count);
void **__cudaRegisterFatBinary(void *fat);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                            int limit, void *tid, void *bid, struct job_dim3 *block,
                            struct job_dim3 *grid, int *warp);

#endif
