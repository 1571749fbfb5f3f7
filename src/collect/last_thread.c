/* Is the helper all that is left of the job? See last_thread.h.
 * Threads: the helper. May not: allocate. */
#include "collect/last_thread.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "collect/stat_call.h"
#include "collect/thread.h"

#define STATE_FIELD   3
#define THREADS_FIELD 20

int wi_last_thread_in(const char *stat)
{
    const char *at = strrchr(stat, ')'); /* the name before it may hold anything */
    if (!at || at[1] != ' ' || at[2] != 'Z')
        return 0;
    at += 2;
    for (int field = STATE_FIELD; field < THREADS_FIELD; field++) {
        at = strchr(at, ' ');
        if (!at)
            return 0;
        at++;
    }
    return at[0] == '2' && at[1] == ' '; /* the ended main thread still counts */
}

static ssize_t read_stat(char *text, size_t cap)
{
    int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return fd;
    ssize_t len = read(fd, text, cap);
    close(fd);
    return len;
}

/* A job may have used up its descriptors. Without one: the links of the folder of threads count
 * them beside itself and its parent, and the process has no program once its main thread is gone.
 * Where the count is no count, better leave too early than keep the process alive. */
static int last_by_names(void)
{
    struct stat tasks;
    char byte;
    if (wi_stat_path("/proc/self/task", &tasks, 0) != 0)
        return wi_threads_main_ended();
    if (readlink("/proc/self/exe", &byte, 1) >= 0 || errno != ENOENT)
        return 0;
    return tasks.st_nlink <= 2 + 2;
}

int wi_last_thread(void)
{
    char text[1024];
    ssize_t len = read_stat(text, sizeof(text) - 1);
    if (len <= 0)
        return last_by_names();
    text[len] = 0;
    return wi_last_thread_in(text);
}
