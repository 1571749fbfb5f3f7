/* Buffers are released and allocated again in every step.
 * Expected: host/allocator.
 * Threads: one. */
#include "gpu.h"
#include "step.h"

#define BUFFERS      20
#define BUFFER_BYTES (4 << 20)

int main(void)
{
    void *buffer[BUFFERS];

    if (gpu_init())
        return 1;
    while (step_more()) {
        for (int i = 0; i < BUFFERS; i++)
            buffer[i] = gpu_alloc(BUFFER_BYTES);
        step_run(5, STEP_MS);
        for (int i = 0; i < BUFFERS; i++)
            gpu_free(buffer[i]);
    }
    return 0;
}
