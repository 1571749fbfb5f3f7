/* Linked to the runtime under another name.
 * Threads: one. */
#include <stdio.h>

#include "job_cuda.h"

int main(void)
{
    void *ptr = NULL;
    int failed = 0;
    for (int i = 0; i < 5; i++)
        failed += cudaMalloc(&ptr, 4096) != 0 || cudaFree(ptr) != 0;
    printf("failed %d, too much %d\n", failed, cudaMalloc(&ptr, 5000));
    return 0;
}
