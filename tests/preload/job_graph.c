/* Captures launches into a graph on one stream, and on a second one that joins the capture through
 * an event, then launches the graph.
 *   job_graph KERNELS LAUNCHES
 * Threads: one. */
#include <stdio.h>
#include <stdlib.h>

#include "job_cuda.h"

int cudaStreamBeginCapture(void *stream, int mode);
int cudaStreamEndCapture(void *stream, void **graph);
int cudaGraphInstantiate(void **exec, void *graph, unsigned long long flags);
int cudaGraphLaunch(void *exec, void *stream);
int cudaEventCreateWithFlags(void **event, unsigned flags);
int cudaEventRecord(void *event, void *stream);
int cudaStreamWaitEvent(void *stream, void *event, unsigned flags);

static char kernel_symbol;

static void register_kernel(void)
{
    static struct {
        int magic, version;
        const void *data;
        void *unused;
    } wrapper = {0x466243b1, 1, "", NULL};
    void **module = __cudaRegisterFatBinary(&wrapper);
    __cudaRegisterFunction(module, &kernel_symbol, (char *)"graph_kernel", "graph_kernel", -1, NULL,
                           NULL, NULL, NULL, NULL);
    __cudaRegisterFatBinaryEnd(module);
}

static int launch(void *stream, int times)
{
    struct job_dim3 grid = {432, 1, 1}, block = {256, 1, 1};
    long value = 0;
    void *args[] = {&value, NULL};
    int failed = 0;
    for (int i = 0; i < times; i++)
        failed += cudaLaunchKernel(&kernel_symbol, grid, block, args, 0, stream) != 0;
    return failed;
}

int main(int argc, char **argv)
{
    int kernels = argc > 1 ? atoi(argv[1]) : 1, launches = argc > 2 ? atoi(argv[2]) : 1;
    void *first, *second, *fork, *join, *graph, *exec;
    register_kernel();
    int failed = cudaStreamCreateWithFlags(&first, 1) != 0;
    failed += cudaStreamCreateWithFlags(&second, 1) != 0;
    failed += cudaEventCreateWithFlags(&fork, 2) != 0;
    failed += cudaEventCreateWithFlags(&join, 2) != 0;
    failed += cudaStreamBeginCapture(first, 0) != 0;
    failed += launch(first, kernels);
    failed += cudaEventRecord(fork, first) != 0;
    failed += cudaStreamWaitEvent(second, fork, 0) != 0;
    failed += launch(second, kernels);
    failed += cudaEventRecord(join, second) != 0;
    failed += cudaStreamWaitEvent(first, join, 0) != 0;
    failed += cudaStreamEndCapture(first, &graph) != 0;
    failed += cudaGraphInstantiate(&exec, graph, 0) != 0;
    for (int i = 0; i < launches; i++)
        failed += cudaGraphLaunch(exec, first) != 0;
    failed += launch(second, kernels);
    failed += cudaDeviceSynchronize() != 0;
    printf("failed %d\n", failed);
    return failed != 0;
}
