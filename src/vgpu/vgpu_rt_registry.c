/* What nvcc's generated code registers: fat binaries, kernels, variables, launch configurations.
 * Threads: any; mostly constructors before main. May not: call the driver at registration, modules
 * load when first used. */
#include "vgpu_runtime.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 1024, CONFIGURATIONS = 8 };

struct binary {
    const void *image;
    void *modules[VGPU_MAX_DEVICES];
};

struct symbol {
    const void *host;
    const char *name;
    struct binary *binary;
    void *functions[VGPU_MAX_DEVICES]; /* kernels only */
    size_t bytes;                      /* variables only */
    uint64_t address[VGPU_MAX_DEVICES];
    struct symbol *next;
};

static struct {
    pthread_mutex_t lock;
    struct symbol *buckets[BUCKETS];
} state = {.lock = PTHREAD_MUTEX_INITIALIZER};

static __thread struct {
    struct vg_dim3 grid, block;
    size_t shared_bytes;
    void *stream;
} configurations[CONFIGURATIONS];
static __thread int configuration_count;

static struct symbol **bucket(const void *host)
{
    return &state.buckets[((uintptr_t)host >> 4) % BUCKETS];
}

static struct symbol *find(const void *host)
{
    pthread_mutex_lock(&state.lock);
    struct symbol *symbol = *bucket(host);
    while (symbol != NULL && symbol->host != host) {
        symbol = symbol->next;
    }
    pthread_mutex_unlock(&state.lock);
    return symbol;
}

static void add(const void *host, const char *name, void **handle, size_t bytes)
{
    struct symbol *symbol = calloc(1, sizeof(*symbol));
    if (symbol != NULL) {
        symbol->host = host;
        symbol->name = name;
        symbol->binary = (struct binary *)handle;
        symbol->bytes = bytes;
        pthread_mutex_lock(&state.lock);
        symbol->next = *bucket(host);
        *bucket(host) = symbol;
        pthread_mutex_unlock(&state.lock);
    }
}

VGPU_API void **__cudaRegisterFatBinary(void *image);
void **__cudaRegisterFatBinary(void *image)
{
    struct binary *binary = calloc(1, sizeof(*binary));
    if (binary != NULL) {
        binary->image = image;
    }
    return (void **)binary;
}

VGPU_API void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaRegisterFatBinaryEnd(void **handle)
{
    (void)handle;
}

/* The binary stays: kernels of other threads may still point at it while the process ends. */
VGPU_API void __cudaUnregisterFatBinary(void **handle);
void __cudaUnregisterFatBinary(void **handle)
{
    (void)handle;
}

VGPU_API char __cudaInitModule(void **handle);
char __cudaInitModule(void **handle)
{
    (void)handle;
    return 1;
}

VGPU_API void __cudaRegisterFunction(void **handle, const char *host, char *device,
                                     const char *name, int thread_limit, void *tid, void *bid,
                                     void *block, void *grid, int *warp);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                            int thread_limit, void *tid, void *bid, void *block, void *grid,
                            int *warp)
{
    (void)device, (void)thread_limit, (void)tid, (void)bid, (void)block, (void)grid, (void)warp;
    add(host, name, handle, 0);
}

VGPU_API void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int ext,
                                size_t bytes, int constant, int global);
void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int ext,
                       size_t bytes, int constant, int global)
{
    (void)device, (void)ext, (void)constant, (void)global;
    add(host, name, handle, bytes);
}

VGPU_API unsigned __cudaPushCallConfiguration(struct vg_dim3 grid, struct vg_dim3 block,
                                              size_t shared_bytes, void *stream);
unsigned __cudaPushCallConfiguration(struct vg_dim3 grid, struct vg_dim3 block, size_t shared_bytes,
                                     void *stream)
{
    if (configuration_count == CONFIGURATIONS) {
        return 1;
    }
    configurations[configuration_count].grid = grid;
    configurations[configuration_count].block = block;
    configurations[configuration_count].shared_bytes = shared_bytes;
    configurations[configuration_count++].stream = stream;
    return 0;
}

VGPU_API int __cudaPopCallConfiguration(struct vg_dim3 *grid, struct vg_dim3 *block,
                                        size_t *shared_bytes, void *stream);
int __cudaPopCallConfiguration(struct vg_dim3 *grid, struct vg_dim3 *block, size_t *shared_bytes,
                               void *stream)
{
    if (configuration_count == 0) {
        return rt_note(RT_INVALID_CONFIGURATION);
    }
    configuration_count--;
    *grid = configurations[configuration_count].grid;
    *block = configurations[configuration_count].block;
    *shared_bytes = configurations[configuration_count].shared_bytes;
    memcpy(stream, &configurations[configuration_count].stream, sizeof(void *));
    return RT_SUCCESS;
}

const char *rt_function_name(const void *kernel)
{
    const struct symbol *symbol = find(kernel);
    const char *name = NULL;
    const struct rt_driver *driver = NULL;
    if (symbol != NULL) {
        return symbol->name;
    }
    if (kernel != NULL && rt_load(&driver) == RT_SUCCESS) {
        name = driver->core->function_name(kernel);
    }
    return name;
}

static int load_function(const struct rt_driver *driver, struct symbol *symbol, int device)
{
    int error = RT_SUCCESS;
    void **module = &symbol->binary->modules[device];
    if (*module == NULL) {
        error = driver->module_load(module, symbol->binary->image);
    }
    return error != RT_SUCCESS
               ? error
               : driver->module_function(&symbol->functions[device], *module, symbol->name);
}

/* An address that is not registered may be a kernel handle; the driver checks those. */
int rt_function(const void *kernel, void **function)
{
    const struct rt_driver *driver = NULL;
    int device = 0, error = rt_ready(&driver);
    struct symbol *symbol = error == RT_SUCCESS ? find(kernel) : NULL;
    if (error != RT_SUCCESS || kernel == NULL) {
        return error != RT_SUCCESS ? error : RT_INVALID_DEVICE_FUNCTION;
    }
    if (symbol == NULL) {
        *function = (void *)(uintptr_t)kernel;
        return driver->core->function_name(kernel) != NULL ? RT_SUCCESS
                                                           : RT_INVALID_DEVICE_FUNCTION;
    }
    device = driver->core->context_device(driver->core->current_context());
    pthread_mutex_lock(&state.lock);
    if (symbol->functions[device] == NULL) {
        error = load_function(driver, symbol, device);
    }
    *function = symbol->functions[device];
    pthread_mutex_unlock(&state.lock);
    return error;
}

int rt_symbol(const void *host, void **address, size_t *bytes)
{
    const struct rt_driver *driver = NULL;
    int device = 0, error = rt_ready(&driver);
    struct symbol *symbol = error == RT_SUCCESS ? find(host) : NULL;
    if (symbol == NULL || symbol->bytes == 0) {
        return error != RT_SUCCESS ? error : RT_INVALID_SYMBOL;
    }
    device = driver->core->context_device(driver->core->current_context());
    pthread_mutex_lock(&state.lock);
    if (symbol->address[device] == 0) {
        error = driver->memory_alloc(&symbol->address[device], symbol->bytes);
    }
    *address = (void *)(uintptr_t)symbol->address[device];
    *bytes = symbol->bytes;
    pthread_mutex_unlock(&state.lock);
    return error;
}

#if VGPU_MAJOR >= 12
/* The handle nvcc's launch stubs pass on: the host address itself, which rt_function resolves. */
VGPU_API int __cudaGetKernel(void **kernel, const void *host);
int __cudaGetKernel(void **kernel, const void *host)
{
    *kernel = (void *)(uintptr_t)host;
    return find(host) != NULL ? RT_SUCCESS : rt_note(RT_INVALID_DEVICE_FUNCTION);
}
#endif
