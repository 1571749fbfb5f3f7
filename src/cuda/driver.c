/* Asks the driver about its devices, see driver.h.
 * Threads: one at a time. May not: load the driver, initialise it, or make a context. */
#include "cuda/driver.h"

#include <dlfcn.h>
#include <string.h>

#include "base/attr.h"
#include "base/err.h"
#include "base/glibc.h"

/* CUdevice_attribute */
enum attribute {
    SMS = 16,
    THREADS_PER_SM = 39,
    SHARED_PER_SM = 81,
    REGISTERS_PER_SM = 82,
    BLOCKS_PER_SM = 106
};

static void *function(const char *name)
{
    void *handle = dlopen("libcuda.so.1", RTLD_NOLOAD | RTLD_LAZY);
    void *found = handle ? dlsym(handle, name) : NULL;
    if (handle)
        dlclose(handle);
    return found;
}

int wi_driver_version(void)
{
    int version = 0;
    int (*get)(int *);
    *(void **)&get = function("cuDriverGetVersion");
    return get && get(&version) == 0 ? version : 0;
}

int wi_driver_is_up(void)
{
    int count = 0;
    int (*get_count)(int *);
    *(void **)&get_count = function("cuDeviceGetCount");
    return get_count && get_count(&count) == 0 && count > 0;
}

static uint32_t attribute(enum attribute which, int device)
{
    int value = 0;
    int (*get)(int *, int, int);
    *(void **)&get = function("cuDeviceGetAttribute");
    return get && get(&value, (int)which, device) == 0 && value > 0 ? (uint32_t)value : 0;
}

int wi_driver_device(int n, struct wi_names *names, struct wi_device_info *info)
{
    int count = 0;
    char name[256] = "";
    int (*get_count)(int *), (*get_name)(char *, int, int), (*get_uuid)(void *, int);
    *(void **)&get_count = function("cuDeviceGetCount");
    *(void **)&get_name = function("cuDeviceGetName");
    *(void **)&get_uuid = function("cuDeviceGetUuid");
    if (!get_count || !get_name || !get_uuid || get_count(&count) != 0 || n >= count)
        return WI_ERR_NOT_FOUND;
    memset(info, 0, sizeof(*info));
    info->device = n;
    if (get_name(name, (int)sizeof(name) - 1, n) == 0)
        info->name = wi_names_str(names, name);
    get_uuid(info->uuid, n);
    info->sms = attribute(SMS, n);
    info->threads_per_sm = attribute(THREADS_PER_SM, n);
    info->blocks_per_sm = attribute(BLOCKS_PER_SM, n);
    info->registers_per_sm = attribute(REGISTERS_PER_SM, n);
    info->shared_bytes_per_sm = attribute(SHARED_PER_SM, n);
    return 0;
}
