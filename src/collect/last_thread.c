/* Is the helper all that is left of the job? See last_thread.h.
 * Threads: the helper. May not: allocate. */
#include "collect/last_thread.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

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

int wi_last_thread(void)
{
    char text[1024];
    int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    ssize_t len = read(fd, text, sizeof(text) - 1);
    close(fd);
    if (len <= 0)
        return 0;
    text[len] = 0;
    return wi_last_thread_in(text);
}
