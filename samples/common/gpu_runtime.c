/* gpu.h over the CUDA runtime, with its own declarations of the public calls it uses.
 * Threads: as gpu.h. The calls go through the dynamic linker, so that a preload sees them. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "gpu.h"
#include "gpu_ptx.h"

struct dim3 {
    unsigned x, y, z;
};

enum { TO_DEVICE = 1, TO_HOST = 2 };
enum { ATTRIBUTE_SMS = 16, STREAM_NON_BLOCKING = 1 };

extern int cudaSetDevice(int device);
extern int cudaFree(void *device);
extern int cudaMalloc(void **device, size_t bytes);
extern int cudaMallocHost(void **host, size_t bytes);
extern int cudaFreeHost(void *host);
extern int cudaMemcpy(void *dst, const void *src, size_t bytes, int kind);
extern int cudaMemcpyAsync(void *dst, const void *src, size_t bytes, int kind, void *stream);
extern int cudaDeviceSynchronize(void);
extern int cudaEventCreate(void **event);
extern int cudaEventRecord(void *event, void *stream);
extern int cudaEventSynchronize(void *event);
extern int cudaStreamCreateWithFlags(void **stream, unsigned flags);
extern int cudaDeviceGetAttribute(int *value, int attribute, int device);
extern int cudaLaunchKernel(const void *kernel, struct dim3 grid, struct dim3 block, void **args,
                            size_t shared, void *stream);
extern int cudaLaunchHostFunc(void *stream, void (*function)(void *), void *data);
extern const char *cudaGetErrorString(int error);

typedef int library_load(void **library, const void *code, void *jit_options, void **jit_values,
                         unsigned jit_count, void *options, void **values, unsigned count);
typedef int library_kernel(void **kernel, void *library, const char *name);
typedef int module_load(void **module, const void *image);
typedef int module_function(void **function, void *module, const char *name);
typedef int driver_launch(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                          unsigned by, unsigned bz, unsigned shared, void *stream, void **args,
                          void **extra);
typedef void next_copy_ns(uint64_t ns);

/* dlsym gives an object pointer, as POSIX has it. */
#define SYMBOL(type, library, name) __extension__((type *)dlsym(library, name))

static void *kernels[GPU_KERNELS];
static driver_launch *launch_by_driver; /* NULL: kernels are runtime handles */
static next_copy_ns *set_next_copy;     /* NULL: real silicon */
static int sms;

static void check(int error, const char *call)
{
    if (!error)
        return;
    fprintf(stderr, "%s: %s\n", call, cudaGetErrorString(error));
    exit(1);
}

/* Runtimes before 12.8 cannot load code themselves: the driver does, and launches it. */
static int load_by_driver(const char *ptx)
{
    void *driver = dlopen("libcuda.so.1", RTLD_NOW), *module;

    if (!driver)
        return -1;
    module_load *load = SYMBOL(module_load, driver, "cuModuleLoadData");
    module_function *find = SYMBOL(module_function, driver, "cuModuleGetFunction");
    launch_by_driver = SYMBOL(driver_launch, driver, "cuLaunchKernel");
    if (!load || !find || !launch_by_driver || load(&module, ptx))
        return -1;
    for (int i = 0; i < GPU_KERNELS; i++)
        if (find(&kernels[i], module, gpu_kernel_name[i]))
            return -1;
    return 0;
}

static int load_kernels(const char *ptx)
{
    library_load *load = SYMBOL(library_load, RTLD_DEFAULT, "cudaLibraryLoadData");
    library_kernel *find = SYMBOL(library_kernel, RTLD_DEFAULT, "cudaLibraryGetKernel");
    void *library;

    if (!load || !find)
        return load_by_driver(ptx);
    int error = load(&library, ptx, NULL, NULL, 0, NULL, NULL, 0);
    for (int i = 0; !error && i < GPU_KERNELS; i++)
        error = find(&kernels[i], library, gpu_kernel_name[i]);
    if (error)
        fprintf(stderr, "cudaLibraryLoadData: %s\n", cudaGetErrorString(error));
    return error ? -1 : 0;
}

/* Only the virtual driver has this name; the runtime may have loaded the driver privately. */
static void find_virtual_copy(void)
{
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);

    if (driver)
        set_next_copy = SYMBOL(next_copy_ns, driver, "vgpu_next_copy_ns");
}

int gpu_init(void)
{
    int error = cudaSetDevice(0);

    if (error) {
        fprintf(stderr, "no usable GPU: %s\n", cudaGetErrorString(error));
        return -1;
    }
    find_virtual_copy();
    check(cudaDeviceGetAttribute(&sms, ATTRIBUTE_SMS, 0), "cudaDeviceGetAttribute");
    if (load_kernels(gpu_ptx)) {
        fprintf(stderr, "the kernels cannot be loaded\n");
        return -1;
    }
    return 0;
}

int gpu_is_virtual(void)
{
    return set_next_copy != NULL;
}

int gpu_next_copy_ns(int64_t ns)
{
    if (!set_next_copy)
        return 0;
    set_next_copy((uint64_t)ns);
    return 1;
}

int gpu_sms(void)
{
    return sms;
}

unsigned gpu_full_grid(void)
{
    return 2 * (unsigned)sms;
}

void *gpu_alloc(size_t bytes)
{
    void *device = NULL;

    check(cudaMalloc(&device, bytes), "cudaMalloc");
    return device;
}

void gpu_free(void *device)
{
    check(cudaFree(device), "cudaFree");
}

void *gpu_host_alloc(size_t bytes)
{
    void *host = NULL;

    check(cudaMallocHost(&host, bytes), "cudaMallocHost");
    return host;
}

void gpu_host_free(void *host)
{
    check(cudaFreeHost(host), "cudaFreeHost");
}

void *gpu_stream(void)
{
    void *stream = NULL;

    check(cudaStreamCreateWithFlags(&stream, STREAM_NON_BLOCKING), "cudaStreamCreateWithFlags");
    return stream;
}

void gpu_spin(enum gpu_kernel kernel, int64_t ns, unsigned grid, unsigned block, void *stream)
{
    uint64_t duration = (uint64_t)ns;
    void *args[] = {&duration};
    struct dim3 grid3 = {grid, 1, 1}, block3 = {block, 1, 1};

    if (launch_by_driver)
        check(launch_by_driver(kernels[kernel], grid, 1, 1, block, 1, 1, 0, stream, args, NULL),
              "cuLaunchKernel");
    else
        check(cudaLaunchKernel(kernels[kernel], grid3, block3, args, 0, stream),
              "cudaLaunchKernel");
}

void gpu_upload(void *device, const void *host, size_t bytes)
{
    check(cudaMemcpy(device, host, bytes, TO_DEVICE), "cudaMemcpy");
}

void gpu_upload_async(void *device, const void *host, size_t bytes, void *stream)
{
    check(cudaMemcpyAsync(device, host, bytes, TO_DEVICE, stream), "cudaMemcpyAsync");
}

void gpu_download(void *host, const void *device, size_t bytes)
{
    check(cudaMemcpy(host, device, bytes, TO_HOST), "cudaMemcpy");
}

void gpu_download_async(void *host, const void *device, size_t bytes, void *stream)
{
    check(cudaMemcpyAsync(host, device, bytes, TO_HOST, stream), "cudaMemcpyAsync");
}

void gpu_sync(void)
{
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}

void *gpu_event(void)
{
    void *event = NULL;

    check(cudaEventCreate(&event), "cudaEventCreate");
    return event;
}

void gpu_record(void *event, void *stream)
{
    check(cudaEventRecord(event, stream), "cudaEventRecord");
}

void gpu_await(void *event)
{
    check(cudaEventSynchronize(event), "cudaEventSynchronize");
}

void gpu_load_code(void)
{
    if (!load_kernels(gpu_ptx))
        return;
    fprintf(stderr, "the kernels cannot be loaded again\n");
    exit(1);
}

/* The driver knows compiled text by its bytes, also that of runs before. */
void gpu_compile_code(void)
{
    static char text[sizeof(gpu_ptx) + 64];
    static int version;

    snprintf(text, sizeof(text), "%s// %ld %d\n", gpu_ptx, (long)getpid(), version++);
    if (!load_kernels(text))
        return;
    fprintf(stderr, "the kernels cannot be compiled again\n");
    exit(1);
}

void gpu_host_function(void *stream, void (*function)(void *), void *data)
{
    check(cudaLaunchHostFunc(stream, function, data), "cudaLaunchHostFunc");
}
