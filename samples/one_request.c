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

    if (client_start(20, 8 * STEP_MS) || gpu_init())
        return 1;
    void *device = gpu_alloc(sizeof(answer));
    while (step_more()) {
        client_take();
        step_burn(11 * STEP_MS); /* decode its image */
        step_run(10, STEP_MS / 5);
        gpu_download(&answer, device, sizeof(answer));
        client_answer();
    }
    return 0;
}
