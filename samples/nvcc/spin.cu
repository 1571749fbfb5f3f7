// A small job for the virtual or a real GPU: copies, kernels on two streams, an event between them
// and a read-back, then a check of the bytes that came back.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        cudaError_t error = (call);                                                                \
        if (error != cudaSuccess) {                                                                \
            std::printf("%s: %s\n", #call, cudaGetErrorString(error));                             \
            std::exit(1);                                                                          \
        }                                                                                          \
    } while (0)

__device__ int factor;

// Runs for about `ns`: the virtual GPU reads it from the first argument.
__global__ void spin_ns(unsigned long long ns)
{
    unsigned long long start, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
    do {
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    } while (now - start < ns);
}

int main()
{
    const int count = 1 << 16;
    const size_t bytes = count * sizeof(int);
    int *host, *device, *copy, seven = 7, back = 0;
    cudaStream_t first, second;
    cudaEvent_t begin, end;
    float ms = 0;
    CHECK(cudaMallocHost(&host, bytes));
    CHECK(cudaMalloc(&device, bytes));
    CHECK(cudaMalloc(&copy, bytes));
    CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    for (int i = 0; i < count; i++) {
        host[i] = i;
    }
    CHECK(cudaMemcpyToSymbol(factor, &seven, sizeof(seven)));
    CHECK(cudaMemcpyFromSymbol(&back, factor, sizeof(back)));
    CHECK(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, first));
    CHECK(cudaEventRecord(begin, first));
    spin_ns<<<8, 128, 0, first>>>(2000000ull);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(end, first));
    CHECK(cudaStreamWaitEvent(second, end, 0));
    CHECK(cudaMemcpyAsync(copy, device, bytes, cudaMemcpyDeviceToDevice, second));
    CHECK(cudaMemsetAsync(host, 0, 0, second));
    CHECK(cudaStreamSynchronize(second));
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    for (int i = 0; i < count; i++) {
        host[i] = -1;
    }
    CHECK(cudaMemcpy(host, copy, bytes, cudaMemcpyDeviceToHost));
    long long sum = 0;
    for (int i = 0; i < count; i++) {
        sum += host[i];
    }
    std::printf("sum %lld factor %d kernel %s\n", sum, back,
                ms > 1.9 && ms < 4 ? "about 2 ms" : "of unexpected length");
    return 0;
}
