/* The runtime's state: the loaded driver, the current device and the last error of each thread.
 * Threads: any. May not: run at load; the first call that needs the driver loads it. */
#include "vgpu_runtime.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

static struct {
    pthread_once_t once;
    pthread_mutex_t lock;
    struct rt_driver driver;
    int error;
    void *primary[VGPU_MAX_DEVICES];
} state = {.once = PTHREAD_ONCE_INIT, .lock = PTHREAD_MUTEX_INITIALIZER};

static __thread int device, last_error;

static void look_up(void *library, const char *name, void *field)
{
    void *function = dlsym(library, name);
    memcpy(field, &function, sizeof(function));
}

static void load(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    struct rt_driver *d = &state.driver;
    if (library == NULL) {
        state.error = RT_INSUFFICIENT_DRIVER;
        return;
    }
#define USE1(field, types, name) look_up(library, #name, &d->field);
#define USE2(field, types, name, name2)                                                            \
    look_up(library, #name, &d->field[0]);                                                         \
    look_up(library, #name2, &d->field[1]);
#include "vgpu_runtime_driver.def"
#undef USE1
#undef USE2
    d->core = vgpu_core_open();
    if (d->core == NULL) {
        state.error = RT_INSUFFICIENT_DRIVER;
        return;
    }
    state.error = d->init(0);
}

int rt_load(const struct rt_driver **driver)
{
    pthread_once(&state.once, load);
    *driver = &state.driver;
    if (state.error == RT_SUCCESS && state.driver.core->torn_down()) {
        return 4;
    }
    return state.error;
}

static int primary(int ordinal, void **context)
{
    int error = RT_SUCCESS;
    if (ordinal < 0 || ordinal >= VGPU_MAX_DEVICES) {
        return RT_INVALID_DEVICE;
    }
    pthread_mutex_lock(&state.lock);
    if (state.primary[ordinal] == NULL) {
        error = state.driver.primary_retain(&state.primary[ordinal], ordinal);
    }
    *context = state.primary[ordinal];
    pthread_mutex_unlock(&state.lock);
    return error;
}

int rt_set_device(int ordinal)
{
    void *context = NULL;
    int error = primary(ordinal, &context);
    if (error == RT_SUCCESS) {
        device = ordinal;
        error = state.driver.context_set(context);
    }
    return error;
}

int rt_ready(const struct rt_driver **driver)
{
    int error = rt_load(driver);
    if (error != RT_SUCCESS || state.driver.core->current_context() != NULL) {
        return error;
    }
    return rt_set_device(device);
}

int rt_device(void)
{
    return device;
}

void rt_forget_device(int ordinal)
{
    pthread_mutex_lock(&state.lock);
    state.primary[ordinal] = NULL;
    pthread_mutex_unlock(&state.lock);
    state.driver.context_set(NULL);
}

int rt_note(int error)
{
    if (error != RT_SUCCESS) {
        last_error = error;
    }
    return error;
}

/* Neither call changes the other's meaning of "last": get clears, peek does not. */
VGPU_API int cudaGetLastError(void);
int cudaGetLastError(void)
{
    int error = last_error;
    last_error = RT_SUCCESS;
    return error;
}

VGPU_API int cudaPeekAtLastError(void);
int cudaPeekAtLastError(void)
{
    return last_error;
}

static const struct {
    int code;
    const char *name, *text;
} errors[] = {
#define ERROR(code, driver, runtime, sentence) {code, runtime, sentence},
#include "vgpu_errors.def"
#undef ERROR
};

VGPU_API const char *cudaGetErrorName(int error);
const char *cudaGetErrorName(int error)
{
    for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
        if (errors[i].code == error) {
            return errors[i].name;
        }
    }
    return "unrecognized error code";
}

VGPU_API const char *cudaGetErrorString(int error);
const char *cudaGetErrorString(int error)
{
    for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
        if (errors[i].code == error) {
            return errors[i].text;
        }
    }
    return "unrecognized error code";
}
