/* A job in C++: its calls come from a method, its kernel is a template. It sleeps between its calls,
 * so that the stalls are worth a look. Linked with the C++ library and without. */
#include <unistd.h>

extern "C" {
#include "../preload/job_cuda.h"
}

namespace probe {
struct Trainer {
    void *device = nullptr;
    char host[4096] = {0};
    int symbol = 0;
    void step(int times);
    void open();
};
} // namespace probe

void probe::Trainer::open()
{
    static struct {
        int magic, version;
        const void *data;
        void *unused;
    } wrapper = {0x466243b1, 1, "", nullptr};
    static char name[] = "_ZN5probe6kernelIfEEvPT_";
    void **handle = __cudaRegisterFatBinary(&wrapper);
    __cudaRegisterFunction(handle, reinterpret_cast<const char *>(&symbol), name, name, -1, nullptr,
                           nullptr, nullptr, nullptr, nullptr);
    __cudaRegisterFatBinaryEnd(handle);
    cudaMalloc(&device, sizeof(host));
}

__attribute__((noinline)) void probe::Trainer::step(int times)
{
    job_dim3 grid = {4096, 1, 1}, block = {256, 1, 1};
    void *args[] = {&device};
    for (int i = 0; i < times; i++) {
        usleep(20000);
        cudaMemcpy(device, host, sizeof(host), JOB_H2D); // MARK
        cudaLaunchKernel(&symbol, grid, block, args, 0, nullptr);
        cudaDeviceSynchronize();
    }
}

int main()
{
    probe::Trainer trainer;
    trainer.open();
    trainer.step(20);
    return 0;
}
