/* Driver calls about devices, errors, look-ups and modules, and the private table.
 * Threads: any. May not: wait for the device. */
#include "vgpu_clock.h"
#include "vgpu_config.h"
#include "vgpu_driver.h"
#include "vgpu_memory.h"
#include "vgpu_trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DRIVER_VERSION = 13000 };

static bool no_device(int device)
{
    return vg_machine_device(device) < 0;
}

int vg_do_driver_version(const struct vg_a_driver_version *a, bool per_thread)
{
    (void)per_thread;
    if (a->version == NULL) {
        return VG_INVALID_VALUE;
    }
    *a->version = DRIVER_VERSION;
    return VG_SUCCESS;
}

int vg_do_device_get(const struct vg_a_device_get *a, bool per_thread)
{
    (void)per_thread;
    if (no_device(a->ordinal)) {
        return VG_INVALID_DEVICE;
    }
    *a->device = a->ordinal;
    return VG_SUCCESS;
}

int vg_do_device_count(const struct vg_a_device_count *a, bool per_thread)
{
    (void)per_thread;
    *a->count = vg_device_count();
    return VG_SUCCESS;
}

int vg_do_device_name(const struct vg_a_device_name *a, bool per_thread)
{
    (void)per_thread;
    if (no_device(a->device)) {
        return VG_INVALID_DEVICE;
    }
    snprintf(a->name, (size_t)a->bytes, "%s", VGPU_NAME);
    return VG_SUCCESS;
}

int vg_do_device_memory(const struct vg_a_device_memory *a, bool per_thread)
{
    (void)per_thread;
    if (no_device(a->device)) {
        return VG_INVALID_DEVICE;
    }
    *a->bytes = (size_t)vg_config()->memory_mib << 20;
    return VG_SUCCESS;
}

int vg_do_device_attribute(const struct vg_a_device_attribute *a, bool per_thread)
{
    (void)per_thread;
    if (no_device(a->device)) {
        return VG_INVALID_DEVICE;
    }
    switch (a->attribute) {
#define ATTRIBUTE(id, number, name)                                                                \
    case id:                                                                                       \
        *a->value = (int)(number);                                                                 \
        return VG_SUCCESS;
#include "vgpu_attributes.def"
#undef ATTRIBUTE
    case 33: /* PCI bus: the devices differ here */
        *a->value = vg_machine_device(a->device) + 1;
        return VG_SUCCESS;
    default:
        *a->value = 0;
        return a->attribute > 0 && a->attribute < 160 ? VG_SUCCESS : VG_INVALID_VALUE;
    }
}

static void make_uuid(int machine_device, uint8_t uuid[16])
{
    memcpy(uuid, "whyidle-vgpu-", 13);
    uuid[13] = 0;
    uuid[14] = 0;
    uuid[15] = (uint8_t)machine_device;
}

int vg_do_device_uuid(const struct vg_a_device_uuid *a, bool per_thread)
{
    (void)per_thread;
    if (no_device(a->device)) {
        return VG_INVALID_DEVICE;
    }
    make_uuid(vg_machine_device(a->device), a->uuid);
    return VG_SUCCESS;
}

int vg_do_device_uuid2(const struct vg_a_device_uuid2 *a, bool per_thread)
{
    const struct vg_a_device_uuid same = {a->uuid, a->device};
    return vg_do_device_uuid(&same, per_thread);
}

int vg_do_device_bus_id(const struct vg_a_device_bus_id *a, bool per_thread)
{
    (void)per_thread;
    if (no_device(a->device)) {
        return VG_INVALID_DEVICE;
    }
    snprintf(a->text, (size_t)a->bytes, "0000:%02X:00.0", vg_machine_device(a->device) + 1);
    return VG_SUCCESS;
}

int vg_do_device_can_access_peer(const struct vg_a_device_can_access_peer *a, bool per_thread)
{
    (void)per_thread;
    if (no_device(a->device) || no_device(a->peer)) {
        return VG_INVALID_DEVICE;
    }
    *a->can = a->device != a->peer;
    return VG_SUCCESS;
}

int vg_do_context_enable_peer(const struct vg_a_context_enable_peer *a, bool per_thread)
{
    (void)per_thread;
    return a->peer != NULL ? VG_SUCCESS : VG_INVALID_CONTEXT;
}

int vg_do_context_priorities(const struct vg_a_context_priorities *a, bool per_thread)
{
    (void)per_thread;
    if (a->least != NULL) {
        *a->least = 0;
    }
    if (a->greatest != NULL) {
        *a->greatest = -5;
    }
    return VG_SUCCESS;
}

static const struct error {
    int code;
    const char *name, *text;
} errors[] = {
#define ERROR(code, driver, runtime, sentence) {code, driver, sentence},
#include "vgpu_errors.def"
#undef ERROR
};

static const struct error *find_error(int code)
{
    for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
        if (errors[i].code == code && errors[i].name != NULL) {
            return &errors[i];
        }
    }
    return NULL;
}

int vg_do_error_name(const struct vg_a_error_name *a, bool per_thread)
{
    (void)per_thread;
    const struct error *error = find_error(a->code);
    *a->name = error != NULL ? error->name : NULL;
    return error != NULL ? VG_SUCCESS : VG_INVALID_VALUE;
}

int vg_do_error_text(const struct vg_a_error_text *a, bool per_thread)
{
    (void)per_thread;
    const struct error *error = find_error(a->code);
    *a->text = error != NULL ? error->text : NULL;
    return error != NULL ? VG_SUCCESS : VG_INVALID_VALUE;
}

enum { PER_THREAD_FLAG = 2 };

int vg_do_proc_address(const struct vg_a_proc_address *a, bool per_thread)
{
    (void)per_thread;
    *a->function = vg_driver_entry(a->symbol, (a->flags & PER_THREAD_FLAG) != 0);
    return *a->function != NULL ? VG_SUCCESS : VG_NOT_FOUND;
}

int vg_do_proc_address2(const struct vg_a_proc_address2 *a, bool per_thread)
{
    const struct vg_a_proc_address old = {a->symbol, a->function, a->version, a->flags};
    int result = vg_do_proc_address(&old, per_thread);
    if (a->status != NULL) {
        *a->status = result == VG_SUCCESS ? 0 : 1;
        return VG_SUCCESS;
    }
    return result;
}

int vg_do_export_table(const struct vg_a_export_table *a, bool per_thread)
{
    (void)per_thread;
    if (memcmp(a->id, VGPU_CORE_UUID, 16) != 0) {
        return VG_NOT_FOUND; /* the real driver's private tables are not modelled */
    }
    *a->table = vg_core_table();
    return VG_SUCCESS;
}

static void describe(int machine_device, struct vgpu_device_info *info)
{
    const struct vg_config *config = vg_config();
    *info = (struct vgpu_device_info){.name = VGPU_NAME, .machine_device = machine_device};
    make_uuid(machine_device, info->uuid);
    info->memory_bytes = (uint64_t)config->memory_mib << 20;
    info->bandwidth_bytes_per_s = (uint64_t)config->device_gbps * 1000000000u;
    info->sms = (uint32_t)config->sms;
    info->clock_mhz = (uint32_t)config->clock_mhz;
}

static int device_info(int device, struct vgpu_device_info *info)
{
    if (no_device(device)) {
        return -1;
    }
    describe(vg_machine_device(device), info);
    info->used_bytes = vg_model.devices[device].used_bytes;
    info->busy_percent = vg_busy_percent(device, 250000000);
    struct vg_context *primary = vg_model.devices[device].primary;
    info->context_id = primary != NULL ? primary->id : 0;
    return 0;
}

/* Devices that are hidden from this process are idle: the model lives in the process. */
static int machine_device_info(int machine_device, struct vgpu_device_info *info)
{
    for (int device = 0; device < vg_device_count(); device++) {
        if (vg_machine_device(device) == machine_device) {
            return device_info(device, info);
        }
    }
    if (machine_device < 0 || machine_device >= vg_config()->devices) {
        return -1;
    }
    describe(machine_device, info);
    return 0;
}

static uint32_t stream_id(void *context, void *stream, bool per_thread)
{
    struct vg_context *owner = context != NULL ? context : vg_current_context();
    struct vg_stream *found =
        owner != NULL ? vg_stream_from_handle(owner, stream, per_thread) : NULL;
    return found != NULL ? found->id : UINT32_MAX;
}

static uint32_t context_id(void *context)
{
    return context != NULL ? ((struct vg_context *)context)->id : 0;
}

static int context_device(void *context)
{
    return context != NULL ? ((struct vg_context *)context)->device : -1;
}

static void *current_context(void)
{
    return vg_current_context();
}

static const char *function_name(const void *handle)
{
    const struct vg_function *function = handle;
    return function->magic == VG_FUNCTION_MAGIC ? function->name : NULL;
}

static bool torn_down(void)
{
    return vg_driver_state() == VG_DEINITIALIZED;
}

const struct vgpu_core *vg_core_table(void)
{
    static const struct vgpu_core core = {
        .size_bytes = sizeof(core),
        .call_enter = vg_call_enter,
        .call_leave = vg_call_leave,
        .set_tracer = vg_set_tracer,
        .device_info = device_info,
        .machine_device_info = machine_device_info,
        .stream_id = stream_id,
        .context_id = context_id,
        .context_device = context_device,
        .current_context = current_context,
        .function_name = function_name,
        .torn_down = torn_down,
    };
    return &core;
}

static int load(const void *image, void **module)
{
    struct vg_module *loaded = NULL;
    uint64_t start_ns = vg_now_ns();
    int result = vg_module_load(image, &loaded);
    if (result == VG_SUCCESS) {
        *module = loaded;
        vg_burn_call((uint64_t)vg_config()->module_ns);
        vg_trace_overhead(VGPU_OVERHEAD_MODULE_LOADING, vg_call_correlation(), start_ns,
                          vg_now_ns());
        vg_trace_resource(VGPU_MODULE_LOADED, vg_current_context(), NULL, loaded->id);
    }
    return result;
}

static struct vg_module *valid_module(void *handle)
{
    struct vg_module *module = handle;
    return module != NULL && module->magic == VG_MODULE_MAGIC ? module : NULL;
}

int vg_do_module_load(const struct vg_a_module_load *a, bool per_thread)
{
    (void)per_thread;
    char *text = NULL;
    size_t room = 0;
    FILE *file = fopen(a->path, "re");
    if (file == NULL) {
        return 301; /* file not found */
    }
    ssize_t length = getdelim(&text, &room, 0, file);
    fclose(file);
    int result = length >= 4 ? load(text, a->module) : VG_INVALID_IMAGE;
    free(text);
    return result;
}

int vg_do_module_load_data(const struct vg_a_module_load_data *a, bool per_thread)
{
    (void)per_thread;
    return load(a->image, a->module);
}

int vg_do_module_load_data_ex(const struct vg_a_module_load_data_ex *a, bool per_thread)
{
    (void)per_thread;
    return load(a->image, a->module);
}

int vg_do_module_load_fat(const struct vg_a_module_load_fat *a, bool per_thread)
{
    (void)per_thread;
    return load(a->image, a->module);
}

int vg_do_module_unload(const struct vg_a_module_unload *a, bool per_thread)
{
    (void)per_thread;
    struct vg_module *module = valid_module(a->module);
    if (module == NULL) {
        return VG_INVALID_HANDLE;
    }
    vg_trace_resource(VGPU_MODULE_UNLOADED, vg_current_context(), NULL, module->id);
    vg_module_unload(module);
    return VG_SUCCESS;
}

static int find_function(void *handle, const char *name, void **function)
{
    struct vg_module *module = valid_module(handle);
    if (module == NULL || name == NULL) {
        return module == NULL ? VG_INVALID_HANDLE : VG_INVALID_VALUE;
    }
    *function = vg_module_function(module, name);
    return *function != NULL ? VG_SUCCESS : VG_NOT_FOUND;
}

int vg_do_module_function(const struct vg_a_module_function *a, bool per_thread)
{
    (void)per_thread;
    return find_function(a->module, a->name, a->f);
}

int vg_do_library_load(const struct vg_a_library_load *a, bool per_thread)
{
    (void)per_thread;
    return load(a->code, a->library);
}

int vg_do_library_unload(const struct vg_a_library_unload *a, bool per_thread)
{
    const struct vg_a_module_unload same = {a->library};
    return vg_do_module_unload(&same, per_thread);
}

int vg_do_library_kernel(const struct vg_a_library_kernel *a, bool per_thread)
{
    (void)per_thread;
    return find_function(a->library, a->name, a->kernel);
}

int vg_do_library_kernel_count(const struct vg_a_library_kernel_count *a, bool per_thread)
{
    (void)per_thread;
    struct vg_module *module = valid_module(a->library);
    if (module == NULL) {
        return VG_INVALID_HANDLE;
    }
    *a->count = (uint32_t)vg_module_function_count(module);
    return VG_SUCCESS;
}

int vg_do_kernel_function(const struct vg_a_kernel_function *a, bool per_thread)
{
    (void)per_thread;
    *a->f = a->kernel;
    return VG_SUCCESS;
}
