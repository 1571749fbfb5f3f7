/* A server takes one request, runs the model for it, sends the answer, takes the next: others are
 * waiting meanwhile.
 * Expected: small-batch/unbatched-serving.
 * Threads: one; the client is a process of its own. */
#include "client.h"
#include "gpu.h"
#include "step.h"

int main(void)
{
    float answer;

    if (client_start(0) || gpu_init())
        return 1;
    void *device = gpu_alloc(sizeof(answer));
    while (step_more()) {
        client_take();
        step_burn(2 * STEP_MS); /* parse it */
        step_run(10, STEP_MS / 10);
        gpu_download(&answer, device, sizeof(answer));
        step_burn(STEP_MS / 2); /* format the answer */
    }
    return 0;
}
