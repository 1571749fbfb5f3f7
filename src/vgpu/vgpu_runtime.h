/* The stand-in runtime's parts: the driver's functions, the current device of each thread, the
 * registered kernels and variables.
 * Threads: any. May not: know the device model; everything goes through the driver. */
#ifndef VGPU_RUNTIME_H
#define VGPU_RUNTIME_H

#include "vgpu_args.h"
#include "vgpu_core.h"

/* Runtime error codes that do not come from the driver. */
enum {
    RT_SUCCESS = 0,
    RT_INVALID_VALUE = 1,
    RT_INVALID_CONFIGURATION = 9,
    RT_INVALID_SYMBOL = 13,
    RT_INVALID_COPY_KIND = 21,
    RT_INSUFFICIENT_DRIVER = 35,
    RT_INVALID_DEVICE_FUNCTION = 98,
    RT_INVALID_DEVICE = 101,
    RT_NOT_SUPPORTED = 801,
};

struct vg_dim3 {
    uint32_t x, y, z;
};

/* A launch configuration as cudaLaunchKernelExC takes it. */
struct vg_runtime_config {
    struct vg_dim3 grid, block;
    size_t shared_bytes;
    void *stream;
    void *attributes;
    uint32_t attribute_count;
};

/* The driver's functions; [1] is the per-thread-default-stream variant. */
struct rt_driver {
    const struct vgpu_core *core;
#define USE1(field, types, name)        int(*field) types;
#define USE2(field, types, name, name2) int(*field[2]) types;
#include "vgpu_runtime_driver.def"
#undef USE1
#undef USE2
};

/* The one struct of arguments and the one implementation of every call. */
#define RT1(impl, symbol, count, list, name, cbid, version)                                        \
    struct rt_a_##impl {                                                                           \
        VG_FIELDS(count, list)                                                                     \
    };                                                                                             \
    int rt_do_##impl(const struct rt_a_##impl *a, bool per_thread);
#define RT2(impl, symbol, count, list, name, cbid, version, name2, cbid2, version2)                \
    RT1(impl, symbol, count, list, name, cbid, version)
#include "vgpu_runtime_calls.def"
#undef RT1
#undef RT2

/* Loads and initialises the driver; 0 or a runtime error. */
int rt_load(const struct rt_driver **driver);
/* The same, and makes sure that this thread has a context. */
int rt_ready(const struct rt_driver **driver);
int rt_set_device(int device);
int rt_device(void);
void rt_forget_device(int device); /* after a reset */

/* The driver's handle for a kernel's host address or handle; 0 or a runtime error. */
int rt_function(const void *kernel, void **function);
/* The kernel's name as registered; NULL: not a registered kernel. */
const char *rt_function_name(const void *kernel);
/* Device memory of a registered variable; 0 or a runtime error. */
int rt_symbol(const void *symbol, void **address, size_t *bytes);

/* Notes an error for cudaGetLastError; returns it. */
int rt_note(int error);

/* Fetches the driver, and a context, or returns the error. */
#define LOAD(d)                                                                                    \
    const struct rt_driver *d = NULL;                                                              \
    do {                                                                                           \
        int load_error = rt_load(&d);                                                              \
        (void)per_thread;                                                                          \
        if (load_error != RT_SUCCESS) {                                                            \
            return load_error;                                                                     \
        }                                                                                          \
    } while (0)
#define READY(d)                                                                                   \
    const struct rt_driver *d = NULL;                                                              \
    do {                                                                                           \
        int ready_error = rt_ready(&d);                                                            \
        (void)per_thread;                                                                          \
        if (ready_error != RT_SUCCESS) {                                                           \
            return ready_error;                                                                    \
        }                                                                                          \
    } while (0)

#endif
