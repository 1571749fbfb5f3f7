/* The exported runtime functions, expanded from the table: each tells the tracer its entry and exit
 * around its implementation and notes its error.
 * Threads: any. May not: do work of its own. */
#include "vgpu_runtime.h"

static const struct vgpu_core *begin(struct vgpu_call *call)
{
    const struct rt_driver *driver = NULL;
    if (rt_load(&driver) != RT_SUCCESS) {
        return NULL; /* no driver, no subscriber */
    }
    driver->core->call_enter(call);
    return driver->core;
}

static int end(const struct vgpu_core *core, struct vgpu_call *call, int result)
{
    if (core != NULL) {
        core->call_leave(call, result);
    }
    return rt_note(result);
}

#define SYMBOL_NONE(a)     NULL
#define SYMBOL_FUNCTION(a) rt_function_name((a).func)
#define CALL(impl, sym, count, list, function, id, thread)                                         \
    VGPU_API int function(VG_PARAMS(count, list));                                                 \
    int function(VG_PARAMS(count, list))                                                           \
    {                                                                                              \
        struct rt_a_##impl a = {VG_NAMES(count, list)};                                            \
        struct vgpu_call call = {.domain = VGPU_DOMAIN_RUNTIME, .cbid = id, .name = #function};    \
        call.params = &a;                                                                          \
        call.symbol = SYMBOL_##sym(a);                                                             \
        const struct vgpu_core *core = begin(&call);                                               \
        return end(core, &call, rt_do_##impl(&a, thread));                                         \
    }
#define RT1(impl, sym, count, list, name, cbid, version)                                           \
    CALL(impl, sym, count, list, name, cbid, false)
#define RT2(impl, sym, count, list, name, cbid, version, name2, cbid2, version2)                   \
    CALL(impl, sym, count, list, name, cbid, false)                                                \
    CALL(impl, sym, count, list, name2, cbid2, true)
#include "vgpu_runtime_calls.def"
#undef RT1
#undef RT2

/* What the launch stubs of newer nvcc call; the real library's are jumps to the public functions.
 */
#if VGPU_MAJOR >= 12
VGPU_API int __cudaLaunchKernel(const void *kernel, struct vg_dim3 grid, struct vg_dim3 block,
                                void **args, size_t shared_bytes, void *stream);
int __cudaLaunchKernel(const void *kernel, struct vg_dim3 grid, struct vg_dim3 block, void **args,
                       size_t shared_bytes, void *stream)
{
    return cudaLaunchKernel(kernel, grid, block, args, shared_bytes, stream);
}

VGPU_API int __cudaLaunchKernel_ptsz(const void *kernel, struct vg_dim3 grid, struct vg_dim3 block,
                                     void **args, size_t shared_bytes, void *stream);
int __cudaLaunchKernel_ptsz(const void *kernel, struct vg_dim3 grid, struct vg_dim3 block,
                            void **args, size_t shared_bytes, void *stream)
{
    return cudaLaunchKernel_ptsz(kernel, grid, block, args, shared_bytes, stream);
}
#endif
