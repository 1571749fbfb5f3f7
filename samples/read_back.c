/* A number is read back in every step, and only then the next step is prepared: a loss that is
 * printed, or the next token of a text.
 * Expected: transfer/read-back-sync.
 * Threads: one. */
#include "gpu.h"
#include "step.h"

int main(void)
{
    float loss;

    if (gpu_init())
        return 1;
    void *device = gpu_alloc(sizeof(loss));
    while (step_more()) {
        step_run(20, STEP_MS / 10);
        gpu_download(&loss, device, sizeof(loss));
        step_burn(STEP_MS * 8 / 10);
    }
    return 0;
}
