/* The stand-in NVML: what a monitor asks about a device, answered from the model. Utilisation is of
 * this process only, because the model lives in the process.
 * Threads: any. May not: initialise the driver. */
#include "vgpu_core.h"
#include "vgpu_faults.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* NVML's result codes. */
enum {
    NV_SUCCESS = 0,
    NV_UNINITIALIZED = 1,
    NV_INVALID_ARGUMENT = 2,
    NV_NOT_SUPPORTED = 3,
    NV_NOT_FOUND = 6,
    NV_DRIVER_NOT_LOADED = 9,
};

struct utilization {
    unsigned gpu, memory;
};

struct memory {
    unsigned long long total, free, used;
};

struct pci {
    char bus_id_legacy[16];
    unsigned domain, bus, device, device_id, subsystem_id;
    char bus_id[32];
};

static atomic_int users;

static const struct vgpu_core *core(void)
{
    static _Atomic(const struct vgpu_core *) found;
    if (atomic_load(&found) == NULL) {
        atomic_store(&found, vgpu_core_open());
    }
    return atomic_load(&found);
}

/* Device handles are ordinals counted from 1. */
static int info_of(void *handle, struct vgpu_device_info *info)
{
    if (atomic_load(&users) <= 0) {
        return NV_UNINITIALIZED;
    }
    usleep((useconds_t)vg_faults()->nvml_slow * 1000);
    int device = (int)(uintptr_t)handle - 1;
    return core()->machine_device_info(device, info) == 0 ? NV_SUCCESS : NV_INVALID_ARGUMENT;
}

VGPU_API int nvmlInit_v2(void);
int nvmlInit_v2(void)
{
    if (vg_faults()->no_nvml || core() == NULL) {
        return NV_DRIVER_NOT_LOADED;
    }
    atomic_fetch_add(&users, 1);
    return NV_SUCCESS;
}

VGPU_API int nvmlInit(void);
int nvmlInit(void)
{
    return nvmlInit_v2();
}

VGPU_API int nvmlInitWithFlags(unsigned flags);
int nvmlInitWithFlags(unsigned flags)
{
    (void)flags;
    return nvmlInit_v2();
}

VGPU_API int nvmlShutdown(void);
int nvmlShutdown(void)
{
    if (atomic_load(&users) <= 0) {
        return NV_UNINITIALIZED;
    }
    atomic_fetch_sub(&users, 1);
    return NV_SUCCESS;
}

VGPU_API const char *nvmlErrorString(int result);
const char *nvmlErrorString(int result)
{
    switch (result) {
    case NV_SUCCESS:
        return "Success";
    case NV_UNINITIALIZED:
        return "Uninitialized";
    case NV_INVALID_ARGUMENT:
        return "Invalid Argument";
    case NV_NOT_SUPPORTED:
        return "Not Supported";
    case NV_NOT_FOUND:
        return "Not Found";
    case NV_DRIVER_NOT_LOADED:
        return "Driver Not Loaded";
    default:
        return "Unknown Error";
    }
}

VGPU_API int nvmlSystemGetDriverVersion(char *text, unsigned bytes);
int nvmlSystemGetDriverVersion(char *text, unsigned bytes)
{
    snprintf(text, bytes, "580.00");
    return atomic_load(&users) > 0 ? NV_SUCCESS : NV_UNINITIALIZED;
}

VGPU_API int nvmlDeviceGetCount_v2(unsigned *count);
int nvmlDeviceGetCount_v2(unsigned *count)
{
    struct vgpu_device_info info;
    if (atomic_load(&users) <= 0) {
        return NV_UNINITIALIZED;
    }
    *count = 0;
    while (core()->machine_device_info((int)*count, &info) == 0) {
        ++*count;
    }
    return NV_SUCCESS;
}

VGPU_API int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **handle);
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **handle)
{
    struct vgpu_device_info info;
    *handle = (void *)(uintptr_t)(index + 1);
    return info_of(*handle, &info);
}

static void uuid_text(const uint8_t uuid[16], char text[64])
{
    int at = snprintf(text, 64, "GPU-");
    for (int i = 0; i < 16; i++) {
        const char *dash = i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "";
        at += snprintf(text + at, (size_t)(64 - at), "%s%02x", dash, uuid[i]);
    }
}

VGPU_API int nvmlDeviceGetUUID(void *handle, char *text, unsigned bytes);
int nvmlDeviceGetUUID(void *handle, char *text, unsigned bytes)
{
    struct vgpu_device_info info;
    char uuid[64];
    int result = info_of(handle, &info);
    if (result == NV_SUCCESS) {
        uuid_text(info.uuid, uuid);
        snprintf(text, bytes, "%s", uuid);
    }
    return result;
}

VGPU_API int nvmlDeviceGetHandleByUUID(const char *uuid, void **handle);
int nvmlDeviceGetHandleByUUID(const char *uuid, void **handle)
{
    char own[64];
    unsigned count = 0;
    int result = nvmlDeviceGetCount_v2(&count);
    for (unsigned i = 0; result == NV_SUCCESS && i < count; i++) {
        nvmlDeviceGetHandleByIndex_v2(i, handle);
        nvmlDeviceGetUUID(*handle, own, sizeof(own));
        if (strcmp(own, uuid) == 0) {
            return NV_SUCCESS;
        }
    }
    return result != NV_SUCCESS ? result : NV_NOT_FOUND;
}

VGPU_API int nvmlDeviceGetIndex(void *handle, unsigned *index);
int nvmlDeviceGetIndex(void *handle, unsigned *index)
{
    struct vgpu_device_info info;
    *index = (unsigned)(uintptr_t)handle - 1;
    return info_of(handle, &info);
}

VGPU_API int nvmlDeviceGetName(void *handle, char *text, unsigned bytes);
int nvmlDeviceGetName(void *handle, char *text, unsigned bytes)
{
    struct vgpu_device_info info;
    int result = info_of(handle, &info);
    if (result == NV_SUCCESS) {
        snprintf(text, bytes, "%s", info.name);
    }
    return result;
}

VGPU_API int nvmlDeviceGetPciInfo_v3(void *handle, struct pci *pci);
int nvmlDeviceGetPciInfo_v3(void *handle, struct pci *pci)
{
    struct vgpu_device_info info;
    int result = info_of(handle, &info);
    if (result == NV_SUCCESS) {
        *pci = (struct pci){.bus = (unsigned)(uintptr_t)handle};
        snprintf(pci->bus_id_legacy, sizeof(pci->bus_id_legacy), "0000:%02X:00.0", pci->bus & 0xff);
        snprintf(pci->bus_id, sizeof(pci->bus_id), "00000000:%02X:00.0", pci->bus & 0xff);
    }
    return result;
}

VGPU_API int nvmlDeviceGetUtilizationRates(void *handle, struct utilization *utilization);
int nvmlDeviceGetUtilizationRates(void *handle, struct utilization *utilization)
{
    struct vgpu_device_info info;
    int result = vg_faults()->nvml_mig ? NV_NOT_SUPPORTED : info_of(handle, &info);
    if (result == NV_SUCCESS) {
        *utilization = (struct utilization){info.busy_percent, 0};
    }
    return result;
}

VGPU_API int nvmlDeviceGetMemoryInfo(void *handle, struct memory *memory);
int nvmlDeviceGetMemoryInfo(void *handle, struct memory *memory)
{
    struct vgpu_device_info info;
    int result = info_of(handle, &info);
    if (result == NV_SUCCESS) {
        *memory = (struct memory){info.memory_bytes, info.memory_bytes - info.used_bytes,
                                  info.used_bytes};
    }
    return result;
}

/* Clock types: 0 graphics, 1 SM, 2 memory, 3 video. */
VGPU_API int nvmlDeviceGetClockInfo(void *handle, unsigned type, unsigned *mhz);
int nvmlDeviceGetClockInfo(void *handle, unsigned type, unsigned *mhz)
{
    struct vgpu_device_info info;
    int result = info_of(handle, &info);
    if (result == NV_SUCCESS) {
        *mhz = type == 2 ? 1215 : info.clock_mhz;
    }
    return result;
}

VGPU_API int nvmlDeviceGetMaxClockInfo(void *handle, unsigned type, unsigned *mhz);
int nvmlDeviceGetMaxClockInfo(void *handle, unsigned type, unsigned *mhz)
{
    return nvmlDeviceGetClockInfo(handle, type, mhz);
}

static int reasons(void *handle, unsigned long long *mask)
{
    const unsigned long long idle = 1;
    struct vgpu_device_info info;
    int result = info_of(handle, &info);
    if (result == NV_SUCCESS) {
        *mask = info.busy_percent == 0 ? idle : 0;
    }
    return result;
}

VGPU_API int nvmlDeviceGetCurrentClocksThrottleReasons(void *handle, unsigned long long *mask);
int nvmlDeviceGetCurrentClocksThrottleReasons(void *handle, unsigned long long *mask)
{
    return reasons(handle, mask);
}

VGPU_API int nvmlDeviceGetCurrentClocksEventReasons(void *handle, unsigned long long *mask);
int nvmlDeviceGetCurrentClocksEventReasons(void *handle, unsigned long long *mask)
{
    return reasons(handle, mask);
}

/* One number about the link. */
#define NUMBER(function, number)                                                                   \
    VGPU_API int function(void *handle, unsigned *value);                                          \
    int function(void *handle, unsigned *value)                                                    \
    {                                                                                              \
        struct vgpu_device_info info;                                                              \
        *value = number;                                                                           \
        return info_of(handle, &info);                                                             \
    }
NUMBER(nvmlDeviceGetCurrPcieLinkGeneration, 4)
NUMBER(nvmlDeviceGetMaxPcieLinkGeneration, 4)
NUMBER(nvmlDeviceGetCurrPcieLinkWidth, 16)
NUMBER(nvmlDeviceGetMaxPcieLinkWidth, 16)

VGPU_API int nvmlDeviceGetMigMode(void *handle, unsigned *now, unsigned *pending);
int nvmlDeviceGetMigMode(void *handle, unsigned *now, unsigned *pending)
{
    (void)handle, (void)now, (void)pending;
    return NV_NOT_SUPPORTED;
}
