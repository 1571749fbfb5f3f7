/* Any bytes as the files of /proc and of the control groups: no parser reads beyond them, and no
 * figure is one that cannot be. The input is cut at bytes of 0xff into the files below.
 * Threads: one. Built by scripts/fuzz.sh, with the root of the test builds. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collect/last_thread.h"
#include "collect/procfs.h"
#include "collect/watch_look.h"
#include "collect/watch_parts.h"

static const char *const FILES[] = {
    "/proc/stat",    "/proc/self/status",          "/proc/self/cgroup",
    "/proc/loadavg", "/sys/fs/cgroup/cpu.max",     "/sys/fs/cgroup/cpu.stat",
    "/proc/self/io", "/proc/thread-self/children", "/sys/fs/cgroup/cpu/cpu.cfs_quota_us",
};
#define FILE_COUNT (sizeof(FILES) / sizeof(FILES[0]))

static char root[] = "/dev/shm/wi-fuzz-proc-XXXXXX";

static void require(int truth)
{
    if (!truth)
        abort();
}

static const char *const FOLDERS[] = {"/proc",   "/proc/self",     "/proc/thread-self", "/sys",
                                      "/sys/fs", "/sys/fs/cgroup", "/sys/fs/cgroup/cpu"};
#define FOLDER_COUNT (sizeof(FOLDERS) / sizeof(FOLDERS[0]))

static void remove_root(void)
{
    char path[128];
    for (size_t i = 0; i < FILE_COUNT; i++) {
        snprintf(path, sizeof(path), "%s%s", root, FILES[i]);
        unlink(path);
    }
    for (size_t i = FOLDER_COUNT; i > 0; i--) {
        snprintf(path, sizeof(path), "%s%s", root, FOLDERS[i - 1]);
        rmdir(path);
    }
    rmdir(root);
}

static void make_root(void)
{
    char path[128];
    require(mkdtemp(root) != NULL);
    atexit(remove_root);
    for (size_t i = 0; i < FOLDER_COUNT; i++) {
        snprintf(path, sizeof(path), "%s%s", root, FOLDERS[i]);
        mkdir(path, 0700);
    }
    setenv("WI_TEST_ROOT", root, 1);
}

static void put(const char *name, const unsigned char *data, size_t len)
{
    char path[128];
    snprintf(path, sizeof(path), "%s%s", root, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    require(fd >= 0 && write(fd, data, len) == (ssize_t)len);
    close(fd);
}

static void parse_lines(const char *text)
{
    struct wi_proc_stat stat;
    struct wi_syscall call;
    const char *at = text, *hex = text;
    wi_parse_stat(text, &stat);
    wi_parse_syscall(text, &call);
    wi_last_thread_in(text);
    require(wi_take_number(&at) >= 0 || at == text);
    wi_take_hex(&hex);
    wi_number_of(text, "rchar:");
    require(wi_skip_words(text, 5) <= text + strlen(text));
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t len)
{
    struct wi_host_sample sample;
    char text[1024];
    size_t begin = 0, kept = len < sizeof(text) - 1 ? len : sizeof(text) - 1;
    if (strstr(root, "XXXXXX"))
        make_root();
    memcpy(text, data, kept);
    text[kept] = 0;
    parse_lines(text);
    for (size_t i = 0; i < FILE_COUNT; i++) {
        const unsigned char *cut = begin < len ? memchr(data + begin, 0xff, len - begin) : NULL;
        size_t end = cut ? (size_t)(cut - data) : len;
        if (begin < end && begin < len)
            put(FILES[i], data + begin, end - begin);
        else /* a kept file that is empty would be given up for good */
            put(FILES[i], (const unsigned char *)"\n", 1);
        begin = end + 1;
    }
    wi_host_sample_clear(&sample);
    wi_watch_cores_tick();
    wi_watch_cores(&sample, 1000000);
    require(sample.cores_allowed == WI_UNKNOWN || sample.cores_allowed > 0);
    require(sample.throttled_ns == WI_UNKNOWN || sample.throttled_ns >= 0);
    require(sample.cores_idle_permille == WI_UNKNOWN || sample.cores_idle_permille >= 0);
    return 0;
}
