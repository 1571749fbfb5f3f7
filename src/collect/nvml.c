/* NVML at run time, see nvml.h.
 * Threads: the helper. May not: match devices by index (CUDA_VISIBLE_DEVICES renumbers them). */
#include "collect/nvml.h"

#include <dlfcn.h>
#include <stddef.h>

#include "base/glibc.h"
#include "base/out.h"
#include "collect/feed.h"

#define MAX_DEVICES 64

struct utilisation {
    unsigned gpu, memory; /* nvmlUtilization_t, percent */
};

static struct {
    int tried;
    int (*by_uuid)(const char *uuid, void **device);
    int (*rates)(void *device, struct utilisation *rates);
    void *devices[MAX_DEVICES];
} state;

static void open_nvml(void)
{
    int (*init)(void);
    state.tried = 1;
    void *handle = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!handle)
        return;
    *(void **)&init = dlsym(handle, "nvmlInit_v2");
    *(void **)&state.by_uuid = dlsym(handle, "nvmlDeviceGetHandleByUUID");
    *(void **)&state.rates = dlsym(handle, "nvmlDeviceGetUtilizationRates");
    if (!init || !state.by_uuid || init() != 0)
        state.rates = NULL;
}

/* "GPU-8-4-4-4-12" as NVML spells it. */
static void uuid_text(char text[48], const uint8_t *uuid)
{
    struct wi_out out;
    wi_out_mem(&out, text, 48);
    wi_out_str(&out, "GPU");
    for (int i = 0; i < 16; i++) {
        if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10)
            wi_out_char(&out, '-');
        wi_out_f(&out, "%02x", uuid[i]);
    }
    wi_out_finish(&out);
}

int64_t wi_nvml_utilisation(void)
{
    int64_t sum = 0;
    int count = 0;
    for (int i = 0; i < MAX_DEVICES; i++) {
        const struct wi_device_info *info = wi_feed_device(i);
        struct utilisation rates;
        char text[48];
        if (!info)
            continue;
        if (!state.tried)
            open_nvml();
        if (!state.rates)
            return WI_UNKNOWN;
        uuid_text(text, info->uuid);
        if (!state.devices[i] && state.by_uuid(text, &state.devices[i]) != 0)
            continue;
        if (state.rates(state.devices[i], &rates) == 0) {
            sum += rates.gpu * 10;
            count++;
        }
    }
    return count ? sum / count : WI_UNKNOWN;
}
