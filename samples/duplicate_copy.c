/* Each kernel is given the same large table anew, though the device has had it since the first.
 * Expected: transfer/duplicate-copy.
 * Threads: one. */
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "step.h"

#define TABLE_BYTES (16 << 20)

int main(void)
{
    char *table = malloc(TABLE_BYTES);
    if (!table || gpu_init())
        return 1;
    memset(table, 1, TABLE_BYTES);
    void *device = gpu_alloc(TABLE_BYTES);
    while (step_more()) {
        gpu_upload(device, table, TABLE_BYTES);
        step_run(2, STEP_MS);
    }
    gpu_sync();
    return 0;
}
