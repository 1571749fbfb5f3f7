/* What this machine offers to a CUDA program, see gpu_here.h.
 * Threads: main; the driver is only ever opened in a forked child. */
#include "cli/gpu_here.h"

#include <dlfcn.h>
#include <glob.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/attr.h"

#define PATIENCE_MS 10000 /* cuInit of eight devices without persistence takes some seconds */

/* In the child: fills *gpu as far as it gets. */
static void ask(struct wi_gpu_here *gpu)
{
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!driver) {
        snprintf(gpu->problem, sizeof(gpu->problem), "%s", dlerror());
        return;
    }
    gpu->has_driver = 1;
    int (*version)(int *), (*init)(unsigned), (*count)(int *);
    *(void **)&version = dlsym(driver, "cuDriverGetVersion");
    *(void **)&init = dlsym(driver, "cuInit");
    *(void **)&count = dlsym(driver, "cuDeviceGetCount");
    if (version)
        version(&gpu->driver_version);
    gpu->init_error = init ? init(0) : -1;
    if (gpu->init_error == 0 && count)
        count(&gpu->devices);
}

void wi_gpu_ask(struct wi_gpu_here *gpu)
{
    int answer[2];
    memset(gpu, 0, sizeof(*gpu));
    snprintf(gpu->problem, sizeof(gpu->problem), "libcuda.so.1 does not answer");
    if (pipe2(answer, 0) != 0)
        return;
    pid_t pid = fork();
    if (pid == 0) {
        struct wi_gpu_here mine = {0};
        ask(&mine);
        ssize_t n = write(answer[1], &mine, sizeof(mine));
        _exit(n == sizeof(mine) ? 0 : 1);
    }
    close(answer[1]);
    struct pollfd readable = {.fd = answer[0], .events = POLLIN};
    struct wi_gpu_here got;
    if (pid > 0 && poll(&readable, 1, PATIENCE_MS) > 0 &&
        read(answer[0], &got, sizeof(got)) == sizeof(got))
        *gpu = got;
    close(answer[0]);
    if (pid > 0) {
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
    }
}

/* The first file folder_pattern/pattern. */
static int find_in(const char *folder_pattern, const char *pattern, char folder[PATH_MAX],
                   char path[PATH_MAX])
{
    char full[PATH_MAX];
    glob_t matches;
    int found = -1;
    if (snprintf(full, sizeof(full), "%s/%s", folder_pattern, pattern) >= (int)sizeof(full) ||
        glob(full, 0, NULL, &matches) != 0)
        return -1;
    if (matches.gl_pathc > 0 && strlen(matches.gl_pathv[0]) < PATH_MAX) {
        strcpy(path, matches.gl_pathv[0]);
        strcpy(folder, path);
        *strrchr(folder, '/') = 0;
        found = 0;
    }
    globfree(&matches);
    return found;
}

static int find_in_library_path(const char *pattern, char folder[PATH_MAX], char path[PATH_MAX])
{
    const char *at = getenv("LD_LIBRARY_PATH");
    while (at && *at) {
        char one[PATH_MAX];
        size_t len = strcspn(at, ":");
        if (len > 0 && len < sizeof(one)) {
            memcpy(one, at, len);
            one[len] = 0;
            if (find_in(one, pattern, folder, path) == 0)
                return 0;
        }
        at += len + (at[len] == ':');
    }
    return -1;
}

int wi_cuda_find(const char *pattern, char folder[PATH_MAX], char path[PATH_MAX])
{
    static const struct {
        const char *variable, *pattern;
    } PLACES[] = {
#define CUDA_PLACE(variable, pattern) {variable, pattern},
#include "cli/cuda_places.def"
#undef CUDA_PLACE
    };
    if (find_in_library_path(pattern, folder, path) == 0)
        return 0;
    for (size_t i = 0; i < WI_ARRAY_LEN(PLACES); i++) {
        char full[PATH_MAX];
        const char *root = PLACES[i].variable ? getenv(PLACES[i].variable) : "";
        if (!root || (PLACES[i].variable && !root[0]))
            continue;
        snprintf(full, sizeof(full), "%s%s%s", root, PLACES[i].variable ? "/" : "",
                 PLACES[i].pattern);
        if (find_in(full, pattern, folder, path) == 0)
            return 0;
    }
    return -1;
}
