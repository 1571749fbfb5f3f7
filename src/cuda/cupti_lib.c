/* Finds, opens and measures libcupti, see cupti_lib.h.
 * Threads: the one that arms. May not: allocate, close what it opened. */
#include "cuda/cupti_lib.h"

#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/attr.h"
#include "base/err.h"
#include "base/glibc.h"
#include "base/out.h"

#define PATH_BYTES 1024

/* Names of libcupti per CUDA major, best first. The 11.x line changed the name with each minor. */
static const char *const NAMES_13[] = {"libcupti.so.13", NULL};
static const char *const NAMES_12[] = {"libcupti.so.12", NULL};
static const char *const NAMES_11[] = {"libcupti.so.11.8", "libcupti.so.11.7",
                                       "libcupti.so.11.6", "libcupti.so.11.5",
                                       "libcupti.so.11.4", "libcupti.so.11.3",
                                       "libcupti.so.11.2", "libcupti.so.11.1",
                                       "libcupti.so.11.0", NULL};

static const char *const *names_of(int major)
{
    return major >= 13 ? NAMES_13 : major == 12 ? NAMES_12 : NAMES_11;
}

/* What the process has mapped: the runtime's folder, a Python site-packages folder. */
struct mapped {
    int major; /* 0 = no runtime is mapped */
    char cudart_dir[PATH_BYTES];
    char site[PATH_BYTES];
};

static void copy_text(char *to, const char *from, size_t len)
{
    if (len < PATH_BYTES) {
        memcpy(to, from, len);
        to[len] = 0;
    }
}

static int look_at_object(struct dl_phdr_info *info, size_t size, void *user)
{
    struct mapped *mapped = user;
    const char *path = info->dlpi_name;
    const char *slash = path ? strrchr(path, '/') : NULL;
    (void)size;
    if (!slash)
        return 0;
    const char *site = strstr(path, "/site-packages/");
    if (site && !mapped->site[0])
        copy_text(mapped->site, path, (size_t)(site - path) + strlen("/site-packages"));
    const char *dot = strstr(slash, ".so.");
    if (!mapped->major && dot && !strncmp(slash, "/libcudart", strlen("/libcudart"))) {
        mapped->major = (dot[4] - '0') * 10 + (dot[5] >= '0' && dot[5] <= '9' ? dot[5] - '0' : 0);
        copy_text(mapped->cudart_dir, path, (size_t)(slash - path));
    }
    return 0;
}

/* A static runtime leaves no trace in the map; the driver's own version bounds it. */
static int driver_major(void)
{
    int version = 0;
    void *handle = dlopen("libcuda.so.1", RTLD_NOLOAD | RTLD_LAZY);
    if (!handle)
        return 0;
    int (*get)(int *);
    *(void **)&get = dlsym(handle, "cuDriverGetVersion");
    if (get)
        get(&version);
    dlclose(handle);
    return version / 1000;
}

static void *open_path(const char *path)
{
    return access(path, R_OK) == 0 ? dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE) : NULL;
}

static void *open_in(const char *dir, const char *below, const char *const *names)
{
    char path[PATH_BYTES];
    struct wi_out out;
    void *handle = NULL;
    for (; dir && *dir && *names && !handle; names++) {
        wi_out_mem(&out, path, sizeof(path));
        wi_out_f(&out, "%s/%s%s", dir, below, *names);
        if (wi_out_finish(&out) == 0)
            handle = open_path(path);
    }
    return handle;
}

static void *open_named(const char *const *names, int flags)
{
    void *handle = NULL;
    for (; *names && !handle; names++)
        handle = dlopen(*names, flags | RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    return handle;
}

/* The places where each way of installing CUDA puts it; order: docs/limits.md. */
static void *search(const struct mapped *mapped, const char *const *names)
{
    const struct {
        const char *dir, *below;
    } places[] = {
        {mapped->cudart_dir, ""},
        {mapped->cudart_dir, "../../cuda_cupti/lib/"},
        {mapped->cudart_dir, "../extras/CUPTI/lib64/"},
        {NULL, NULL}, /* as the dynamic linker finds it */
        {getenv("CUDA_HOME"), "extras/CUPTI/lib64/"},
        {getenv("CUDA_HOME"), "lib64/"},
        {getenv("CONDA_PREFIX"), "lib/"},
        {mapped->site, "nvidia/cuda_cupti/lib/"},
        {mapped->site, "nvidia/cu13/lib/"},
        {"/usr/local/cuda", "extras/CUPTI/lib64/"},
        {"/usr/local/cuda", "lib64/"},
    };
    void *handle = NULL;
    for (size_t i = 0; i < WI_ARRAY_LEN(places) && !handle; i++)
        handle =
            places[i].below ? open_in(places[i].dir, places[i].below, names) : open_named(names, 0);
    return handle;
}

static void *open_library(const char *wanted)
{
    static struct mapped mapped; /* static: 2 KiB would burden the job's stack */
    memset(&mapped, 0, sizeof(mapped));
    dl_iterate_phdr(look_at_object, &mapped);
    int major = mapped.major ? mapped.major : driver_major();
    /* what the job has loaded comes first: a second image would fight with it for the driver */
    void *handle = open_named(names_of(major), RTLD_NOLOAD);
    if (!handle && wanted)
        handle = open_path(wanted);
    /* older than the driver works, newer does not: go down from the runtime's own major */
    for (; !handle && major >= 11; major--)
        handle = search(&mapped, names_of(major));
    dlerror(); /* what was tried in vain is no error of the job's */
    return handle;
}

static uint16_t measure_stride(const struct wi_cupti *cupti, uint32_t kind)
{
    _Alignas(8) uint8_t buffer[4096];
    void *record = NULL, *first;
    memset(buffer, 0, sizeof(buffer));
    for (size_t at = 0; at < sizeof(buffer); at += 8) /* wherever the second record begins */
        memcpy(buffer + at, &kind, sizeof(kind));
    if (cupti->next_record(buffer, sizeof(buffer), &record) != WI_CUPTI_SUCCESS || !record)
        return 0;
    first = record;
    if (cupti->next_record(buffer, sizeof(buffer), &record) != WI_CUPTI_SUCCESS || !record)
        return 0;
    ptrdiff_t stride = (uint8_t *)record - (uint8_t *)first;
    return stride > 0 && stride < 2048 ? (uint16_t)stride : 0;
}

int wi_cupti_open(struct wi_cupti *cupti, const char *wanted)
{
    memset(cupti, 0, sizeof(*cupti));
    void *handle = open_library(wanted);
    int complete = 1;
    if (!handle)
        return WI_ERR_NOT_FOUND;
#define LOAD(field, name, needed, parameters)                                                      \
    *(void **)&cupti->field = dlsym(handle, #name);                                                \
    complete &= cupti->field || !needed;
    WI_CUPTI_FUNCTIONS(LOAD)
#undef LOAD
    return complete ? 0 : WI_ERR_UNSUPPORTED;
}

int wi_cupti_measure(struct wi_cupti *cupti)
{
    static const uint8_t KINDS[] = {WI_KIND_MEMCPY,
                                    WI_KIND_MEMSET,
                                    WI_KIND_DRIVER,
                                    WI_KIND_RUNTIME,
                                    WI_KIND_DEVICE,
                                    WI_KIND_CONTEXT,
                                    WI_KIND_CONCURRENT_KERNEL,
                                    WI_KIND_OVERHEAD,
                                    WI_KIND_MEMCPY2,
                                    WI_KIND_GRAPH_TRACE};
    if (cupti->stride[WI_KIND_CONCURRENT_KERNEL])
        return 0;
    if (cupti->version)
        cupti->version(&cupti->api_version);
    for (size_t i = 0; i < WI_ARRAY_LEN(KINDS); i++)
        cupti->stride[KINDS[i]] = measure_stride(cupti, KINDS[i]);
    return cupti->stride[WI_KIND_CONCURRENT_KERNEL] ? 0 : WI_ERR_UNSUPPORTED;
}

int wi_cupti_has(const struct wi_cupti *cupti, uint32_t kind, size_t size)
{
    return kind < WI_STRIDE_KINDS && cupti->stride[kind] >= size;
}
