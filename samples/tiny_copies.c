/* A batch is copied field by field: two hundred copies of a few KiB.
 * Expected: transfer/many-tiny-copies.
 * Threads: one. */
#include "gpu.h"
#include "step.h"

#define FIELDS      200
#define FIELD_BYTES 4096

int main(void)
{
    if (gpu_init())
        return 1;
    char *device = gpu_alloc(FIELDS * FIELD_BYTES), *batch = gpu_host_alloc(FIELDS * FIELD_BYTES);
    while (step_more()) {
        for (int i = 0; i < FIELDS; i++) {
            step_burn(40000);
            gpu_upload_async(device + i * FIELD_BYTES, batch + i * FIELD_BYTES, FIELD_BYTES, NULL);
        }
        step_run(5, STEP_MS);
        gpu_sync();
    }
    return 0;
}
