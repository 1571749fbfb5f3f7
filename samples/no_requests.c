/* A server that is asked ten times a second and needs 10 ms for an answer.
 * Expected: no-work/no-requests.
 * Threads: one; the client is a process of its own. */
#include "client.h"
#include "gpu.h"
#include "step.h"

int main(void)
{
    float answer;

    if (client_start(1, 90 * STEP_MS) || gpu_init())
        return 1;
    void *device = gpu_alloc(sizeof(answer));
    while (step_more()) {
        client_take();
        step_run(10, STEP_MS);
        gpu_download(&answer, device, sizeof(answer));
        client_answer();
    }
    return 0;
}
