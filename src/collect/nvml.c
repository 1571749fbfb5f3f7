/* NVML at run time, see nvml.h.
 * Threads: the helper. May not: match devices by index (CUDA_VISIBLE_DEVICES renumbers them). */
#include "collect/nvml.h"

#include <dlfcn.h>
#include <stddef.h>

#include "base/clock.h"
#include "base/glibc.h"
#include "base/out.h"
#include "collect/feed.h"

#define MAX_DEVICES 64
#define ENOUGH_NS   INT64_C(2000000) /* of asking at a time: meanwhile nobody drains the rings */

struct utilisation {
    unsigned gpu, memory; /* nvmlUtilization_t, percent */
};

struct memory {
    unsigned long long total, free, used; /* nvmlMemory_t, bytes */
};

/* nvmlClocksEventReason...: power cap, slowdown, heat (software, hardware), power brake. */
#define HELD_DOWN (0x4u | 0x8u | 0x20u | 0x40u | 0x80u)

#define SM_CLOCK 1 /* nvmlClockType_t */

/* Every function but the first two may be missing. */
static struct {
    int tried, ready;
    int (*by_uuid)(const char *uuid, void **device);
    int (*rates)(void *device, struct utilisation *rates);
    int (*memory)(void *device, struct memory *memory);
    int (*reasons)(void *device, unsigned long long *mask);
    int (*clock)(void *device, int type, unsigned *mhz);
    int (*generation)(void *device, unsigned *value);
    int (*width)(void *device, unsigned *value);
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
    *(void **)&state.memory = dlsym(handle, "nvmlDeviceGetMemoryInfo");
    *(void **)&state.reasons = dlsym(handle, "nvmlDeviceGetCurrentClocksEventReasons");
    if (!state.reasons) /* its name until driver 535 */
        *(void **)&state.reasons = dlsym(handle, "nvmlDeviceGetCurrentClocksThrottleReasons");
    *(void **)&state.clock = dlsym(handle, "nvmlDeviceGetClockInfo");
    *(void **)&state.generation = dlsym(handle, "nvmlDeviceGetCurrPcieLinkGeneration");
    *(void **)&state.width = dlsym(handle, "nvmlDeviceGetCurrPcieLinkWidth");
    state.ready = init && state.by_uuid && init() == 0;
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

/* NULL for a device that is not known, or that NVML does not find. */
static void *device_of(int i)
{
    const struct wi_device_info *info = wi_feed_device(i);
    char text[48];
    if (!info)
        return NULL;
    if (!state.tried)
        open_nvml();
    if (!state.ready)
        return NULL;
    uuid_text(text, info->uuid);
    if (!state.devices[i] && state.by_uuid(text, &state.devices[i]) != 0)
        state.devices[i] = NULL;
    return state.devices[i];
}

static void least(int64_t *figure, int64_t value)
{
    if (*figure == WI_UNKNOWN || value < *figure)
        *figure = value;
}

enum question { FIND, UTILISATION, MEMORY, HELD, CLOCK, GENERATION, WIDTH, QUESTIONS };

/* One question to each device after the other. */
static struct {
    int asking; /* begun and not told yet */
    int device; /* the next one; MAX_DEVICES: all have answered */
    enum question question;
    int64_t busy_sum, busy_count;
    struct wi_host_sample seen; /* the device figures of it */
} round;

static void ask_figure(void *device, int (*get)(void *, unsigned *), int64_t *figure)
{
    unsigned value;
    if (get && get(device, &value) == 0)
        least(figure, value);
}

static void ask(void *device, enum question question)
{
    struct wi_host_sample *seen = &round.seen;
    struct utilisation rates;
    struct memory memory;
    unsigned long long mask;
    unsigned mhz;
    if (question == UTILISATION && state.rates && state.rates(device, &rates) == 0) {
        round.busy_sum += rates.gpu * 10;
        round.busy_count++;
    } else if (question == MEMORY && state.memory && state.memory(device, &memory) == 0) {
        least(&seen->gpu_memory_free_bytes, (int64_t)memory.free);
    } else if (question == HELD && state.reasons && state.reasons(device, &mask) == 0) {
        seen->gpu_throttled = seen->gpu_throttled == 1 || (mask & HELD_DOWN) != 0;
    } else if (question == CLOCK && state.clock && state.clock(device, SM_CLOCK, &mhz) == 0) {
        least(&seen->gpu_clock_mhz, mhz);
    } else if (question == GENERATION) {
        ask_figure(device, state.generation, &seen->link_generation);
    } else if (question == WIDTH) {
        ask_figure(device, state.width, &seen->link_width);
    }
}

static void begin(void)
{
    round.asking = 1;
    round.device = 0;
    round.question = FIND;
    round.busy_sum = round.busy_count = 0;
    wi_host_sample_clear(&round.seen);
}

void wi_nvml_go_on(void)
{
    int64_t end = wi_clock_ns(CLOCK_MONOTONIC) + ENOUGH_NS;
    while (round.asking && round.device < MAX_DEVICES) {
        int i = round.device;
        void *device = round.question == FIND ? device_of(i) : state.devices[i];
        if (device)
            ask(device, round.question++);
        if (!device || round.question == QUESTIONS) {
            round.question = FIND;
            round.device++;
        }
        if (wi_clock_ns(CLOCK_MONOTONIC) >= end)
            return;
    }
}

void wi_nvml_sample(struct wi_host_sample *sample)
{
    const struct wi_host_sample *seen = &round.seen;
    if (!round.asking)
        begin();
    wi_nvml_go_on();
    if (round.device < MAX_DEVICES)
        return;
    round.asking = 0;
    if (round.busy_count)
        sample->gpu_util_permille = round.busy_sum / round.busy_count;
    sample->gpu_memory_free_bytes = seen->gpu_memory_free_bytes;
    sample->gpu_throttled = seen->gpu_throttled;
    sample->gpu_clock_mhz = seen->gpu_clock_mhz;
    sample->link_generation = seen->link_generation;
    sample->link_width = seen->link_width;
}
