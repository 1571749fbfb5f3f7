/* The stand-in driver's parts: life cycle, current context, modules, and the types and structs of
 * arguments of its calls.
 * Threads: any. May not: be used outside libcuda.so.1. */
#ifndef VGPU_DRIVER_H
#define VGPU_DRIVER_H

#include "vgpu_args.h"
#include "vgpu_engine.h"

#include <stdatomic.h>

/* Driver error codes that the model returns. */
enum {
    VG_SUCCESS = 0,
    VG_INVALID_VALUE = 1,
    VG_OUT_OF_MEMORY = 2,
    VG_NOT_INITIALIZED = 3,
    VG_DEINITIALIZED = 4,
    VG_NO_DEVICE = 100,
    VG_INVALID_DEVICE = 101,
    VG_INVALID_IMAGE = 200,
    VG_INVALID_CONTEXT = 201,
    VG_INVALID_HANDLE = 400,
    VG_ILLEGAL_STATE = 401,
    VG_NOT_FOUND = 500,
    VG_NOT_READY = 600,
    VG_HOST_MEMORY_ALREADY_REGISTERED = 712,
    VG_HOST_MEMORY_NOT_REGISTERED = 713,
    VG_NOT_SUPPORTED = 801,
    VG_CAPTURE_UNSUPPORTED = 900,
};

typedef uint64_t vg_address;

/* A launch configuration as cuLaunchKernelEx takes it. */
struct vg_launch_config {
    uint32_t grid[3], block[3], shared_bytes;
    void *stream;
    void *attributes;
    uint32_t attribute_count;
};

/* A two-dimensional copy as cuMemcpy2D takes it. Memory types: 1 host, 2 device, 4 by address. */
struct vg_copy_2d {
    size_t source_x, source_y;
    int source_type;
    const void *source_host;
    vg_address source_device;
    void *source_array;
    size_t source_pitch, target_x, target_y;
    int target_type;
    void *target_host;
    vg_address target_device;
    void *target_array;
    size_t target_pitch, width, height;
};

struct vg_function {
    uint32_t magic;
    char *name;
    struct vg_module *module;
    atomic_bool loaded; /* by its first launch */
    struct vg_function *next;
};

struct vg_module {
    uint32_t magic, id;
    struct vg_function *functions;
    bool open_ended;        /* not PTX text: any kernel name is taken to be inside */
    struct vg_module *next; /* all modules ever loaded */
};

#define VG_FUNCTION_MAGIC 0x7666756eu
#define VG_MODULE_MAGIC   0x766d6f64u

int vg_module_load(const void *image, struct vg_module **module);
void vg_module_unload(struct vg_module *module);
struct vg_function *vg_module_function(struct vg_module *module, const char *name);
int vg_module_function_count(const struct vg_module *module);

/* The one struct of arguments and the one implementation of every call. */
#define DRV1(impl, symbol, count, list, name, cbid)                                                \
    struct vg_a_##impl {                                                                           \
        VG_FIELDS(count, list)                                                                     \
    };                                                                                             \
    int vg_do_##impl(const struct vg_a_##impl *a, bool per_thread);
#define DRV2(impl, symbol, count, list, name, cbid, name2, cbid2)                                  \
    DRV1(impl, symbol, count, list, name, cbid)
#include "vgpu_driver_calls.def"
#undef DRV1
#undef DRV2

/* 0 when calls may run; else the error they return. */
int vg_driver_state(void);
struct vg_context *vg_current_context(void);
bool vg_set_tracer(const struct vgpu_tracer *tracer);
const struct vgpu_core *vg_core_table(void);
/* The exported function of that name, per-thread variant if asked and there is one; NULL: none. */
void *vg_driver_entry(const char *name, bool per_thread);

/* The stream of a call's handle in the current context; NULL: *error says why. */
struct vg_stream *vg_call_stream(void *handle, bool per_thread, int *error);

/* Burns the host time of a call: what this thread was given for its next call, else the model's. */
void vg_burn_call(uint64_t model_ns);
/* Burns host time inside a call. */
void vg_burn(uint64_t host_ns);

#endif
