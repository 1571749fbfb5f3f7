/* The exported driver functions, expanded from the table: each tells the tracer its entry and exit
 * around its implementation. Also the look-up by name.
 * Threads: any. May not: do work of its own. */
#include "vgpu_driver.h"
#include "vgpu_trace.h"

#include <stdio.h>
#include <string.h>

static const char *kernel_name(const void *handle)
{
    const struct vg_function *function = handle;
    return function != NULL && function->magic == VG_FUNCTION_MAGIC ? function->name : NULL;
}

/* Whether the call works before cuInit and after the teardown. */
static bool always(const char *name)
{
    static const char *const names[] = {
        "cuInit",           "cuDriverGetVersion", "cuGetErrorName",     "cuGetErrorString",
        "cuGetProcAddress", "cuGetExportTable",   "cuGetProcAddress_v2"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp(name, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

static bool enter(struct vgpu_call *call, int *result)
{
    if (vg_driver_state() != VG_SUCCESS && !always(call->name)) {
        *result = vg_driver_state();
        return false;
    }
    vg_call_enter(call);
    return true;
}

#define SYMBOL_NONE(a)     NULL
#define SYMBOL_FUNCTION(a) kernel_name((a).f)
#define CALL(impl, sym, count, list, function, id, thread)                                         \
    VGPU_API int function(VG_PARAMS(count, list));                                                 \
    int function(VG_PARAMS(count, list))                                                           \
    {                                                                                              \
        struct vg_a_##impl a = {VG_NAMES(count, list)};                                            \
        struct vgpu_call call = {.domain = VGPU_DOMAIN_DRIVER, .cbid = id, .name = #function};     \
        int result = VG_SUCCESS;                                                                   \
        call.params = &a;                                                                          \
        call.symbol = SYMBOL_##sym(a);                                                             \
        if (!enter(&call, &result)) {                                                              \
            return result;                                                                         \
        }                                                                                          \
        return vg_call_leave(&call, vg_do_##impl(&a, thread));                                     \
    }
#define DRV1(impl, sym, count, list, name, cbid) CALL(impl, sym, count, list, name, cbid, false)
#define DRV2(impl, sym, count, list, name, cbid, name2, cbid2)                                     \
    CALL(impl, sym, count, list, name, cbid, false)                                                \
    CALL(impl, sym, count, list, name2, cbid2, true)
#include "vgpu_driver_calls.def"
#undef DRV1
#undef DRV2

struct entry {
    const char *name;
    void (*function)(void);
};

static const struct entry entries[] = {
#define DRV1(impl, sym, count, list, name, cbid) {#name, (void (*)(void))name},
#define DRV2(impl, sym, count, list, name, cbid, name2, cbid2)                                     \
    {#name, (void (*)(void))name}, {#name2, (void (*)(void))name2},
#include "vgpu_driver_calls.def"
#undef DRV1
#undef DRV2
};

static void *exact(const char *name)
{
    for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++) {
        if (strcmp(entries[i].name, name) == 0) {
            void *function = NULL;
            memcpy(&function, &entries[i].function, sizeof(function));
            return function;
        }
    }
    return NULL;
}

void *vg_driver_entry(const char *name, bool per_thread)
{
    /* Newest version first, as the real look-up resolves a plain name. */
    static const char *const versions[] = {"_v2", ""};
    static const char *const threads[] = {"_ptsz", "_ptds", ""};
    char full[128];
    for (size_t v = 0; v < 2; v++) {
        for (size_t t = per_thread ? 0 : 2; t < 3; t++) {
            snprintf(full, sizeof(full), "%s%s%s", name, versions[v], threads[t]);
            void *function = exact(full);
            if (function != NULL) {
                return function;
            }
        }
    }
    return NULL;
}
